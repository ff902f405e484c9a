#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "secrets/text_guard.hpp"

namespace terminally {

struct ReadScreen {
  WindowId window_id;
  std::uint64_t scrollback_lines = 0;          ///< lines above the screen
  bool strip_ansi = true;                      ///< false: with the sequences for colours
  std::uint64_t most_bytes = 262'144;          ///< of text, as JSON: rows above what fits are left out
  std::uint64_t skip_rows = 0;                 ///< rows from below, blank ones too, that were shown before
  std::shared_ptr<TextGuard> guard = nullptr;  ///< masks secrets
};

struct TabScreen {
  std::string text;  ///< a line each row, blank rows at the end left out
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t cursor_row = 0;  ///< both from 0, at the top left of the screen, scrollback not counted
  std::uint64_t cursor_col = 0;
  bool alternate_screen = false;
  std::string title;               ///< as the program set it, at most 4 KiB
  std::uint64_t omitted_rows = 0;  ///< above `text`
  MaskCounts masked;
  std::vector<std::string> notes;
};

/// The commands of tmux that say what a pane shows. The rows above those that were asked for come as well:
/// they decide on what is secret in the first of them.
[[nodiscard]] std::string screen_query(std::string_view pane, const ReadScreen& request);

/// What their answer says: masked, and then cut to `most_bytes` from above, by whole rows. Pure but for
/// the guard's counts, and may be called from any thread; masking does 50 MB a second.
[[nodiscard]] TabScreen read_screen_answer(std::string_view answer, const ReadScreen& request);

}  // namespace terminally
