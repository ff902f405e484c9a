// Takes CSI sequences apart, and says what each does to the screen.
#include "text/csi.hpp"

#include <algorithm>

#include "base/characters.hpp"

namespace terminally {
namespace {

/// Modes that decide where text stands: origin, autowrap, alternate screens, saved cursor; without `?`:
/// insert.
bool is_drawing_mode(const Csi& csi) {
  constexpr std::array kPrivateModes = {6, 7, 47, 1047, 1048, 1049};
  constexpr int kInsert = 4;
  return std::any_of(csi.numbers.begin(), csi.numbers.begin() + csi.count, [&](int mode) {
    return csi.leader == '?'
               ? std::find(kPrivateModes.begin(), kPrivateModes.end(), mode) != kPrivateModes.end()
               : mode == kInsert;
  });
}

}  // namespace

Csi parse_csi(std::string_view parameters, char final) {
  Csi csi;
  csi.final = final;
  if (!parameters.empty() && parameters[0] >= '<') {
    csi.leader = parameters[0];
    parameters.remove_prefix(1);
  }
  csi.count = parameters.empty() ? 0 : 1;
  for (const char c : parameters) {
    if (c == ';') {
      if (csi.count == csi.numbers.size()) {
        break;
      }
      ++csi.count;
    } else if (c >= '0' && c <= '9') {
      int& number = csi.numbers[csi.count - 1];
      number = std::min(number * 10 + (c - '0'), 9999);
    } else {
      csi.standard = false;
    }
  }
  return csi;
}

Effect effect_of(const Csi& csi) {
  const bool erases = csi.final == 'J' || csi.final == 'K';
  if (!csi.standard) {
    return Effect::none;
  }
  if (csi.final == 'h' || csi.final == 'l') {
    return (csi.leader == '?' || csi.leader == 0) && is_drawing_mode(csi) ? Effect::screen : Effect::none;
  }
  if (csi.leader != 0 && (csi.leader != '?' || !erases)) {
    return Effect::none;
  }
  if (is_one_of(csi.final, "KCDG") || (csi.final == 'J' && csi.numbers[0] == 0)) {
    return Effect::line;
  }
  return is_one_of(csi.final, "ABEFHIJLMPSTXZ@`adefrsu") ? Effect::screen : Effect::none;
}

Effect effect_of_escape(char intermediate, char final) {
  return intermediate == 0 && is_one_of(final, "78DEMc") ? Effect::screen : Effect::none;
}

std::optional<bool> switches_screen(const Csi& csi) {
  if (csi.leader != '?' || !csi.standard || (csi.final != 'h' && csi.final != 'l')) {
    return std::nullopt;
  }
  const auto* const end = csi.numbers.begin() + csi.count;
  const bool found = std::any_of(csi.numbers.begin(), end,
                                 [](int mode) { return mode == 47 || mode == 1047 || mode == 1049; });
  return found ? std::optional(csi.final == 'h') : std::nullopt;
}

}  // namespace terminally
