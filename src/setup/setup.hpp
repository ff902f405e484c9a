#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "setup/clients.hpp"
#include "setup/http_setup.hpp"

namespace terminally {

/// What a person wants of setup.
struct SetupWish {
  ClientPlaces places;
  bool yes = false;               ///< ask nothing; yes to the entry alone
  bool advise = false;            ///< yes to the lines that make agents use the tools
  bool allow = false;             ///< yes to tools that are called without asking
  std::optional<HttpSetup> http;  ///< none: the client starts this program
};

/// How setup speaks with the person.
struct SetupTalk {
  std::function<void(const std::string&)> say;
  std::function<void(const std::string&)> complain;
  std::function<bool(const std::string&)> ask;  ///< none: there is nobody to ask
};

/// This program, for a configuration. Throws Error(invalid_argument) where its path is not UTF-8.
[[nodiscard]] std::string program_to_set_up();

/// What `set_up` would write where nothing is there yet, for people who add it by hand. A token that it needs
/// is made. Throws Error.
[[nodiscard]] std::string printed_setup(const McpClient& client, const SetupWish& wish);

/// Writes or mends the entry of the client, offers the rest, and tries the server as the client will start
/// it; one that the client is to reach is tried first, and where that fails nothing is written. Shows each
/// change and asks first; copies go below `copies`. Returns the exit code. Throws Error.
[[nodiscard]] int set_up(const McpClient& client, const SetupWish& wish, const SetupTalk& talk,
                         const std::filesystem::path& copies);

/// Takes away what setup wrote for these clients.
[[nodiscard]] int take_away(const std::vector<const McpClient*>& clients, const SetupWish& wish,
                            const SetupTalk& talk, const std::filesystem::path& copies);

}  // namespace terminally
