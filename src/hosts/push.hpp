#pragma once

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "hosts/hosts_file.hpp"

namespace terminally {

/// Puts files (the program first) into a directory of the user there that is called after `version` and what
/// is in them, each by a temporary file, its hash and a rename. A shell there runs a script of ours for that,
/// and no byte of a file is sent before it has said so. The program gets its name once it was seen to run
/// there. Returns where it is. Throws Error.
[[nodiscard]] boost::asio::awaitable<std::string> push_program(HostEntry host,
                                                               std::vector<std::filesystem::path> files,
                                                               std::string version);

/// The script that takes one file of that hash and size, and tries whether it `runs`; the directory is below
/// the home directory there.
[[nodiscard]] std::string push_script(const std::string& directory, const std::string& name,
                                      const std::string& hash, std::size_t size, bool runs);

}  // namespace terminally
