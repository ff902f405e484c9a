// Reads and writes the ids of tabs and panes, such as "@3" and "%3".
#include "base/ids.hpp"

#include <charconv>

namespace terminally {
namespace {

std::optional<std::uint32_t> parse_id(std::string_view text, char sigil) {
  if (text.size() < 2 || text.front() != sigil) {
    return std::nullopt;
  }
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + 1, end, number);
  if (error != std::errc() || rest != end) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::string to_string(WindowId id) {
  return "@" + std::to_string(id.number);
}
std::string to_string(PaneId id) {
  return "%" + std::to_string(id.number);
}

std::optional<WindowId> parse_window_id(std::string_view text) {
  const auto number = parse_id(text, '@');
  return number ? std::optional(WindowId{*number}) : std::nullopt;
}

std::optional<PaneId> parse_pane_id(std::string_view text) {
  const auto number = parse_id(text, '%');
  return number ? std::optional(PaneId{*number}) : std::nullopt;
}

std::string several_tabs_named(std::string_view name, WindowId one, WindowId other) {
  return "several tabs have the name \"" + std::string(name) + "\", " + to_string(one) + " and " +
         to_string(other) + " among them; give the id";
}

}  // namespace terminally
