// Decides what is refused, and how each text is to be served.
#include "door/post_rules.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/characters.hpp"
#include "base/digests.hpp"
#include "mcp/revisions.hpp"

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using Kind = RpcMessage::Kind;

// Of the transport itself, as the SDKs' servers have them.
constexpr int kBadRequest = -32000;
constexpr int kNoSession = -32001;

constexpr const char* kClaim = "io.modelcontextprotocol/protocolVersion";

Refusal refusal(unsigned status, int code, const std::string& message, std::string id = {}) {
  return {status, ProtocolError(code, message), std::move(id)};
}

Refusal mismatch(const std::string& header, const std::string& id) {
  return refusal(400, kHeaderMismatch, "Header mismatch: " + header + " must be there once, as in the body",
                 id);
}

bool is_known_version(std::string_view version) {
  return std::ranges::any_of(supported_versions(),
                             [version](const ordered_json& known) { return known == version; });
}

/// "a, b;q=0.9" has the types a and b.
bool has_type(std::string_view list, std::string_view type) {
  const auto same = [](unsigned char one, char other) { return std::tolower(one) == other; };
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find(','));
    list.remove_prefix(std::min(entry.size() + 1, list.size()));
    if (std::ranges::equal(without_blanks(entry.substr(0, entry.find(';'))), type, same)) {
      return true;
    }
  }
  return false;
}

/// The member of a request's params that Mcp-Name repeats; null where there is none.
const char* named_member(std::string_view method) {
  if (is_one_of(method, {"tools/call", "prompts/get"})) {
    return "name";
  }
  if (method == "resources/read") {
    return "uri";
  }
  return is_one_of(method, {"tasks/get", "tasks/update", "tasks/cancel"}) ? "taskId" : nullptr;
}

/// Whether the text is of the era whose requests say their revision by themselves. One that says it in the
/// header alone is, too, so that it is told what is missing.
bool is_modern_text(const McpHead& head, const RpcInput& input) {
  const RpcMessage& first = input.messages.front();
  const bool has_params = first.kind == Kind::request || first.kind == Kind::notification;
  const bool claims = !input.batch && has_params && claims_revision(*first.params);
  const bool asks_for_it = !input.batch && first.kind == Kind::request && first.method == "server/discover";
  return claims || asks_for_it || head.version == to_string(Revision::v2026_07_28);
}

std::optional<Refusal> refuse_version(const McpHead& head, const RpcMessage& request) {
  if (!claims_revision(*request.params)) {
    return std::nullopt;  // revision_of tells what is missing
  }
  const json& claim = request.params->at("_meta").at(kClaim);
  const bool differs = claim.is_string() && claim.get_ref<const std::string&>() != head.version;
  return head.version.empty() || differs ? std::optional(mismatch("MCP-Protocol-Version", request.id))
                                         : std::nullopt;
}

std::optional<Refusal> refuse_mirrors(const McpHead& head, const RpcMessage& request) {
  if (head.method != request.method) {
    return mismatch("Mcp-Method", request.id);
  }
  const char* member = named_member(request.method);
  const auto named = member != nullptr ? request.params->find(member) : request.params->end();
  if (named == request.params->end() || !named->is_string()) {
    return std::nullopt;  // the method says what is wrong
  }
  const auto said = decoded_header(head.name);
  return head.name.empty() || !said || *said != named->get_ref<const std::string&>()
             ? std::optional(mismatch("Mcp-Name", request.id))
             : std::nullopt;
}

std::optional<Refusal> refuse_request(const McpHead& head, const RpcMessage& request,
                                      FindMethod find_method) {
  if (auto refused = refuse_version(head, request)) {
    return refused;
  }
  try {
    if (!claims_revision(*request.params) && request.method != "server/discover") {
      return refusal(400, kInvalidParams,
                     std::string("Invalid params: _meta must have \"") + kClaim +
                         "\" and \"io.modelcontextprotocol/clientCapabilities\"",
                     request.id);
    }
    const Revision revision = revision_of(request.method, *request.params, kNewestLegacy);
    if (auto refused = refuse_mirrors(head, request)) {
      return refused;
    }
    if (find_method(request.method, revision).lasts && !takes_events(head)) {
      return refusal(406, kInvalidRequest, "Accept must have text/event-stream: this is answered by events",
                     request.id);
    }
  } catch (const ProtocolError& error) {
    return Refusal{error.code() == kMethodNotFound ? 404U : 400U, error, request.id};
  }
  return std::nullopt;
}

