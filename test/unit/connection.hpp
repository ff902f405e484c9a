#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mcp/method_table.hpp"
#include "mcp/peer.hpp"
#include "toolkit/router.hpp"

/// T16: a peer and its client in memory, with tools that need no tmux: echo, fail, big, slow, which waits
/// for the test, and stop, which ends things.
namespace terminally::test {

using nlohmann::ordered_json;
namespace asio = boost::asio;

struct Text {
  std::string text;
};

inline void describe(ResultVisitor& v, const Text& result) {
  v.text("text", result.text, "Text.");
}

struct TextArgs {
  std::string text = "none";

  void describe(ArgsVisitor& v) { v.text("text", Need::optional, text, {0, 100}, "Text."); }
};

// NOLINTBEGIN(performance-unnecessary-value-param): coroutines keep what they are given
inline asio::awaitable<Text> echo(ToolContext /*context*/, TextArgs args) {
  co_return Text{args.text};
}

inline asio::awaitable<Text> fail(ToolContext /*context*/, TextArgs args) {
  if (args.text == "error") {
    throw Error(ErrorCode::not_found, "no such tab");
  }
  throw std::runtime_error("secret");
}

/// A long text, of so many MiB as the argument says, which may be a fraction; one without.
inline asio::awaitable<Text> big(ToolContext /*context*/, TextArgs args) {
  const double mebibytes = args.text == "none" ? 1 : std::stod(args.text);
  co_return Text{std::string(static_cast<std::size_t>(mebibytes * (1U << 20U)) - 1'000, 'x')};
}

/// What the slow tool saw: it waits until the test lets it go on.
struct Gate {
  explicit Gate(asio::io_context& io) : timer(io, asio::steady_timer::time_point::max()) {}

  asio::steady_timer timer;
  int entered = 0;
  int cancelled = 0;
  ReportProgress progress;
};

inline Gate* gate = nullptr;  // of the test that runs: tools hold no state of their own

inline asio::awaitable<Text> slow(ToolContext context, TextArgs args) {
  ++gate->entered;
  gate->progress = context.caller.progress;
  co_await gate->timer.async_wait(asio::as_tuple(asio::use_awaitable));
  const bool was_cancelled =
      (co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none;
  gate->cancelled += was_cancelled ? 1 : 0;
  co_return Text{args.text};
}

// NOLINTEND(performance-unnecessary-value-param)

/// A server: an event loop, and a core with the tools above.
class TestServer {
 public:
  TestServer() : gate_(io_) {
    gate = &gate_;
    const std::vector<Tool> tools = {
        make_tool<&echo>("echo", "Echo.", {.read_only = true}), make_tool<&fail>("fail", "Fail.", {}),
        make_tool<&slow>("slow", "Wait.", {}, {.task_support = TaskSupport::call}),
        make_tool<&big>("big", "Print.", {}), make_tool<&echo>("stop", "Stop.", {}, {.ends_things = true})};
    const auto router = std::make_shared<const Router>(tools, Services{});
    core_ = make_core(io_.get_executor(), router, Implementation{"test", "1"});
  }

  void open_gate() {
    gate_.timer.cancel();
    settle();
  }

  void settle() {
    io_.restart();
    io_.poll();
  }

  /// Waits for something to happen, for a moment.
  void wait() {
    io_.restart();
    io_.run_one_for(std::chrono::milliseconds(2));
  }

  const std::shared_ptr<const Core>& core() { return core_; }
  Gate& slow_tool() { return gate_; }

 private:
  asio::io_context io_;
  Gate gate_;
  std::shared_ptr<const Core> core_;
};

[[nodiscard]] inline PeerSettingsPtr settings_of(const std::string& identity) {
  PeerSettings settings;
  settings.identity = identity;
  return std::make_shared<const PeerSettings>(std::move(settings));
}

/// A server, and its one client over one stream.
class Connection {
 public:
  Connection() : peer_(std::make_shared<Peer>(server_.core(), settings_of("test"), stream_)) {}

  void line(const std::string& text) {
    peer_->receive(text, stream_);
    settle();
  }

  void long_line(const std::string& envelope) { peer_->receive(too_long_to_read(envelope), 0, stream_); }

  /// Everything that came since the last call.
  std::vector<ordered_json> take() { return std::exchange(sent_, {}); }

  /// The only answer to a request.
  ordered_json ask(const std::string& method, const std::string& params = "{}", const std::string& id = "1") {
    line(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}");
    const auto answers = take();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0]["id"].dump() == id);
    return answers[0];
  }

  int error_of(const std::string& method, const std::string& params) {
    const ordered_json answer = ask(method, params);
    return answer.contains("error") ? answer["error"]["code"].get<int>() : 0;
  }

  void start(const std::string& id, const std::string& tool = "slow", const std::string& meta = "{}") {
    line(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":")" + tool +
         R"(","_meta":)" + meta + "}}");
  }

  void cancel(const std::string& id) {
    line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + id + "}}");
  }

  void open_gate() { server_.open_gate(); }
  void settle() { server_.settle(); }

  Peer& peer() { return *peer_; }
  Gate& slow_tool() { return server_.slow_tool(); }
  bool full = false;        ///< the client does not read
  std::size_t longest = 0;  ///< of the messages so far, in bytes

 private:
  class Lines : public Stream {
   public:
    explicit Lines(Connection& client) : client_(client) {}

    bool notify(std::string message, Delivery delivery) override {
      if (client_.full && delivery == Delivery::may_drop) {
        return false;
      }
      take(message);
      return true;
    }
    void reply(RpcReply reply) override { take(reply.text); }
    void end() override {}

   private:
    void take(const std::string& message) {
      client_.longest = std::max(client_.longest, message.size());
      client_.sent_.push_back(ordered_json::parse(message));
    }

    Connection& client_;
  };

  TestServer server_;
  std::vector<ordered_json> sent_;
  std::shared_ptr<Lines> stream_ = std::make_shared<Lines>(*this);
  std::shared_ptr<Peer> peer_;
};

inline std::string claim(const std::string& rest = "", const std::string& version = "\"2026-07-28\"") {
  return R"({"_meta":{"io.modelcontextprotocol/protocolVersion":)" + version +
         R"(,"io.modelcontextprotocol/clientCapabilities":{}})" + rest + "}";
}

inline std::string versioned(const std::string& version) {
  return R"({"protocolVersion":")" + version + "\"}";
}

}  // namespace terminally::test
