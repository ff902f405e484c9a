// What is known of each tool by its row alone.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tools/all_tools.hpp"

using namespace terminally;

namespace {

using Names = std::vector<std::string>;

/// Of all tools, those that have it, in the order of their names.
template <class Has>
Names those(Has has) {
  Names names;
  for (const Tool& tool : all_tools()) {
    if (has(tool.traits)) {
      names.emplace_back(tool.name);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("P11: what ends things is taken beyond the limit of calls") {
  CHECK(those([](const Traits& t) { return t.ends_things; }) ==
        Names{"cancel_command", "close_tab", "stop_process"});
}

TEST_CASE("tools: which take a host, begin a command, have a time, give variables") {
  CHECK(those([](const Traits& t) { return t.takes_host; }) ==
        Names{"create_tab", "execute_command", "list_files", "read_file", "start_process", "write_file"});
  CHECK(those([](const Traits& t) { return t.begins == Begins::command; }) == Names{"execute_command"});
  CHECK(those([](const Traits& t) { return t.begins == Begins::process; }) == Names{"start_process"});
  CHECK(those([](const Traits& t) { return t.has_timeout; }) ==
        Names{"execute_command", "start_process", "wait_for"});
  CHECK(those([](const Traits& t) { return t.gives_env; }) == Names{"create_tab"});
  CHECK(those([](const Traits& t) { return t.exact_content; }) == Names{"read_file"});
  CHECK(those([](const Traits& t) { return t.lists_tabs; }) == Names{"list_tabs"});
  CHECK(those([](const Traits& t) { return t.describes_hosts; }) == Names{"list_hosts"});
}
