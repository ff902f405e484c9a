#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/awaitable.hpp"
#include "base/descriptors.hpp"
#include "http/site.hpp"

namespace terminally {

// How `terminally-mcp open` has a link from the process that serves: over a Unix socket that only this user
// reaches. The question is one line, "view" or "exec"; the answer is Links, a line each.

struct Link {
  std::string url;    ///< with the one-time code as its fragment
  std::string build;  ///< of the process that serves
  int pid = 0;
};

/// Answers all who ask, until it is cancelled.
[[nodiscard]] Awaitable<void> answer_for_links(UniqueFd listener, std::function<Link(Role)> make);

/// Asks, and blocks for 5 s at most. Nothing: nobody serves there. Throws Error(io) where somebody does and
/// gives no answer.
[[nodiscard]] std::optional<Link> ask_for_link(const std::filesystem::path& socket, Role role);

}  // namespace terminally
