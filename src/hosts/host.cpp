#include "hosts/host.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/files.hpp"
#include "base/utf8.hpp"
#include "hosts/call_limits.hpp"
#include "hosts/lost_call.hpp"
#include "hosts/pipe_errors.hpp"
#include "json/json_reader.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kKeyBytes = 16;

FarSession::Request tool_request(const std::string& tool, ordered_json arguments) {
  FarSession::Request request;
  request.method = "tools/call";
  request.params = std::make_shared<ordered_json>();
  (*request.params)["name"] = tool;
  (*request.params)["arguments"] = std::move(arguments);
  return request;
}

/// When the call must have been answered.
Clock::time_point answered_by(const FarCall& call, CallLimits limits) {
  const std::optional<Milliseconds> within = answered_within(call, limits);
  return within ? Clock::now() + *within : Clock::time_point::max();
}

/// Notes that are none are no reason to lose the result.
void drop_strange_notes(ordered_json& object) {
  ordered_json& notes = object["notes"];
  if (!notes.is_array()) {
    object.erase("notes");
    return;
  }
  auto& items = notes.get_ref<ordered_json::array_t&>();
  std::erase_if(items, [](const ordered_json& note) { return !note.is_string(); });
}

/// The object that a tool returned; what it could not do is thrown.
ordered_json object_of(ordered_json result) {
  const bool failed = result.value("isError", ordered_json(false)) == true;
  if (failed) {
    std::string text = "the tool failed on the host without a message";
    const ordered_json content = result.value("content", ordered_json());
    if (content.is_array() && !content.empty() && content[0].is_object() &&
        content[0].value("text", ordered_json()).is_string()) {
      text = shortened(content[0]["text"].get_ref<const std::string&>(), kLongestFarWords);
    }
    const ordered_json meta = result.value("_meta", ordered_json());
    throw Error(from_far_code(meta.is_object() ? text_field(meta, kErrorKey).value_or("") : ""),
                with_place_named(text));
  }
  const auto object = result.find("structuredContent");
  if (object != result.end() && object->is_object() && object->contains("notes")) {
    drop_strange_notes(*object);
  }
  if (object == result.end() || !object->is_object()) {
    throw Error(ErrorCode::io,
                "the host answered with a malformed result: field \"structuredContent\"; versions may differ "
                "(list_hosts)");
  }
  return std::move(*object);
}

/// For a call that is not repeated, and whose answer did not come.
Error unknown_effect(const FarCall& call, const std::string& why) {
  std::string state =
      "it may or may not have taken effect. Check with list_tabs or read_screen before you repeat it";
  if (call.tool == "write_file") {
    state = call.arguments->contains("part")
                ? "it is unknown whether this part was taken. Begin again with part \"first\"; cp finds out "
                  "by itself"
                : "it is unknown whether the file was written. Look with read_file before you repeat it";
  }
  return {ErrorCode::io, why + " during " + call.tool + ", so " + state};
}

}  // namespace

