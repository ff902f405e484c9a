#pragma once

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "hosts/hosts_file.hpp"

namespace terminally {

/// Copies files (the program first) into a directory of the user there, named after `version` and the
/// program's hash. A shell there runs a script that writes a temporary file, checks its hash and renames it.
/// No byte is sent before the script has answered. The program is renamed only after it ran there. Returns
/// the program's path. Throws Error.
[[nodiscard]] boost::asio::awaitable<std::string> push_program(HostEntry host,
                                                               std::vector<std::filesystem::path> files,
                                                               std::string version);

/// The script that reads one file of that hash and size, and with `runs` tries it by --version. `directory`
/// is below the home directory there.
[[nodiscard]] std::string push_script(const std::string& directory, const std::string& name,
                                      const std::string& hash, std::size_t size, bool runs);

}  // namespace terminally
