#include "cli/whole_number.hpp"

#include <charconv>
#include <string>

namespace terminally {

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto complaint_about = [least, most](const std::string& text) {
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const bool fits = error == std::errc() && rest == end && number >= least && number <= most;
    return fits ? std::string()
                : "\"" + text + "\" is no whole number from " + std::to_string(least) + " to " +
                      std::to_string(most);
  };
  return {complaint_about, ""};
}

}  // namespace terminally
