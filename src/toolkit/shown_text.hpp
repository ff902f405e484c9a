#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/timeout.hpp"
#include "log/own_lines.hpp"
#include "secrets/text_guard.hpp"
#include "text/drawn_steps.hpp"
#include "text/visible_text.hpp"

namespace terminally {

/// Bytes of a terminal, in pieces of any size, as text that may be sent while more is to come: without escape
/// sequences, with what a shell says of our own file said of `command`, masked where there is a guard. What
/// may be the beginning of a secret, or of such a name, is held back for a while.
class ShownText {
 public:
  /// How long something is held back that nothing follows.
  static constexpr Milliseconds kHeldBack{100};

  ShownText(const std::shared_ptr<TextGuard>& guard, std::string own_files);

  void feed(std::string_view bytes, std::string& out);
  /// `goes_on`: what was printed last may be half a secret, for all we know.
  void finish(std::string& out, bool goes_on);
  /// What was held back and need not be any longer.
  void release(std::string& out);
  /// When to release, if steps were sent up to `last_step`; never when nothing is held back.
  [[nodiscard]] Clock::time_point next_release(Clock::time_point last_step) const;

 private:
  void mask(std::string_view text, std::string& out);
  void make_visible(std::string_view text, std::string& out);

  bool guarded_;
  DrawnSteps steps_;
  CommandNaming naming_;
  Clock::time_point fed_;
  std::optional<Redactor> redactor_;
  VisibleText visible_;
  Clock::time_point held_since_;
  bool held_ = false;
  bool looked_ = false;  ///< since something was fed
};

}  // namespace terminally
