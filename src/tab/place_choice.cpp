#include "tab/place_choice.hpp"

#include <algorithm>

namespace terminally {

MainChoice choose_main(MainSeen seen, bool settled) {
  if (seen.reserved) {
    return MainChoice::main;
  }
  if (seen.elsewhere) {
    return MainChoice::main_in_turn;
  }
  return seen.called || !seen.may_come_back || settled ? MainChoice::helper : MainChoice::wait;
}

HelperChoice choose_helper(const std::vector<IdleHelper>& idle, std::size_t helpers,
                           const std::string& directory) {
  const auto index = [&idle](auto found) { return static_cast<std::size_t>(found - idle.begin()); };
  const auto there = std::ranges::find(idle, directory, &IdleHelper::directory);
  if (there != idle.end()) {
    return {HelperChoice::Kind::there, index(there)};
  }
  if (helpers < kMostHelpers) {
    return {HelperChoice::Kind::new_tab, 0};
  }
  if (!idle.empty()) {
    return {HelperChoice::Kind::go_there, index(std::ranges::min_element(idle, {}, &IdleHelper::last_end))};
  }
  return {};
}

bool is_helper_name(const std::string& name, const std::string& main) {
  const std::string before = main + "-";
  return name.starts_with(before) && name.size() > before.size() &&
         name.find_first_not_of("0123456789", before.size()) == std::string::npos;
}

std::string next_helper_name(const std::string& main, const std::vector<std::string>& names) {
  for (std::size_t number = 2;; ++number) {
    std::string name = main + "-" + std::to_string(number);
    if (std::ranges::find(names, name) == names.end()) {
      return name;
    }
  }
}

}  // namespace terminally
