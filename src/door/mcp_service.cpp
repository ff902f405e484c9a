// Answers POST, GET and DELETE of MCP clients.
#include "door/mcp_service.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/spawned.hpp"
#include "calls/metrics_text.hpp"
#include "door/event_reader.hpp"
#include "door/measures.hpp"
#include "door/post_rules.hpp"
#include "mcp/failures.hpp"
#include "mcp/method_table.hpp"
#include "secrets/text_guard.hpp"
#include "toolkit/router.hpp"

namespace terminally {
namespace {

constexpr std::size_t kMostInstances = 64;
constexpr Milliseconds kTidiedEach{10'000};
constexpr Milliseconds kQuick{20};       ///< no hang-up is looked for: that costs as much as a quick call
constexpr Milliseconds kJsonFor{1'000};  ///< after that, a stream of events begins

/// Where a request goes, and who sends it. Valid while the request is.
struct Call {
  ServiceRequest& request;
  McpHead head;
  std::shared_ptr<Endpoint> endpoint;  ///< null: the instance was not opened yet, so nobody has a session
  std::function<std::shared_ptr<Endpoint>()> open;
  Budget& budget;
};

/// What a POST has brought.
struct Text {
  RpcInput input;
  PostKind kind = PostKind::in_session;
  Budget::Share share;
};

/// A text that a peer has received, and the stream by which it is answered.
struct Asked {
  std::shared_ptr<EventReader> reader;
  std::shared_ptr<EventStream> events;
  HttpSessionPtr session;          ///< null: the request is modern
  std::weak_ptr<Endpoint> admits;  ///< once the reply is there and no error: the session begins with it
  bool takes_events = false;
};

McpHead head_in(const ServiceRequest& request) {
  McpHead head;
  head.content_type = request.header("content-type");
  head.accept = request.header("accept");
  head.version = request.header("mcp-protocol-version");
  head.method = request.header("mcp-method");
  head.name = request.header("mcp-name");
  head.session = request.header("mcp-session-id");
  return head;
}

/// An answer without a body.
Response empty_response(unsigned status) {
  Response response;
  response.status = status;
  response.content_type.clear();
  return response;
}

Response busy_response(const std::string& message) {
  Response response;
  response.status = 503;
  response.headers.emplace_back("Retry-After", "1");
  response.body = error_message("", ProtocolError(kInternalError, message));
  return response;
}

Response refused(const Call& call, const Refusal& refusal) {
  std::shared_ptr<TextGuard> guard;
  if (call.endpoint) {
    const ServedInstance& instance = call.endpoint->instance();
    guard = instance.core->router->new_guard(*instance.settings_of(call.request.bearer.role));
  }
  Response response;
  response.status = refusal.status;
  response.body = error_message(refusal.id, echoed(refusal.error, guard.get()));
  return response;
}

Response events_response(std::shared_ptr<EventReader> reader) {
  Response response;
  response.content_type = "text/event-stream";
  response.headers.emplace_back("X-Accel-Buffering", "no");
  response.source = [reader = std::move(reader)] { return reader->read(); };
  return response;
}

Response json_response(const Asked& asked, EventStream::Message reply) {
  Response response;
  response.status = status_of_reply(reply.error, asked.session == nullptr);
  response.body = std::move(reply.text);
  const auto endpoint = asked.admits.lock();
  if (endpoint && reply.error == 0) {
    endpoint->admit(asked.session);
    response.headers.emplace_back("Mcp-Session-Id", asked.session->id());
  }
  return response;
}

Response stream_answer(const Asked& asked) {
  if (asked.session) {
    asked.session->keep(asked.events);
  }
  return events_response(asked.reader);
}

/// The answer, where what has come decides on it.
std::optional<Response> answer_now(const Asked& asked) {
  EventStream& events = *asked.events;
  while (!asked.takes_events && events.next() != nullptr && !events.next()->is_reply) {
    static_cast<void>(events.take());  // it can be told nothing but its reply
  }
  const EventStream::Message* next = events.next();
  if (next == nullptr) {
    return events.has_ended() ? std::optional(empty_response(202)) : std::nullopt;  // the client cancelled it
  }
  return next->is_reply ? json_response(asked, events.take()) : stream_answer(asked);
}

Awaitable<Response> answer_later(Asked asked, Clock::time_point begun) {
  const auto until = asked.takes_events ? begun + kJsonFor : Clock::time_point::max();
  for (;;) {
    const bool news = co_await asked.reader->wait_for_news(until);
    auto answer = answer_now(asked);
    if (answer) {
      co_return std::move(*answer);
    }
    if (!news) {
      co_return stream_answer(asked);
    }
  }
}

Awaitable<ServiceAnswer> answer_of(Asked asked) {
  const auto begun = Clock::now();
  co_await boost::asio::post(boost::asio::use_awaitable);  // most have answered then, and need no timer
  ServiceAnswer answer;
  auto now = answer_now(asked);
  if (!now) {
    co_await asked.reader->wait_for_news(begun + kQuick);
    now = answer_now(asked);
  }
  if (now) {
    answer.response = std::move(*now);
  } else {
    answer.later = [asked = std::move(asked), begun] { return answer_later(asked, begun); };
  }
  co_return answer;
}

Asked ask_modern(const Call& call, const Text& text) {
  Asked asked;
  asked.events = std::make_shared<EventStream>(1, false);
  asked.takes_events = takes_events(call.head);
  const std::shared_ptr<Peer> peer = call.endpoint->new_peer(call.request.bearer);
  auto on_end = [endpoint = std::weak_ptr(call.endpoint), peer, events = asked.events] {
    const auto open = endpoint.lock();
    if (open && !events->is_done()) {
      open->give_up(peer);
    }
  };
  asked.reader = std::make_shared<EventReader>(asked.events, EventForm(), std::move(on_end));
  peer->receive(text.input, call.request.body.size(), asked.events, text.share);
  return asked;
}

/// How the streams of a session are written.
EventForm form_of(HttpSession& session) {
  EventForm form;
  form.ids = true;
  form.primes = session.peer().negotiated() >= Revision::v2025_11_25;
  return form;
}

Asked ask_legacy(const Call& call, const Text& text, const HttpSessionPtr& session) {
  const bool begins = text.kind == PostKind::begins;
  Asked asked;
  asked.events = session->new_stream();
  asked.session = session;
  asked.takes_events = takes_events(call.head) && !begins;  // the session's id is a header
  if (begins) {
    asked.admits = call.endpoint;
  }
  asked.reader =
      std::make_shared<EventReader>(asked.events, form_of(*session), [session] { session->note_use(); });
  session->peer().receive(text.input, call.request.body.size(), asked.events, text.share);
  return asked;
}

std::size_t requests_in(const RpcInput& input) {
  return static_cast<std::size_t>(std::ranges::count_if(input.messages, [](const RpcMessage& message) {
    return message.kind == RpcMessage::Kind::request || message.kind == RpcMessage::Kind::invalid;
  }));
}

/// Whether a client needs the answer to end, or to begin, anything at all.
bool helps_itself(const Call& call, const RpcInput& input) {
  if (input.batch || input.messages.front().kind != RpcMessage::Kind::request) {
    return false;
  }
  const RpcMessage& request = input.messages.front();
  return request.method == "initialize" ||
         (call.endpoint &&
          ends_things(*call.endpoint->instance().core->router, request.method, *request.params));
}

HasSession sessions_of(const Call& call) {
  return [&call](std::string_view id) {
    return call.endpoint && call.endpoint->find(id, call.request.bearer) != nullptr;
  };
}

std::variant<Response, Asked> receive_legacy(const Call& call, const Text& text) {
  const HttpSessionPtr session = text.kind == PostKind::begins
                                     ? call.endpoint->new_session(call.request.bearer)
                                     : call.endpoint->find(call.head.session, call.request.bearer);
  if (!session) {
    return busy_response("Too many sessions are in use");
  }
  session->note_use();
  if (text.input.batch && !knows_batches(session->peer().negotiated())) {
    return refused(call,
                   {400, ProtocolError(kInvalidRequest, "Invalid request: batches are not supported"), ""});
  }
  if (requests_in(text.input) == 0) {
    session->peer().receive(text.input, call.request.body.size(), session->new_stream());
    return empty_response(202);
  }
  if (!session->peer().in_flight().has_room()) {
    return busy_response("The requests under way are too large: wait for their answers");
  }
  return ask_legacy(call, text, session);
}

/// What is refused opens no instance.
std::variant<Response, Asked> receive_post(Call& call) {
  if (const auto refusal = refuse_type(call.head)) {
    return refused(call, *refusal);
  }
  Text text;
  text.input = read_messages(call.request.body);
  const auto judged = judge_post(call.head, text.input, sessions_of(call), find_method);
  if (const auto* refusal = std::get_if<Refusal>(&judged)) {
    return refused(call, *refusal);
  }
  text.kind = std::get<PostKind>(judged);
  if (text.kind == PostKind::modern_notice) {
    return empty_response(202);
  }
  call.request.body_share.reset();  // it was for reading
  text.share = call.budget.take(call.request.bearer.credential, requests_in(text.input),
                                call.request.body.size(), helps_itself(call, text.input));
  if (!text.share) {
    return busy_response("Too many requests are under way: wait for their answers");
  }
  if (!call.endpoint) {
    call.endpoint = call.open();
  }
  if (text.kind == PostKind::modern) {
    return ask_modern(call, text);
  }
  return receive_legacy(call, text);
}

/// The session's own stream, or the one whose last event the client names.
Response answer_get(const Call& call) {
  if (!takes_events(call.head)) {
    return refused(call, {406, ProtocolError(kInvalidRequest, "Accept must have text/event-stream"), ""});
  }
  if (const auto refusal = refuse_session(call.head, sessions_of(call))) {
    return refused(call, *refusal);
  }
  const HttpSessionPtr session = call.endpoint->find(call.head.session, call.request.bearer);
  const std::string_view last = call.request.header("last-event-id");
  const auto id = last.empty() ? std::optional(EventId()) : parse_event_id(last);
  const auto stream = id ? session->find(id->stream) : nullptr;
  if (!stream) {
    return refused(call,
                   {400, ProtocolError(kInvalidRequest, "Last-Event-ID is of no stream that is kept"), ""});
  }
  if (!last.empty()) {
    stream->go_back_behind(id->number);
  }
  return events_response(
      std::make_shared<EventReader>(stream, form_of(*session), [session] { session->note_use(); }));
}

Response answer_delete(const Call& call) {
  if (const auto refusal = refuse_session(call.head, sessions_of(call))) {
    return refused(call, *refusal);
  }
  call.endpoint->drop(call.endpoint->find(call.head.session, call.request.bearer));
  return empty_response(200);
}

/// No coroutine: nothing that waits holds an endpoint, as the event loop outlives those.
std::variant<Response, Asked> receive(Call call) {
  if (call.request.method == "POST") {
    return receive_post(call);
  }
  return call.request.method == "GET" ? answer_get(call) : answer_delete(call);
}

InstanceMeasure measure_of(const std::string& name, const Endpoint& endpoint) {
  const Core& core = *endpoint.instance().core;
  InstanceMeasure measure;
  measure.instance = name;
  measure.manager = core.router->services().manager;
  measure.sessions = endpoint.sessions();
  for (const PeerRegister::EntryPtr& peer : core.peers->all()) {
    ++measure.peers[peer->settings->identity];
  }
  return measure;
}

Response only_to_be_read() {
  Response response = empty_response(405);
  response.headers.emplace_back("Allow", "GET");
  return response;
}

/// Empty: the one that lives as long as this process.
std::string instance_in(const std::string& path) {
  constexpr std::string_view kBefore = "/mcp/";
  return path.size() > kBefore.size() ? path.substr(kBefore.size()) : "";
}

}  // namespace

McpService::McpService(const std::filesystem::path& state_root, Open open, std::uint64_t most_audit_bytes)
    : tokens_(state_root),
      open_(std::move(open)),
      book_(std::make_shared<CallBook>(state_root, most_audit_bytes)) {}
McpService::~McpService() = default;

std::optional<Bearer> McpService::bearer_of(std::string_view token) {
  auto bearer = tokens_.bearer_of(token);
  if (!bearer) {
    book_->note_refusal(401);
  }
  return bearer;
}

std::shared_ptr<Endpoint> McpService::open_endpoint(const std::string& name) {
  if (endpoints_.size() >= kMostInstances) {
    throw Error(ErrorCode::busy, "this process serves " + std::to_string(kMostInstances) +
                                     " instances already: another `terminally-mcp serve` takes more");
  }
  auto endpoint = std::make_shared<Endpoint>(open_(name));
  book_->watch(name, *endpoint->instance().core);
  endpoints_.emplace(name, endpoint);
  if (!tidying_) {
    tidying_.emplace(endpoint->instance().core->executor, tidy());
  }
  return endpoint;
}

Awaitable<void> McpService::tidy() {
  for (;;) {
    co_await sleep_for(kTidiedEach);
    for (const auto& [name, endpoint] : endpoints_) {
      endpoint->tidy([this](const std::string& credential) { return tokens_.has(credential); });
    }
  }
}

/// Looks at instances that are open, and opens none.
Awaitable<Response> McpService::metrics() {
  constexpr Milliseconds kWithin{1'000};
  const auto measures = std::make_shared<std::vector<InstanceMeasure>>();
  measures->reserve(endpoints_.size());
  for (const auto& [name, endpoint] : endpoints_) {
    measures->push_back(measure_of(name, *endpoint));
  }
  co_await count_tabs(measures, Clock::now() + kWithin);
  MetricsText text;
  book_->write(text);
  write_measures(text, *measures);
  write_budget(text, budget_.taken());
  write_process(text);
  Response response;
  response.content_type = MetricsText::kContentType;
  response.body = text.take();
  co_return response;
}

std::shared_ptr<const void> McpService::room_for(const Bearer& bearer, std::size_t bytes) {
  constexpr std::size_t kSmall = std::size_t{64} << 10U;
  return budget_.take(bearer.credential, 0, bytes, bytes <= kSmall);
}

Awaitable<ServiceAnswer> McpService::answer(ServiceRequest request) {
  ServiceAnswer answer;
  if (ends_) {
    answer.response = busy_response("The server ends");
    co_return answer;
  }
  if (request.path == "/metrics") {
    if (request.method == "GET") {
      answer.later = [this] { return metrics(); };
    } else {
      answer.response = only_to_be_read();
    }
    co_return answer;
  }
  const std::string name = instance_in(request.path);
  const auto found = endpoints_.find(name);
  auto received = receive({request, head_in(request), found == endpoints_.end() ? nullptr : found->second,
                           [this, &name] { return open_endpoint(name); }, budget_});
  if (auto* response = std::get_if<Response>(&received)) {
    if (response->status >= 400) {
      book_->note_refusal(response->status);
    }
    answer.response = std::move(*response);
    co_return answer;
  }
  co_return co_await answer_of(std::move(std::get<Asked>(received)));
}

Awaitable<void> McpService::finish(Clock::time_point by) {
  ends_ = true;
  tidying_.reset();
  std::vector<Spawned<>> ends;
  ends.reserve(endpoints_.size());
  for (const auto& [name, endpoint] : endpoints_) {
    ends.emplace_back(endpoint->instance().core->executor, endpoint->finish(by));
  }
  for (const Spawned<>& end : ends) {
    co_await end.wait_by(by + Milliseconds(500));
  }
}

}  // namespace terminally
