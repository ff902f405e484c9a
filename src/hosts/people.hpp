#pragma once

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/timeout.hpp"
#include "hosts/hosts_file.hpp"

namespace terminally {

// The commands that people run by hand, on a tab of a host: the program there runs them.

/// A command line whose tab is one of a host's, as it is meant there.
struct FarWords {
  HostEntry host;
  std::vector<std::string> words;  ///< from the subcommand on
  bool draws = false;              ///< it needs a terminal
};

/// `words`: of the command line, the program's name left out. nullopt where the tab is one of this side's.
/// "build1:" alone is that host, and no tab of it.
/// What stands before the subcommand (flags of this side) does not go along. Pure.
[[nodiscard]] std::optional<FarWords> far_words(const std::vector<std::string>& words,
                                                const std::vector<HostEntry>& hosts);

/// Becomes the way there: with a terminal where ours are one, so that C-c and keys arrive; else without
/// input. `instance`: the far one. Throws Error where it cannot be started.
[[noreturn]] void run_there(const FarWords& far, const std::string& instance);

/// Where to ask for tabs: a host, and the instance there.
struct FarPlace {
  HostEntry host;
  std::string instance;
};

struct FarListing {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();  ///< as `ls --json`, ids with the host
  std::vector<std::string> problems;                              ///< of hosts that did not tell
};

/// What `ls` says there, of all of them side by side. A host where no such instance runs has no tabs.
[[nodiscard]] boost::asio::awaitable<FarListing> list_there(std::vector<FarPlace> places,
                                                            Milliseconds within);

}  // namespace terminally
