#pragma once

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "hosts/hosts_file.hpp"

namespace terminally {

/// Copies files (the program first) into a directory named after `version` and the program's hash, in the
/// directory `to`; empty: in one of the user's, below the home directory there. A shell there runs a script
/// that writes a temporary file, checks its hash and renames it. No byte is sent before the script has
/// answered. The program is renamed only after it ran there. Returns the program's path. Throws Error.
[[nodiscard]] boost::asio::awaitable<std::string> push_program(HostEntry host,
                                                               std::vector<std::filesystem::path> files,
                                                               std::string version, std::string to);

/// Throws Error(invalid_argument) where `to` is no path that the script can name.
void check_push_directory(const std::string& to);

/// The script that reads one file of that hash and size, and with `runs` tries it by --version. A relative
/// `directory` is below the home directory there.
[[nodiscard]] std::string push_script(const std::string& directory, const std::string& name,
                                      const std::string& hash, std::size_t size, bool runs);

}  // namespace terminally