std::variant<Refusal, PostKind> judge_modern(const McpHead& head, const RpcInput& input,
                                             FindMethod find_method) {
  const RpcMessage& first = input.messages.front();
  if (input.batch) {
    return refusal(400, kInvalidRequest, "Invalid request: batches are not supported");
  }
  switch (first.kind) {
    case Kind::invalid:
      return Refusal{400, first.error, first.id};
    case Kind::response:
    case Kind::ignored:
      return refusal(400, kInvalidRequest,
                     "Invalid request: this server asks nothing that could be answered");
    case Kind::notification:
      return PostKind::modern_notice;
    case Kind::request:
      break;
  }
  if (auto refused = refuse_request(head, first, find_method)) {
    return std::move(*refused);
  }
  return PostKind::modern;
}

std::variant<Refusal, PostKind> judge_legacy(const McpHead& head, const RpcInput& input,
                                             const HasSession& has_session) {
  const RpcMessage& first = input.messages.front();
  if (first.kind == Kind::invalid && !input.batch) {
    return Refusal{400, first.error, first.id};
  }
  const bool begins = !input.batch && first.kind == Kind::request && first.method == "initialize";
  if (begins && head.session.empty()) {
    return PostKind::begins;
  }
  if (auto refused = refuse_session(head, has_session, input.batch ? "" : first.id)) {
    return std::move(*refused);
  }
  if (begins) {
    return refusal(400, kInvalidRequest, "Invalid request: this session is initialized", first.id);
  }
  return PostKind::in_session;
}

}  // namespace

std::optional<Refusal> refuse_type(const McpHead& head) {
  if (head.content_type.find(',') == std::string_view::npos &&
      has_type(head.content_type, "application/json")) {
    return std::nullopt;
  }
  return refusal(415, kBadRequest, "Content-Type must be application/json");
}

std::variant<Refusal, PostKind> judge_post(const McpHead& head, const RpcInput& input,
                                           const HasSession& has_session, FindMethod find_method) {
  return is_modern_text(head, input) ? judge_modern(head, input, find_method)
                                     : judge_legacy(head, input, has_session);
}

std::optional<Refusal> refuse_session(const McpHead& head, const HasSession& has_session,
                                      const std::string& id) {
  if (head.session.empty()) {
    return refusal(400, kBadRequest, "Bad request: the header Mcp-Session-Id is missing; initialize gives it",
                   id);
  }
  if (!has_session(head.session)) {
    return refusal(404, kNoSession, "Session not found: initialize again", id);
  }
  // Any version that is known will do: Claude Code sends another than it has agreed on (its issue 92835).
  if (!head.version.empty() && !is_known_version(head.version)) {
    return refusal(400, kBadRequest, "Bad request: this MCP-Protocol-Version is not supported", id);
  }
  return std::nullopt;
}

bool takes_events(const McpHead& head) {
  return has_type(head.accept, "text/event-stream");
}

unsigned status_of_reply(int error, bool modern) {
  if (error == kParseError || error == kInvalidRequest) {
    return 400;
  }
  if (!modern) {
    return 200;
  }
  const bool unfit =
      error == kHeaderMismatch || error == kMissingClientCapability || error == kUnsupportedProtocolVersion;
  return unfit ? 400 : error == kMethodNotFound ? 404 : 200;
}

std::optional<std::string> decoded_header(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (value.size() < kBegin.size() + kEnd.size() || !value.starts_with(kBegin) || !value.ends_with(kEnd)) {
    return std::string(value);
  }
  value.remove_prefix(kBegin.size());
  value.remove_suffix(kEnd.size());
  return decode_base64(value);
}

}  // namespace terminally