/// One attempt for all calls that wait for it.
awaitable<void> Host::attempt() {
  const auto self = shared_from_this();
  std::shared_ptr<FarSession> session;
  std::string error;
  try {
    session = co_await connect();
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  session_ = std::move(session);
  error_ = error;
  if (!error.empty()) {
    throw Error(ErrorCode::io, error);
  }
}

/// A kept connection of ssh may be one that hangs: after a failure, or silence, the next attempt does without
/// it.
awaitable<std::shared_ptr<FarSession>> Host::connect() {
  if (before_) {
    awaitable<void> before = before_();
    co_await std::move(before);
  }
  FarStart start = start_;
  start.nonce = random_hex(16);
  const bool may_hang = !error_.empty() || (session_ && session_->was_silent());
  const bool kept = !may_hang && has_place_for_control();
  Argv argv = pipe_argv(entry_, start, kept ? control_ : std::filesystem::path());
  co_return co_await FarSession::open(entry_, std::move(argv), std::move(start.nonce), kConnectsWithin);
}

bool Host::has_place_for_control() const {
  try {
    if (!control_.empty()) {
      make_private_directory(control_.parent_path().parent_path());
      make_private_directory(control_.parent_path());
    }
    return !control_.empty();
  } catch (const Error&) {
    return false;
  }
}

/// Who comes first goes first, and sends its request without another wait: those that waited for the link
/// are woken one by one, and who comes meanwhile is behind them.
awaitable<std::shared_ptr<FarSession>> Host::connected(Clock::time_point by) {
  if (!is_up() && attempt_.is_over()) {
    attempt_ = Spawned<>(executor_, attempt());
  }
  const Spawned<> under_way = attempt_;
  const AsyncMutex::Turn turn = co_await arrivals_->lock_by(by);
  if (turn.guard && is_up()) {
    co_return session_;
  }
  const bool in_time = turn.guard && co_await under_way.wait_by(by);
  if (!in_time) {
    throw Error(ErrorCode::io, "the host is not connected yet");
  }
  under_way.result();
  if (!is_up()) {
    throw LinkLost(session_ ? session_->why_lost() : "the link ended");
  }
  co_return session_;
}

awaitable<ordered_json> Host::call(FarCall call) {
  if (call.traits.begins != Begins::nothing) {
    std::string key = call.caller.task ? call.caller.task->key : random_hex(kKeyBytes);
    co_return co_await begin(std::move(call), std::move(key));
  }
  const auto by = Clock::now() + kConnectsWithin + kBeyond;
  if (!call_key_of(*call.arguments)) {
    co_return co_await call_known(std::move(call), by);
  }
  FarCall found = co_await with_found_command(std::move(call), by);
  const bool is_state = found.tool == kCommandState;
  const json window = (*found.arguments)["window_id"];
  ordered_json result = co_await call_known(std::move(found), by);
  if (is_state) {
    result["window_id"] = window;  // who has only the key does not know it
  }
  co_return result;
}

awaitable<ordered_json> Host::call_known(FarCall call, Clock::time_point by) {
  std::shared_ptr<FarSession> session = co_await connected(by);
  std::string why;
  try {
    co_return co_await call_tool(std::move(session), call, "", answered_by(call, start_.limits));
  } catch (const LinkLost& lost) {
    why = lost.what();
  } catch (const NotAnswered& late) {
    if (call.read_only) {
      throw;
    }
    throw unknown_effect(call, late.what());
  }
  if (!call.read_only) {
    throw unknown_effect(call, "the link was lost (" + why + ")");
  }
  session = co_await connected(by);
  const auto again_by = answered_by(call, start_.limits);
  co_return co_await call_tool(std::move(session), std::move(call), "", again_by);
}

/// What begins a command has a key, which the far side records before it types.
awaitable<ordered_json> Host::begin(FarCall call, std::string key) {
  const auto by = Clock::now() + kConnectsWithin + kBeyond;
  const auto until = Clock::now() + waits_for_link(call, start_.limits);
  std::shared_ptr<FarSession> session = co_await connected(by);
  Lost lost{"", session->place()};
  bool unanswered = false;
  try {
    co_return co_await call_tool(std::move(session), call, key, answered_by(call, start_.limits));
  } catch (const LinkLost& error) {
    lost.why = error.what();
  } catch (const NotAnswered&) {
    unanswered = true;
  }
  if (unanswered) {
    co_return lost_answer(call, key, "the host has not answered in time");
  }
  try {
    co_return co_await recover(std::move(call), key, std::move(lost), until);
  } catch (const boost::system::system_error&) {  // cancelled
    asio::co_spawn(executor_, end_when_back(std::move(key)), asio::detached);
    throw;
  }
}

awaitable<ordered_json> Host::call_tool(std::shared_ptr<FarSession> session, FarCall call, std::string key,
                                        Clock::time_point by) {
  FarSession::Request request = tool_request(call.tool, *call.arguments);
  ordered_json& meta = (*request.params)["_meta"]["terminally-mcp/call"];
  meta["client"] = call.caller.client;
  if (!key.empty()) {
    meta["key"] = key;
    request.ends_if_late = false;  // it is asked for by its key
  }
  if (call.caller.task) {
    meta["to_end"] = true;
  }
  request.by = by;
  request.progress = std::move(call.caller.progress);
  ordered_json result = co_await session->request(std::move(request));
  co_return object_of(std::move(result));
}

awaitable<ordered_json> Host::ask(std::string tool, Clock::time_point by) {
  if (!is_up()) {
    throw LinkLost("the host is not connected");
  }
  const std::shared_ptr<FarSession> session = session_;
  FarSession::Request request = tool_request(tool, ordered_json::object());
  request.by = by;
  ordered_json result = co_await session->request(std::move(request));
  co_return object_of(std::move(result));
}

FarHostInfo Host::info() const {
  FarHostInfo info;
  info.name = entry_.name;
  info.state = is_up()                       ? "up"
               : !attempt_.is_over()         ? "connecting"
               : error_.empty() && !session_ ? "idle"
                                             : "down";
  if (is_up()) {
    info.rtt_ms = session_->round_trip().count();
    info.version = session_->version();
  } else if (attempt_.is_over()) {
    info.error = error_.empty() && session_ ? session_->why_lost() : error_;
  }
  return info;
}

awaitable<void> Host::say_goodbye(Clock::time_point by) {
  if (const std::shared_ptr<FarSession> session = session_) {
    co_await session->say_goodbye(by);
  }
}

}  // namespace terminally
