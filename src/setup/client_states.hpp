#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "setup/client_entry.hpp"
#include "setup/clients.hpp"

namespace terminally {

/// What the configuration of a client says of this program.
struct ClientState {
  enum class Kind {
    absent,      ///< there is no sign of the client
    not_set_up,  ///< it has no entry of ours
    unreadable,  ///< `problem` says why
    missing,     ///< the program in the entry is not there
    foreign,     ///< the entry of our name is somebody else's: `problem` says why
    other,       ///< the program in the entry is another build of this one
    unserved,    ///< nobody serves at the address in the entry
    stranger,    ///< something else answers there
    refused,     ///< its token is not good there
    disabled,    ///< a person has switched the entry off
    fine,
  };
  Kind kind = Kind::absent;
  const McpClient* client = nullptr;
  std::filesystem::path file;
  std::string program;  ///< as the entry names it
  std::string url;      ///< in place of a program
  std::string problem;
};

/// `self` is this program. An address in an entry is asked.
[[nodiscard]] ClientState state_of(const McpClient& client, const ClientPlaces& places,
                                   const std::filesystem::path& self);

/// In words: "starts this program".
[[nodiscard]] std::string in_words(const ClientState& state);

}  // namespace terminally
