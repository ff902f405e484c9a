#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace terminally {

/// ESC: begins every sequence.
inline constexpr char kEscape = '\x1b';

/// One CSI sequence taken apart (ECMA-48 5.4). Numbers above 9999 are 9999; more than 8 parameters are
/// dropped.
struct Csi {
  char leader = 0;       ///< one of < = > ?, or 0
  bool standard = true;  ///< no intermediates, no sub-parameters
  std::array<int, 8> numbers{};
  std::size_t count = 0;  ///< how many numbers were given
  char final = 0;

  /// The first number, as cursor movements read it: a number that is missing or 0 counts as 1.
  [[nodiscard]] int distance() const { return numbers[0] > 0 ? numbers[0] : 1; }
};

[[nodiscard]] Csi parse_csi(std::string_view parameters, char final);

/// What a control does to what can be seen.
enum class Effect {
  none,    ///< nothing (colours, titles, queries), or nothing that text shows
  line,    ///< moves or erases in the cursor's line only, where nothing stands below it, as at a log's end
  screen,  ///< moves or erases elsewhere, or sets how later controls do
};

[[nodiscard]] Effect effect_of(const Csi& csi);
[[nodiscard]] Effect effect_of_escape(char intermediate, char final);

/// Whether the sequence enters (true) or leaves (false) the alternate screen.
[[nodiscard]] std::optional<bool> switches_screen(const Csi& csi);

}  // namespace terminally
