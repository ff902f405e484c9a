#include "hosts/far_session.hpp"

#include <boost/asio.hpp>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/utf8.hpp"
#include "hosts/pipe_errors.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using nlohmann::ordered_json;

constexpr std::size_t kMostPending = 500;
constexpr std::size_t kMostUnsent = std::size_t{64} << 20U;
constexpr std::size_t kLongestVersionShown = 100;

/// A command may be a shell that waits for another program. ssh is left to itself: a proxy command that it
/// has started serves its kept connection, which outlives it.
ChildProcess::Kept kept(const HostEntry& host) {
  return host.ssh.empty() ? ChildProcess::Kept::as_session : ChildProcess::Kept::no;
}

}  // namespace

FarSession::FarSession(const asio::any_io_executor& executor, HostEntry host, const Argv& argv)
    : host_(std::move(host)), pipe_(executor, argv, {}, kept(host_)), heard_(Clock::now()) {}

FarSession::~FarSession() = default;

awaitable<std::shared_ptr<FarSession>> FarSession::open(HostEntry host, Argv argv, std::string nonce,
                                                        Milliseconds within) {
  const auto by = Clock::now() + within;
  const auto executor = co_await asio::this_coro::executor;
  auto session = std::make_shared<FarSession>(executor, std::move(host), argv);
  session->spawn(session->read_errors());
  bool in_time = false;
  std::exception_ptr failure;
  try {
    in_time = co_await finish_by(by, session->read_hello(std::move(nonce)));
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  if (failure) {
    session->close("no hello");
    std::rethrow_exception(failure);
  }
  if (!in_time) {
    PipeEnd end;
    end.printed = session->printed_;
    end.complained = session->complained_;
    end.waited_s = static_cast<long>(std::chrono::duration_cast<std::chrono::seconds>(within).count());
    session->close("no answer");
    throw Error(ErrorCode::io, explain_pipe(session->host_, end));
  }
  session->spawn(session->read_loop());
  session->spawn(session->write_loop());
  co_await session->shake_hands(by);
  session->spawn(session->ping_loop());
  co_return session;
}

awaitable<void> FarSession::shake_hands(Clock::time_point by) {
  const auto asked = Clock::now();
  auto params = std::make_shared<ordered_json>();
  (*params)["protocolVersion"] = "2025-11-25";
  (*params)["capabilities"] = ordered_json::object();
  (*params)["clientInfo"] = {{"name", "terminally-mcp gateway"}, {"version", "1"}};
  Request ask;
  ask.method = "initialize";
  ask.params = std::move(params);
  ask.by = by;
  std::string failure;
  try {
    const ordered_json result = co_await request(std::move(ask));
    version_ = shortened(result.at("serverInfo").at("version").get<std::string>(), kLongestVersionShown);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  if (!failure.empty()) {
    close(failure);
    throw Error(ErrorCode::io,
                "terminally-mcp there was started, and does not speak the protocol: " + failure);
  }
  round_trip_ = std::chrono::duration_cast<Milliseconds>(Clock::now() - asked);
  send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  up_ = true;
}

awaitable<ordered_json> FarSession::request(Request request) {
  if (requests_.size() >= kMostPending) {
    throw Error(ErrorCode::busy, std::to_string(requests_.size()) + " calls wait for it already");
  }
  if (unsent_.size() > kMostUnsent / 2) {
    throw Error(ErrorCode::busy, std::to_string(unsent_.size()) + " bytes wait to be sent to it already");
  }
  co_return co_await ask(std::move(request));
}

awaitable<ordered_json> FarSession::ask(Request request) {
  if (lost_) {
    throw LinkLost(why_);
  }
  const std::uint64_t id = ++last_id_;
  if (request.progress) {
    (*request.params)["_meta"]["progressToken"] = id;
  }
  const auto waiting = requests_.add(id, std::move(request.progress));
  send(far_request(id, request.method, *request.params));
  bool in_time = false;
  bool cancelled = false;
  try {
    in_time = co_await waiting->done.wait_by(request.by);
  } catch (const boost::system::system_error&) {
    cancelled = true;
  }
  requests_.remove(id);
  if (cancelled || (!in_time && request.ends_if_late)) {
    forget(id);
  }
  if (cancelled) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  if (!in_time) {
    throw NotAnswered();
  }
  if (waiting->lost) {
    throw LinkLost(why_);
  }
  if (waiting->refusal) {
    throw FarRefusal(*waiting->refusal);
  }
  co_return std::move(waiting->result);
}

awaitable<void> FarSession::ping(Clock::time_point by) {
  const auto asked = Clock::now();
  Request question;
  question.method = "ping";
  question.params = std::make_shared<ordered_json>(ordered_json::object());
  question.by = by;
  co_await ask(std::move(question));
  round_trip_ = std::chrono::duration_cast<Milliseconds>(Clock::now() - asked);
}

void FarSession::forget(std::uint64_t id) {
  if (!lost_) {
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
         std::to_string(id) + "}}");
  }
}

void FarSession::send(const std::string& message) {
  if (unsent_.size() + message.size() > kMostUnsent) {
    return close("it does not read what is sent to it");
  }
  unsent_ += message;
  unsent_ += '\n';
  has_unsent_.set();
}

void FarSession::close(const std::string& why) {
  if (std::exchange(lost_, true)) {
    return;
  }
  why_ = why;
  requests_.lose_all();
  has_unsent_.set();
  pipe_.end();
}

awaitable<void> FarSession::say_goodbye(Clock::time_point by) {
  if (!is_up()) {
    co_return;
  }
  send(R"({"jsonrpc":"2.0","method":"notifications/terminally-mcp/goodbye"})");
  co_await finish_by(by, pipe_.ended());
  close("closed");
}

}  // namespace terminally
