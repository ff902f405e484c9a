// Runs the server over stdin and stdout: its event loop, the signals that end it, and its shutdown.
#include "app/serve.hpp"

#include <unistd.h>

#include <boost/asio.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <utility>

#include "app/composition.hpp"
#include "app/exit_deadline.hpp"
#include "base/event.hpp"
#include "base/spawned.hpp"
#include "hosts/hosts.hpp"
#include "instance/instance.hpp"
#include "instance/left_behind.hpp"
#include "json/envelope.hpp"
#include "mcp/peer.hpp"
#include "mcp/tasks.hpp"
#include "stdio/stdio_transport.hpp"
#include "tmux/manager.hpp"
#include "tmux/server/instance_end.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// Counted from the end of stdin or a signal; the promise is two seconds. Answers have 1.3 s of it: a machine
/// that is late by 0.1 s still comes to the hosts' goodbye.
constexpr std::chrono::milliseconds kExitWithin{1'700};

/// Later signals change nothing: often two come at once (C-c in the client's terminal, then the client's
/// own), and a second one must not end the server half way. ExitDeadline bounds the time of the shutdown.
asio::awaitable<void> end_at_signal(Ending& ending) {
  asio::signal_set signals(co_await asio::this_coro::executor, SIGTERM, SIGINT, SIGHUP);
  for (;;) {
    co_await signals.async_wait(asio::use_awaitable);
    ending.asked.set();
  }
}

/// Where a pipe is cut without notice (the machine is gone, a NAT forgot the connection), only silence shows
/// it: a gateway sends something every 5 s. The instance lives on.
asio::awaitable<void> end_at_silence(Ending& ending) {
  constexpr std::chrono::seconds kSilent{20};
  constexpr std::chrono::seconds kLookEvery{1};
  while (Clock::now() - ending.last_heard < kSilent) {
    co_await sleep_for(kLookEvery);
  }
  ending.asked.set();
}

/// Serves the one client of this process until the connection ends. Calls that are under way then may still
/// use the manager: shut the manager down next, and stop the event loop last.
asio::awaitable<void> serve_stdio(std::shared_ptr<const Core> core, PeerSettingsPtr settings,
                                  const Config& config, Ending& ending) {
  const bool stop_calls = config.instance.empty();
  // Behind a gateway's pipe that has ended, nobody is left to read an answer.
  const Milliseconds answers_within =
      config.gateway.empty() ? StdioTransport::kAnswersWithin : Milliseconds(0);
  const std::size_t longest = config.gateway.empty() ? kMaxLineBytes : StdioTransport::kMostForwarded;
  StdioTransport transport(core->executor, take_stdio(), answers_within, longest);
  const auto peer = std::make_shared<Peer>(core, std::move(settings), transport.stream());
  std::exception_ptr failure;
  try {
    co_await transport.run(*peer, stop_calls, ending);
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  if (stop_calls) {
    core->tasks->stop();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

/// Serves the session until its end, then shuts down what must not outlive the session. The core and the
/// settings go last: the thread that reads files for them may hang, and is waited for.
asio::awaitable<void> serve_and_shut_down(TmuxManager& manager, const Config& config, Ending& ending) {
  // A pipe that still lives then is killed, and with it what ends the tabs there, if the pipe's program is
  // that.
  constexpr std::chrono::milliseconds kForFarEnds{1'200};
  const auto executor = co_await asio::this_coro::executor;
  std::shared_ptr<Hosts> hosts;
  std::shared_ptr<const Core> core;
  PeerSettingsPtr settings;
  std::exception_ptr failure;
  try {
    hosts = make_hosts(executor, manager, config);
    core = make_core(executor, manager, config, hosts);
    settings = settings_of(config, [&config, &ending] {
      ending.goodbye = true;
      if (config.temporary) {
        mark_left(Instance(config, config.instance));  // first: who says goodbye may kill this process
      }
      ending.asked.set();
    });
    co_await serve_stdio(core, settings, config, ending);
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  Spawned<> goodbye;
  if (hosts && config.instance.empty()) {
    goodbye = Spawned<>(executor, hosts->say_goodbye(Clock::now() + kForFarEnds));
  }
  co_await manager.shut_down();
  co_await goodbye.wait_by(Clock::now() + kForFarEnds);
  if (config.temporary && ending.goodbye) {  // the gateway's tabs, which live as long as the gateway
    const Instance instance(config, config.instance);
    co_await end_instance(config, instance, instance.server_pid());
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace

int serve(const Config& config) {
  std::signal(SIGPIPE, SIG_IGN);
  asio::io_context io(1);
  ExitDeadline guard;
  if (config.instance.empty() || config.temporary) {
    guard.leave_rest_to({"terminally-mcp", "--runtime-dir", config.runtime_root.string(), "--state-dir",
                         config.state_root.string(), "--tmux", config.tmux, "instances", "clean"});
  }
  guard.arm_at_hang_up(STDIN_FILENO, kExitWithin);
  TmuxManager manager(io.get_executor(), in_project(config));
  Ending ending;
  ending.on_begin = [&guard, &manager] {
    manager.client_has_left();
    return guard.arm(kExitWithin);
  };
  std::exception_ptr failure;
  asio::co_spawn(io, serve_and_shut_down(manager, config, ending), [&](const std::exception_ptr& error) {
    failure = error;
    io.stop();
  });
  asio::co_spawn(io, end_at_signal(ending), asio::detached);
  if (!config.gateway.empty()) {
    asio::co_spawn(io, end_at_silence(ending), asio::detached);
  }
  asio::co_spawn(io, manager.look_after_running(), asio::detached);
  io.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
  return 0;
}

}  // namespace terminally
