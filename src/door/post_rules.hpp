#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "json/json_rpc.hpp"
#include "mcp/core.hpp"

namespace terminally {

// What decides by headers and messages how MCP over HTTP is answered: pure functions. Host, Origin and token
// were found right before (http/gate.hpp).

/// The headers that decide; each is empty where it is missing.
struct McpHead {
  std::string_view content_type;
  std::string_view accept;
  std::string_view version;  ///< MCP-Protocol-Version
  std::string_view method;   ///< Mcp-Method
  std::string_view name;     ///< Mcp-Name
  std::string_view session;  ///< Mcp-Session-Id
};

/// An answer in place of the one that was asked for. `id` is JSON text, empty where it is not known.
struct Refusal {
  unsigned status = 400;
  ProtocolError error;
  std::string id;
};

/// How a text is to be served that was not refused.
enum class PostKind {
  modern,         ///< 2026-07-28: a request by a peer of its own
  modern_notice,  ///< its notification, which says nothing to a peer of its own
  begins,         ///< a legacy initialize without a session, which gets one
  in_session,     ///< all else of a legacy session
};

/// Whether the caller has a session of that id.
using HasSession = std::function<bool(std::string_view id)>;
/// As Core has it.
using FindMethod = const Method& (*)(std::string_view name, Revision revision);

/// Refuses a body that is no JSON by its Content-Type.
[[nodiscard]] std::optional<Refusal> refuse_type(const McpHead& head);

/// Judges one text. The order of the checks is a contract: clients and the suite see which comes first.
/// Modern: the shape, the version's header and claim, the revision, Mcp-Method, Mcp-Name, the method. Legacy:
/// the shape, the session, the version, a second initialize.
[[nodiscard]] std::variant<Refusal, PostKind> judge_post(const McpHead& head, const RpcInput& input,
                                                         const HasSession& has_session,
                                                         FindMethod find_method);

/// Refuses a GET or DELETE, and any text of a legacy session, whose session or version is wrong.
[[nodiscard]] std::optional<Refusal> refuse_session(const McpHead& head, const HasSession& has_session,
                                                    const std::string& id = {});

/// Whether the client takes a stream of events.
[[nodiscard]] bool takes_events(const McpHead& head);

/// The status of a reply with this JSON-RPC error; 0: it has none.
[[nodiscard]] unsigned status_of_reply(int error, bool modern);

/// The value of a header that may be written as "=?base64?…?="; nothing where that is not base64.
[[nodiscard]] std::optional<std::string> decoded_header(std::string_view value);

}  // namespace terminally
