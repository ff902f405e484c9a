// Makes CLI11 validators that accept plain digits and known units, and nothing else.
#include "cli/whole_number.hpp"

#include <charconv>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string>

namespace terminally {
namespace {

/// nullopt where `text` is no number from `least` to `most`.
template <class Number>
std::optional<Number> number_in(const std::string& text, Number least, Number most) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool fits = error == std::errc() && rest == end && number >= least && number <= most;
  return fits ? std::optional(number) : std::nullopt;
}

std::string as_text(double number) {
  std::ostringstream text;
  text << std::defaultfloat << std::setprecision(15) << number;
  return text.str();
}

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto complaint_about = [least, most](const std::string& text) {
    return number_in(text, least, most) ? std::string()
                                        : "\"" + text + "\" is no whole number from " +
                                              std::to_string(least) + " to " + std::to_string(most);
  };
  return {complaint_about, ""};
}

CLI::Validator number(double least, double most) {
  const auto complaint_about = [least, most](const std::string& text) {
    return number_in(text, least, most)
               ? std::string()
               : "\"" + text + "\" is no number from " + as_text(least) + " to " + as_text(most);
  };
  return {complaint_about, ""};
}

CLI::Validator number_of_bytes(std::uint64_t least, std::uint64_t most) {
  const auto take = [least, most](std::string& text) {
    std::string bytes = text;
    std::string wrong;
    try {
      wrong = CLI::AsSizeValue(false)(bytes);
    } catch (const CLI::Error& error) {  // an unknown unit
      wrong = error.what();
    }
    if (!wrong.empty() || !number_in(bytes, least, most)) {
      return "\"" + text + "\" is no number of bytes from " + std::to_string(least) + " to " +
             std::to_string(most) + ", as in 65536, 64MiB or 2GiB";
    }
    text = bytes;
    return std::string();
  };
  return {take, ""};
}

}  // namespace terminally
