// Keeps the character sets that a terminal has chosen, and shows letters of the line drawing set as lines.
#include "text/character_sets.hpp"

#include <algorithm>

namespace terminally {
namespace {

/// What '`' to '~' stand for.
constexpr std::array<std::string_view, 31> kGraphics = {"◆", "▒", "␉", "␌", "␍", "␊", "°", "±", "␤", "␋", "┘",
                                                        "┐", "┌", "└", "┼", "⎺", "⎻", "─", "⎼", "⎽", "├", "┤",
                                                        "┴", "┬", "│", "≤", "≥", "π", "≠", "£", "·"};

/// Empty: the character stands for itself.
std::string_view graphic(char c) {
  switch (c) {
    case '+':
      return "→";
    case ',':
      return "←";
    case '-':
      return "↑";
    case '.':
      return "↓";
    case '0':
      return "▮";
    default:
      return c >= '`' && c <= '~' ? kGraphics.at(static_cast<std::size_t>(c - '`')) : std::string_view();
  }
}

}  // namespace

void CharacterSets::escape(char intermediate, char final) {
  if (intermediate == '(' || intermediate == ')') {
    if (final == '0' || final == 'B') {
      now_.graphics.at(intermediate == '(' ? 0 : 1) = final == '0';
    }
  } else if (intermediate == 0 && final == '7') {
    saved_ = now_;
  } else if (intermediate == 0 && final == '8') {
    now_ = saved_;
  } else if (intermediate == 0 && final == 'c') {
    *this = CharacterSets();
  }
}

void CharacterSets::csi(std::string_view parameters, char final) {
  const bool plain = parameters.empty() || (parameters[0] >= '0' && parameters[0] <= ';');
  if (plain && final == 's') {
    saved_ = now_;
  } else if (plain && final == 'u') {
    now_ = saved_;
  }
}

void CharacterSets::append(std::string_view text, std::string& out) const {
  if (are_plain()) {
    out += text;
    return;
  }
  for (const char c : text) {
    const std::string_view shown = graphic(c);
    shown.empty() ? out.push_back(c) : static_cast<void>(out.append(shown));
  }
}

}  // namespace terminally
