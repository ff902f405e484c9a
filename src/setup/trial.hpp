#pragma once

#include <filesystem>
#include <string>

#include "setup/client_entry.hpp"

namespace terminally {

/// Starts the server of an entry as a client does, with the few variables that clients pass on, and runs a
/// command in a tab of it. The trial has an instance of its own, whatever the entry names. One that is
/// reached by an address is called there: that is the instance of the client, so its tabs are only listed.
/// Returns what it has, for a person. Throws Error that says what failed.
[[nodiscard]] std::string try_server(const StartedServer& server, const std::filesystem::path& directory);

}  // namespace terminally
