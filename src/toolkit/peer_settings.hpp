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

/// The command that a gateway's call began.
struct FoundCommand {
  WindowId window;
  std::string id;
};

/// What serves a peer whose client is a gateway: another terminally-mcp, of which this side is a host.
struct GatewaySide {
  /// Finds a command by the key of its call, in the records on disk.
  std::function<std::optional<FoundCommand>(const std::string& key)> find_command;
  /// Another text where those records are others, or may have lost what was written last.
  std::function<std::string()> place;
  /// Called when the gateway says that it will not come back. May be empty.
  std::function<void()> on_goodbye;
};

/// The settings of one peer: what it sees and may do. All else is the same for all peers.
struct PeerSettings {
  std::string identity;   ///< any text; peers of the same identity list the same tasks
  View view = View::raw;  ///< for calls that ask for no view
  AnswerForm answers = AnswerForm::json;
  bool only_looks = false;               ///< is shown, and may call, tools that look at tabs
  std::shared_ptr<FileAccess> files;     ///< within the peer's roots; null in tests alone
  std::shared_ptr<Redaction> redaction;  ///< null in tests alone: nothing is masked
  std::optional<GatewaySide> gateway;
};

using PeerSettingsPtr = std::shared_ptr<const PeerSettings>;

}  // namespace terminally
