#pragma once

#include <map>
#include <string>
#include <string_view>

namespace terminally {

/// The values for each `__NAME__` of a script, by NAME: capitals, digits and underscores.
using ScriptValues = std::map<std::string, std::string, std::less<>>;

/// The script with the values filled in; the values themselves are not searched for names. Throws
/// std::logic_error for a name that has no value.
[[nodiscard]] std::string fill(std::string_view script, const ScriptValues& values);

/// As `fill`, without the newline at the end: for a script of one line, which is typed, or becomes a word.
[[nodiscard]] std::string fill_line(std::string_view script, const ScriptValues& values);

}  // namespace terminally
