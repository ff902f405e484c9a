#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "base/timeout.hpp"

namespace terminally {

struct Tab;

/// A tab that a person at the page has taken over: what agents send there is refused meanwhile. It is a file
/// in the instance's runtime directory, "3.hold" for tab @3, so that all processes know; it ends by itself at
/// its time.
struct Hold {
  std::string name;           ///< of the person
  std::string session;        ///< names their page
  std::int64_t until_ms = 0;  ///< on the monotonic clock (steady_ms)

  [[nodiscard]] Milliseconds left() const;
};

/// None: nobody has taken it, or the time is over.
[[nodiscard]] std::optional<Hold> hold_of(const std::filesystem::path& runtime, WindowId tab);
/// Throws Error(io).
void set_hold(const std::filesystem::path& runtime, WindowId tab, const Hold& hold);
void end_hold(const std::filesystem::path& runtime, WindowId tab) noexcept;

/// Throws Error(busy) that says by whom the tab was taken over and for how long; not for people's commands.
void refuse_if_held(const Tab& tab);

}  // namespace terminally
