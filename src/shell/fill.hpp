#pragma once

#include <map>
#include <string>
#include <string_view>

namespace terminally {

/// What each `__NAME__` of a script stands for, by its NAME: capitals, digits and underscores.
using ScriptValues = std::map<std::string, std::string, std::less<>>;

/// The script with its values in it; these are not looked through. Throws std::logic_error for a name that
/// has no value.
[[nodiscard]] std::string fill(std::string_view script, const ScriptValues& values);

/// The same without the newline at its end: for a script of one line, which is typed, or becomes a word.
[[nodiscard]] std::string fill_line(std::string_view script, const ScriptValues& values);

}  // namespace terminally
