// Plans how to take away what setup wrote for a client.
#include "setup/undo.hpp"

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "setup/client_entry.hpp"

namespace terminally {

void plan_undoing(const McpClient& client, const ClientPlaces& places, const std::string& program,
                  std::vector<FileChange>& done, std::vector<std::string>& problems) {
  const auto plan = [&](const std::filesystem::path& path,
                        const std::function<ConfigText(const ConfigText&)>& edit) {
    if (path.empty()) {
      return;
    }
    try {
      FileChange change = planned(path, places.project, edit);
      const bool is_known = std::ranges::find(done, change.target, &FileChange::target) != done.end();
      if (!change.is_none() && !is_known) {  // clients share AGENTS.md
        done.push_back(std::move(change));
      }
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  };
  if (!places.project.empty() && client.project.empty()) {
    return;
  }
  const std::size_t problems_before = problems.size();
  plan(configuration_of(client, places),
       [&](const ConfigText& text) { return without_entry(client, text, program); });
  plan(advice_of(client, places), without_advice);
  if (problems.size() == problems_before) {  // else it may be what allows somebody else's tools
    plan(allowance_of(client, places),
         [&](const ConfigText& text) { return without_allowance(client, text); });
  }
}

}  // namespace terminally
