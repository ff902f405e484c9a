#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "calls/peer_register.hpp"
#include "mcp/revisions.hpp"

namespace terminally {

class Exchange;
class Peer;
class ResourceFeeds;
class Router;
class Tasks;

/// The server's name and version, as clients get them.
struct Implementation {
  std::string name;
  std::string version;
};

/// One method of the protocol: its name, the revisions that have it, and its function. `answer` throws
/// `ProtocolError` for a wrong request. A tool's failure is not thrown but a result that says so.
struct Method {
  std::string_view name;
  bool in_legacy = false;
  bool in_modern = false;
  bool lasts = false;                      ///< answered only when the client or the connection ends it
  Revision since = Revision::v2024_11_05;  ///< the first legacy revision that has it
  boost::asio::awaitable<nlohmann::ordered_json> (*answer)(Peer&, std::shared_ptr<Exchange>) = nullptr;
};

/// The objects that live as long as the process and are shared by all peers: the tools with the tabs behind
/// them, the methods, the tasks, the watched resources. A task outlives the peer that began it.
struct Core {
  boost::asio::any_io_executor executor;
  std::shared_ptr<const Router> router;
  Implementation info;
  std::shared_ptr<Tasks> tasks;
  std::shared_ptr<ResourceFeeds> feeds;
  /// Throws `ProtocolError` (method not found) for a method that the revision does not have.
  const Method& (*find_method)(std::string_view name, Revision revision) = nullptr;
  std::shared_ptr<PeerRegister> peers = std::make_shared<PeerRegister>();
};

}  // namespace terminally
