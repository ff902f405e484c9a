#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): of CLI11
class App;
}

namespace terminally {

/// The subcommands of `command` that its help and its manual page tell of.
[[nodiscard]] std::vector<const CLI::App*> shown_subcommands(const CLI::App& command);

/// The manual page of this command, for man(1). `called` is how it is called: "terminally-mcp exec" has the
/// page terminally-mcp-exec(1). What is below a subcommand is told in its page.
[[nodiscard]] std::string manual_page(const CLI::App& command, const std::string& called);

}  // namespace terminally
