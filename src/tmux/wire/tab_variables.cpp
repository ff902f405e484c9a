#include "tmux/wire/tab_variables.hpp"

#include <algorithm>

#include "system/proc.hpp"

namespace terminally {
namespace {

/// Adds those of `names` that an environment has: by their own name, or as they are on their way to
/// terminally-shell.
void add_named(const std::vector<std::string>& environment, const std::vector<std::string>& names,
               std::vector<Variable>& found) {
  for (std::string_view entry : environment) {
    entry.remove_prefix(entry.starts_with(kCarrier) ? kCarrier.size() : 0);
    const std::size_t equals = std::min(entry.find('='), entry.size());
    const std::string_view name = entry.substr(0, equals);
    if (equals + 1 < entry.size() && std::ranges::find(names, name) != names.end()) {
      found.emplace_back(name, entry.substr(equals + 1));
    }
  }
}

}  // namespace

std::vector<Variable> TabVariables::news(int server_pid, const std::vector<std::string>& names) {
  std::vector<int> children = child_processes(server_pid);
  std::ranges::sort(children);
  std::vector<Variable> found;
  if (children == looked_at_) {
    return found;
  }
  std::vector<int> begun;
  for (const int child : children) {
    const auto process = process_info(child);
    if (!process || process->name.starts_with("tmux")) {
      continue;  // forked, and not yet what it will be: looked at the next time
    }
    if (!std::ranges::binary_search(looked_at_, child)) {
      const std::vector<std::string> environment = process_environment(child);
      if (environment.empty()) {
        continue;  // within its exec it has its name, and no environment yet
      }
      add_named(environment, names, found);
    }
    begun.push_back(child);
  }
  looked_at_ = std::move(begun);
  return found;
}

}  // namespace terminally
