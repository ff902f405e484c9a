// Puts a value in the place of each `__NAME__` of a script.
#include "shell/fill.hpp"

#include <algorithm>
#include <stdexcept>

namespace terminally {
namespace {

constexpr std::string_view kMark = "__";

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::string fill(std::string_view script, const ScriptValues& values) {
  std::string filled;
  std::size_t done = 0;
  for (std::size_t at = script.find(kMark); at != std::string_view::npos; at = script.find(kMark, at)) {
    const std::size_t begin = at + kMark.size();
    const std::size_t end = script.find(kMark, begin);
    const std::string_view name = end == std::string_view::npos ? "" : script.substr(begin, end - begin);
    if (!is_name(name)) {
      at = begin;  // a name of the shell's own, such as __mcp_seen
      continue;
    }
    const auto value = values.find(name);
    if (value == values.end()) {
      throw std::logic_error("a script has __" + std::string(name) + "__, which has no value");
    }
    filled += script.substr(done, at - done);
    filled += value->second;
    done = at = end + kMark.size();
  }
  return filled += script.substr(done);
}

std::string fill_line(std::string_view script, const ScriptValues& values) {
  if (script.ends_with('\n')) {
    script.remove_suffix(1);
  }
  return fill(script, values);
}

}  // namespace terminally
