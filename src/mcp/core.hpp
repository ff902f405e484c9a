#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "mcp/revisions.hpp"

namespace terminally {

class Exchange;
class Peer;
class ResourceFeeds;
class Router;
class Tasks;

/// Who this server says it is.
struct Implementation {
  std::string name;
  std::string version;
};

/// One method of the protocol: what it is called, who may call it, and its answer. Throws `ProtocolError` for
/// a request that is wrong. What a tool could not do is a result that says so.
struct Method {
  std::string_view name;
  bool in_legacy = false;
  bool in_modern = false;
  bool lasts = false;                      ///< it is not answered before its client or the connection ends
  Revision since = Revision::v2024_11_05;  ///< the first legacy revision that has it
  boost::asio::awaitable<nlohmann::ordered_json> (*answer)(Peer&, std::shared_ptr<Exchange>) = nullptr;
};

/// What lives as long as the process, and is the same for all peers: the tools and the tabs behind them, the
/// methods, the tasks, what is watched. A task outlives the peer that began it.
struct Core {
  boost::asio::any_io_executor executor;
  std::shared_ptr<const Router> router;
  Implementation info;
  std::shared_ptr<Tasks> tasks;
  std::shared_ptr<ResourceFeeds> feeds;
  /// Throws `ProtocolError` (method not found) for what the revision does not have.
  const Method& (*find_method)(std::string_view name, Revision revision) = nullptr;
};

}  // namespace terminally
