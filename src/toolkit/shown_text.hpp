#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/timeout.hpp"
#include "log/text_view.hpp"
#include "text/drawn_steps.hpp"
#include "text/visible_text.hpp"

namespace terminally {

class LogText;

/// What a terminal prints, as text that is told piece by piece while more of it comes. The text has no escape
/// sequences, and each piece is a cut of a LogText over the newest text: it is masked where there is a guard,
/// and a shell's words about our own file name `command`. Text at the end that may be the beginning of a
/// secret, or of such a name, is held back for kHeldBack; then it is told as masked, or as it is.
///
/// The text that waits is in memory, and so are the 16 KB that were told before it.
class ShownText {
 public:
  static constexpr Milliseconds kHeldBack{100};
  static constexpr std::size_t kStepBytes = std::size_t{64} * 1024;

  ShownText(const std::shared_ptr<TextGuard>& guard, std::string own_files);

  /// Bytes of any number. Binary output is named and ends the text: nothing of it, nor after it, is told.
  void feed(std::string_view bytes);
  /// Nothing follows. `goes_on`: the last text may be half a secret. `unread`: so many bytes were not fed,
  /// which the text says in its last line.
  void end(bool goes_on, std::uint64_t unread = 0);

  /// The piece that may be told now, empty for none: of at most `limit` bytes before they are masked. The
  /// piece stays the same until `told`, `end` or a skip.
  [[nodiscard]] std::string_view next(std::size_t limit, Clock::time_point now = Clock::now());
  /// The piece was sent.
  void told();
  /// When `next` may have a piece; the maximum: when something is fed.
  [[nodiscard]] Clock::time_point due() const;

  /// Where more than `most` bytes of text wait, skips the oldest of them: the newest kStepBytes are left. The
  /// next piece begins with a line that says how much was skipped.
  void keep(std::size_t most);
  [[nodiscard]] std::uint64_t skipped_bytes() const { return skipped_; }

 private:
  /// A place in the text, and what the text before it says about the text behind it.
  struct Place {
    std::size_t at = 0;        ///< in window_
    VisibleText visible = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
    bool in_mask = false;      ///< what was told last is a mask, or hidden by one
  };
  struct Piece {
    std::string text;
    Place end;
  };
  struct Held {
    std::size_t at = 0;  ///< in window_
    Clock::time_point since;
  };

  [[nodiscard]] Piece cut(std::size_t limit, Clock::time_point now);
  [[nodiscard]] std::size_t tellable(const LogText& text, Clock::time_point now);
  void go_to(Place place);

  TextView view_;
  DrawnSteps steps_;
  std::string window_;       ///< text that was told last, and behind told_ the text that was not
  bool begins_line_ = true;  ///< window_ does
  Place told_;
  std::optional<Piece> next_;
  std::optional<Held> held_;  ///< the first text that is held back
  Clock::time_point fed_;
  bool goes_on_ = true;
  std::optional<std::string> last_words_;  ///< ours; none while more may be fed
  std::uint64_t skipped_ = 0;
  std::uint64_t skipped_now_ = 0;  ///< since the last piece
};

}  // namespace terminally
