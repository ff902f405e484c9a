#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "config.hpp"
#include "toolkit/redaction.hpp"

namespace terminally {

class FileAccess;

/// The command that a call of a gateway has begun.
struct FoundCommand {
  WindowId window;
  std::string id;
};

/// What a peer may ask besides whose client is another terminally-mcp, the gateway of its hosts.
struct GatewaySide {
  /// By the key of its call, from the records on disk.
  std::function<std::optional<FoundCommand>(const std::string& key)> find_command;
  /// It has said that it does not come back. May be empty.
  std::function<void()> on_goodbye;
};

/// What one peer sees and may do: its client's, where everything else is the same for all peers.
struct PeerSettings {
  std::string identity;                  ///< any text; peers of the same identity list the same tasks
  View view = View::raw;                 ///< for calls that ask for no view
  std::shared_ptr<FileAccess> files;     ///< within its roots; null in tests alone
  std::shared_ptr<Redaction> redaction;  ///< null in tests alone: results are as they are
  std::optional<GatewaySide> gateway;
};

using PeerSettingsPtr = std::shared_ptr<const PeerSettings>;

}  // namespace terminally
