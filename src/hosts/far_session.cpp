// An MCP client over the pipe to a far side: sends requests, awaits answers, and pings against silence.
#include "hosts/far_session.hpp"

#include <boost/asio.hpp>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/utf8.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using nlohmann::ordered_json;

constexpr std::size_t kMostPending = 500;
constexpr std::size_t kLongestVersionShown = 100;
constexpr std::size_t kReadAtOnce = std::size_t{64} << 10U;
constexpr Milliseconds kPingEvery{5'000};  // the far side ends after 20 s without a message
constexpr Milliseconds kPingWithin{10'000};
constexpr Milliseconds kAnswerIsRead{500};

}  // namespace

FarSession::FarSession(const asio::any_io_executor& executor, HostEntry host, const Argv& argv)
    : pipe_(executor, std::move(host), argv) {}

awaitable<std::shared_ptr<FarSession>> FarSession::open(HostEntry host, Argv argv, std::string nonce,
                                                        Milliseconds within) {
  const auto by = Clock::now() + within;
  const auto executor = co_await asio::this_coro::executor;
  auto session = std::make_shared<FarSession>(executor, std::move(host), argv);
  session->spawn(session->pipe_.read_errors());
  std::exception_ptr failure;
  try {
    const bool in_time = co_await run_until(by, session->pipe_.hello(std::move(nonce)));
    if (!in_time) {
      session->pipe_.throw_late(within);
    }
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  if (failure) {
    session->close("no hello");
    std::rethrow_exception(failure);
  }
  session->spawn(session->read_loop());
  session->spawn(session->pipe_.write_loop());
  co_await session->shake_hands(by);
  session->spawn(session->ping_loop());
  co_return session;
}

/// The coroutine keeps the session alive until the coroutine ends; `close` makes it end.
void FarSession::spawn(awaitable<void> work) {
  asio::co_spawn(pipe_.executor(), std::move(work),
                 [self = shared_from_this()](const std::exception_ptr&) {});
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
    place_ = place_in(result);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  if (!failure.empty()) {
    close(failure);
    throw Error(ErrorCode::io, "terminally-mcp started on the host, but initialize failed: " + failure);
  }
  round_trip_ = std::chrono::duration_cast<Milliseconds>(Clock::now() - asked);
  send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  up_ = true;
}

awaitable<ordered_json> FarSession::request(Request request) {
  if (requests_.size() >= kMostPending) {
    throw Error(ErrorCode::busy, std::to_string(requests_.size()) +
                                     " calls already wait for this host (the limit); try again later");
  }
  if (pipe_.unsent_bytes() > FarPipe::kMostUnsentBytes / 2) {
    throw Error(ErrorCode::busy, std::to_string(pipe_.unsent_bytes()) +
                                     " bytes already wait to be sent to this host; try again later");
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
  if (!pipe_.send(message)) {
    close("the host stopped reading: " + std::to_string(FarPipe::kMostUnsentBytes >> 20U) +
          " MiB wait to be sent");
  }
}

void FarSession::close(const std::string& why) {
  if (std::exchange(lost_, true)) {
    return;
  }
  why_ = why;
  requests_.lose_all();
  pipe_.end();
}

awaitable<void> FarSession::read_loop() {
  while (!lost_) {
    const auto line = co_await pipe_.line();
    if (line && !lost_) {
      co_await take(*line);
    }
    if (!line) {
      const std::string words = co_await pipe_.last_words();
      close("the link ended" + (words.empty() ? "" : ": " + words));
    }
  }
}

/// Drops an answer that no request waits for, without parsing all of it.
awaitable<void> FarSession::take(LineFramer::Line line) {
  if (line.too_long) {
    co_return close("the host sent a line that is too long to be an answer");
  }
  const auto waits = [this](std::uint64_t id) { return requests_.waits(id); };
  if (answers_nobody(line.text, waits)) {
    co_return;
  }
  FarMessage message;
  std::string wrong;
  try {
    message = co_await read(line.text);
  } catch (const Error& error) {
    wrong = error.what();
  }
  if (!wrong.empty()) {
    co_return close(wrong);
  }
  requests_.take(std::move(message));
}

/// Parses a long line on the worker thread.
awaitable<FarMessage> FarSession::read(std::string_view line) {
  if (line.size() <= kReadAtOnce) {
    co_return read_far_message(line);
  }
  const auto message = std::make_shared<FarMessage>();
  std::function<void()> work = [line = std::string(line), message] { *message = read_far_message(line); };
  co_await reader_.run(line.size(), std::move(work));
  co_return std::move(*message);
}

/// A process that was stopped (SIGSTOP) past the limit still gets kAnswerIsRead to read an arrived answer.
awaitable<void> FarSession::ping_loop() {
  while (!lost_) {
    co_await sleep_for(kPingEvery);
    if (lost_) {
      co_return;
    }
    const auto asked = Clock::now();
    bool answered = false;
    try {
      co_await ping(asked + kPingWithin);
      answered = true;
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): looked at below
    }
    if (answered) {
      continue;
    }
    co_await sleep_for(kAnswerIsRead);
    if (pipe_.heard() < asked && !lost_) {
      silent_ = true;
      close("no answer to a ping within " + std::to_string(kPingWithin.count() / 1'000) + " s");
    }
  }
}

awaitable<void> FarSession::say_goodbye(Clock::time_point by) {
  if (!is_up()) {
    co_return;
  }
  send(R"({"jsonrpc":"2.0","method":"notifications/terminally-mcp/goodbye"})");
  co_await run_until(by, pipe_.ended());
  close("closed");
}

}  // namespace terminally
