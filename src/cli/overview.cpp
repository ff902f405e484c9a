// What a person sees who types the program's name alone: what runs, and what to type.

#include "cli/subcommands.hpp"
#include "system/this_build.hpp"
#include "terminal/guest.hpp"
#include "terminal/instance_use.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

std::string tabs_in_words(const Config& config, const Instance& instance) {
  if (!instance.server_lives()) {
    return "no tabs";
  }
  const std::vector<TabInfo> tabs = tabs_of(guest_of(config, instance.name()));
  const auto busy = std::ranges::count_if(tabs, &TabInfo::busy);
  return std::to_string(tabs.size()) + (tabs.size() == 1 ? " tab, " : " tabs, ") + std::to_string(busy) +
         " busy";
}

}  // namespace

int show_overview(const Config& config) {
  print("terminally-mcp " + text_of(this_build()) + ": a terminal for AI agents and their people\n\n");
  const std::vector<std::string> used = used_instances(config);
  print(used.empty()
            ? "Nothing runs: your MCP client starts it once it is set up, and so does terminally-mcp "
              "new.\n"
            : "What runs:\n");
  for (const std::string& name : used) {
    const Instance instance(config, name);
    print("  " + in_words(instance) + ", " + tabs_in_words(config, instance) + "\n");
  }
  print(
      "\nWhat to type:\n"
      "  terminally-mcp setup         have your MCP client start it: claude, cursor, vscode, codex, ...\n"
      "  terminally-mcp new           a tab of your own, which agents share\n"
      "  terminally-mcp ls            the tabs\n"
      "  terminally-mcp open          all of them in your browser, live\n"
      "  terminally-mcp attach        sit down at them; C-b d leaves\n"
      "  terminally-mcp tail @0 -f    what a tab prints, as it comes\n"
      "  terminally-mcp exec -- make  run a command in a tab, beside the agent\n"
      "  terminally-mcp doctor        what is wrong with this machine, and how to mend it\n"
      "  terminally-mcp help          all there is\n");
  return 0;
}

}  // namespace terminally
