// The characters of an instance's name.
#include "instance/instance_name.hpp"

#include <algorithm>

namespace terminally {

bool is_instance_name(std::string_view name) {
  return !name.empty() && name.size() <= 32 && name.front() != '.' && name.front() != '-' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                  c == '_' || c == '-';
         });
}

}  // namespace terminally
