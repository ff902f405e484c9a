#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// A place for tabs that a person has allowed, as hosts.json has it: exactly one of `ssh` and `command`.
struct HostEntry {
  std::string name;
  std::string ssh;                    ///< a destination as ssh takes it: "build1", "me@10.0.0.7"
  std::string ssh_config;             ///< for its -F; empty: the user's own configuration
  std::vector<std::string> command;   ///< gives a pipe to a program that is put behind it: docker exec -i web
  std::vector<std::string> terminal;  ///< the same with a terminal, for attach: docker exec -it web
  std::string program = "terminally-mcp";  ///< what it is called there
  std::string instance;                    ///< there; empty: one of this gateway's own
  std::vector<std::string> file_roots;  ///< there: where file tools may work; none: as --file-root says there
  bool operator==(const HostEntry&) const = default;
};

/// Reads it strictly: what is unknown, doubled, empty or could be taken for a flag is refused, by its name.
/// Throws Error(invalid_argument). `path` is for the message.
[[nodiscard]] std::vector<HostEntry> parse_hosts(std::string_view text, const std::string& path);

/// One host by itself, as parse_hosts checks it: for `hosts add`.
void check_host(const HostEntry& host);

/// As parse_hosts takes it.
[[nodiscard]] std::string write_hosts(const std::vector<HostEntry>& hosts);

/// Of `path`; none where there is no such file. What is in it is run: it must be the user's own, and nobody
/// else's to write. Throws Error(io) where it is not, and as parse_hosts.
[[nodiscard]] std::vector<HostEntry> read_hosts(const std::filesystem::path& path);

}  // namespace terminally
