#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/timeout.hpp"
#include "hosts/hosts_file.hpp"

namespace terminally {

// Commands that people run by hand on a tab of a host; terminally-mcp on that host carries them out.

/// A command line for a tab of a host, with the tab as that host names it.
struct FarWords {
  HostEntry host;
  std::vector<std::string> words;  ///< from the subcommand on
  bool draws = false;              ///< the command needs a terminal
  bool reads = false;              ///< it is given standard input that is no terminal
};

/// `words` begins with the subcommand, and `tab` is the place of the tab in it. Returns nullopt where that
/// names no host of `hosts`. "build1:" alone means that host without a tab. Pure.
[[nodiscard]] std::optional<FarWords> far_words(std::vector<std::string> words, std::size_t tab,
                                                const std::vector<HostEntry>& hosts);

/// Replaces this process by the command that reaches the host: with a terminal where stdin and stdout are
/// one, so that C-c and keys arrive; else with standard input where the command `reads` it and it is no
/// terminal, else without input. `instance` is the far one. Throws Error where the
/// command cannot be started.
[[noreturn]] void run_there(const FarWords& far, const std::string& instance);

/// A host and the instance there whose tabs are asked for.
struct FarPlace {
  HostEntry host;
  std::string instance;
};

struct FarListing {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();  ///< as `ls --json`, ids with the host
  std::map<std::string, std::string> problems;                    ///< of hosts that could not be asked
};

/// Runs `ls` in all places side by side. A host where no such instance runs has no tabs.
[[nodiscard]] boost::asio::awaitable<FarListing> list_there(std::vector<FarPlace> places,
                                                            Milliseconds within);

}  // namespace terminally
