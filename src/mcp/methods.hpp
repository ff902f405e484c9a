#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "mcp/revisions.hpp"
#include "tools/tool.hpp"

namespace terminally {

class ProgressSink;
class Router;
class Subscriptions;
class Tasks;

/// Who this server says it is.
struct Implementation {
  std::string name;
  std::string version;
};

/// What methods work on; lives as long as the session.
struct Server {
  std::shared_ptr<const Router> router;
  Implementation info;
  std::shared_ptr<Subscriptions> subscriptions;
  std::shared_ptr<Tasks> tasks;
  std::string client;                   ///< as the last initialize said, see client_name
  Revision negotiated = kNewestLegacy;  ///< by the last initialize; until one comes, the newest
};

/// One admitted request.
struct Call {
  std::string id;  ///< as JSON text
  Revision revision = kNewestLegacy;
  std::shared_ptr<const nlohmann::json> params;  ///< an object
  std::shared_ptr<ProgressSink> progress;        ///< null when the client asked for none
  std::string client;                            ///< whose it is, for the record of commands; may be empty
  /// Says what is to be taken back when the client has cancelled the request and hears no answer.
  std::function<void(std::function<void()> undo)> undo_if_cancelled;
};

/// One method of the protocol: what it is called, who may call it, and its answer. Throws `ProtocolError` for
/// a request that is wrong. What a tool could not do is a result that says so.
struct Method {
  std::string_view name;
  bool in_legacy = false;
  bool in_modern = false;
  bool lasts = false;                      ///< it is not answered before its client or the connection ends
  Revision since = Revision::v2024_11_05;  ///< the first legacy revision that has it
  boost::asio::awaitable<nlohmann::ordered_json> (*answer)(Server&, Call) = nullptr;
};

/// Throws `ProtocolError` (method not found) for what the revision does not have.
[[nodiscard]] const Method& find_method(std::string_view name, Revision revision);

}  // namespace terminally
