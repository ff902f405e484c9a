// The rules of MCP over HTTP: six lines of headers, then a body. What must hold: a refusal has a status of
// its own, and the id of the request or none; what is served as modern says its revision and its method
// twice, and the same; what is served in a session has one; initialize begins one only where none is named.
#include "door/post_rules.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "mcp/revisions.hpp"
#include "oracle.hpp"

using namespace terminally;
using namespace terminally::fuzz;
using Kind = RpcMessage::Kind;

namespace {

const Method& find_method(std::string_view name, Revision revision) {
  static const Method any;
  if (name.size() > 10 && !is_modern(revision)) {
    throw ProtocolError(kMethodNotFound, "Method not found");
  }
  return any;
}

std::string_view take_line(std::string_view& input) {
  const std::string_view line = input.substr(0, input.find('\n'));
  input.remove_prefix(std::min(line.size() + 1, input.size()));
  return line;
}

void check_refusal(const Refusal& refusal, const RpcInput& input) {
  require(refusal.status == 400 || refusal.status == 404, "a refusal has a status of its own");
  require(refusal.error.code() < 0, "and a code");
  require(refusal.id.empty() || refusal.id == input.messages.front().id, "and the request's id");
}

void check_modern(const McpHead& head, const RpcInput& input) {
  const RpcMessage& request = input.messages.front();
  require(!input.batch && request.kind == Kind::request, "a modern request comes alone");
  require(head.method == request.method, "its method is told twice");
  const nlohmann::json& claim = request.params->at("_meta").at("io.modelcontextprotocol/protocolVersion");
  require(claim == head.version && claim == "2026-07-28", "and its revision");
  if (request.method == "tools/call" && request.params->contains("name") &&
      request.params->at("name").is_string()) {
    require(decoded_header(head.name) == request.params->at("name").get<std::string>(), "and its name");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest = text_of(data, size);
  McpHead head;
  for (std::string_view* header :
       {&head.content_type, &head.accept, &head.version, &head.method, &head.name, &head.session}) {
    *header = take_line(rest);
  }
  static_cast<void>(refuse_type(head));
  static_cast<void>(takes_events(head));
  const RpcInput input = read_messages(rest);
  const auto has_session = [](std::string_view id) { return id == "s"; };
  const auto judged = judge_post(head, input, has_session, &find_method);
  if (const auto* refusal = std::get_if<Refusal>(&judged)) {
    check_refusal(*refusal, input);
    return 0;
  }
  const RpcMessage& first = input.messages.front();
  switch (std::get<PostKind>(judged)) {
    case PostKind::modern:
      check_modern(head, input);
      break;
    case PostKind::modern_notice:
      require(!input.batch && first.kind == Kind::notification, "a notice is a notification");
      break;
    case PostKind::begins:
      require(head.session.empty() && first.method == "initialize", "initialize begins a session");
      break;
    case PostKind::in_session:
      require(head.session == "s", "what is served in a session has one");
      require(input.batch || first.kind != Kind::request || first.method != "initialize", "and begins none");
      break;
  }
  return 0;
}
