#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

/// An entry of hosts.json: a machine or container that a person has allowed. Has either `ssh` or `command`.
struct HostEntry {
  std::string name;
  std::string ssh;                    ///< a destination as ssh takes it: "build1", "me@10.0.0.7"
  std::string ssh_config;             ///< for its -F; empty: the user's own configuration
  std::vector<std::string> command;   ///< runs the program appended to it, over a pipe: docker exec -i web
  std::vector<std::string> terminal;  ///< the same with a terminal, for attach: docker exec -it web
  std::string program = "terminally-mcp";  ///< name or path of terminally-mcp on the host
  std::string instance;                    ///< on the host; empty: one for this gateway alone
  std::string state_dir;                   ///< for its logs there; empty: below the home directory there
  std::vector<std::string> file_roots;  ///< where file tools may work there; empty: that side's --file-root
  bool operator==(const HostEntry&) const = default;
};

/// Reads the text of a hosts.json strictly: an unknown, doubled or empty field, or one that could be taken
/// for a flag, is refused by its name. Throws Error(invalid_argument). `path` is for the message.
[[nodiscard]] std::vector<HostEntry> parse_hosts(std::string_view text, const std::string& path);

/// Checks one host as parse_hosts does, for `hosts add`.
void check_host(const HostEntry& host);

/// The text of a hosts.json with these hosts.
[[nodiscard]] std::string write_hosts(const std::vector<HostEntry>& hosts);

/// The hosts of the file at `path`; none where there is no such file. The file names commands that are run,
/// so it must belong to the user or root, and no other may write it: else throws Error(io). Else as
/// parse_hosts.
[[nodiscard]] std::vector<HostEntry> read_hosts(const std::filesystem::path& path);

/// Whether both lead to the same machine.
[[nodiscard]] bool is_same_way(const HostEntry& a, const HostEntry& b);

/// Gives the entry the program that was copied to it. That took time: throws Error(not_found) where somebody
/// has removed the entry meanwhile, or it leads elsewhere.
void set_program(std::vector<HostEntry>& hosts, const HostEntry& pushed);

}  // namespace terminally
