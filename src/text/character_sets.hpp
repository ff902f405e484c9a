#pragma once

#include <array>
#include <string>
#include <string_view>

namespace terminally {

/// The character sets of a terminal, as tmux has them: G0 and G1 each hold ASCII or the DEC special graphics,
/// in which letters stand for parts of boxes; SO and SI choose between G0 and G1. Other sets change nothing.
class CharacterSets {
 public:
  /// SO and SI; other controls do nothing.
  void control(char c) { choose(c); }
  /// Designations of G0 and G1, ESC 7, ESC 8 and ESC c; other sequences do nothing.
  void escape(char intermediate, char final);
  /// CSI s and CSI u; other sequences do nothing.
  void csi(std::string_view parameters, char final);

  /// Appends text as the chosen set shows it. Each character stays one character, of one column.
  void append(std::string_view text, std::string& out) const;
  [[nodiscard]] bool are_plain() const { return !now_.graphics[now_.chosen]; }

 private:
  struct Sets {
    std::array<bool, 2> graphics{};  ///< G0, G1
    std::size_t chosen = 0;
  };

  void choose(char c) {
    constexpr char kShiftOut = '\x0e';
    constexpr char kShiftIn = '\x0f';
    now_.chosen = c == kShiftOut ? 1 : c == kShiftIn ? 0 : now_.chosen;
  }

  Sets now_;
  Sets saved_;
};

}  // namespace terminally
