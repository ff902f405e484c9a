#include "cli/serve.hpp"

#include <unistd.h>

#include <boost/asio.hpp>
#include <csignal>
#include <utility>

#include "base/event.hpp"
#include "cli/exit_guard.hpp"
#include "cli/print.hpp"
#include "hosts/hosts.hpp"
#include "instance/instance.hpp"
#include "server/instance_end.hpp"
#include "server/spawned_client.hpp"
#include "stdio/serve.hpp"
#include "system/proc.hpp"
#include "tmux/manager.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// Of the two seconds that are promised, from the end of stdin or a signal on.
constexpr std::chrono::milliseconds kExitWithin{1'700};

/// For what an unnamed instance leaves where there was no time to end it.
std::vector<std::string> clean_up_of(const Config& config) {
  return {"terminally-mcp",
          "--runtime-dir",
          config.runtime_root.string(),
          "--state-dir",
          config.state_root.string(),
          "instances",
          "clean"};
}

/// Who starts the program by hand would wait for something to happen. On stderr: stdout is the protocol's.
void say_what_to_do() {
  complain(
      "this is an MCP server: it waits here for an MCP client, which starts it by itself and speaks JSON on "
      "its stdin. C-d ends it.\n"
      "  terminally-mcp demo              shows a client at work, and the configuration for yours\n"
      "  terminally-mcp doctor            looks whether this machine has what is needed\n"
      "  terminally-mcp ls, exec, attach  the tabs of a server that runs already\n"
      "  terminally-mcp --help            all there is");
}

/// What each call would be told, before the first one comes.
void say_what_is_wrong(const Config& config) {
  for (const std::string& trouble : {trouble_with_proc(), trouble_with_tmux(config.tmux)}) {
    if (!trouble.empty()) {
      complain(trouble);
    }
  }
}

/// Later signals change nothing: often two come at once (C-c in the client's terminal, then the client's
/// own), and a second one must not end us half way. How long the end takes is the guard's to keep.
asio::awaitable<void> end_at_signal(Ending& ending) {
  asio::signal_set signals(co_await asio::this_coro::executor, SIGTERM, SIGINT, SIGHUP);
  for (;;) {
    co_await signals.async_wait(asio::use_awaitable);
    ending.asked.set();
  }
}

/// Behind a pipe that was cut in a way that nobody is told of (a machine that is gone, a NAT that forgot),
/// only silence tells: a gateway says something every 5 s. The instance lives on.
asio::awaitable<void> end_at_silence(Ending& ending) {
  constexpr std::chrono::seconds kSilent{20};
  constexpr std::chrono::seconds kLookEvery{1};
  while (Clock::now() - ending.last_heard < kSilent) {
    co_await sleep_for(kLookEvery);
  }
  ending.asked.set();
}

/// The hosts that a person has allowed; null where there are none. A far side has none of its own: one hop.
/// Who uses one owns the instance that the tabs there are named after, so that people find them by it, and no
/// second server of that name takes them over.
std::shared_ptr<Hosts> hosts_of(TmuxManager& manager, const Config& config,
                                const asio::any_io_executor& executor) {
  const std::vector<HostEntry> entries =
      config.gateway.empty() ? read_hosts(config.hosts_file) : std::vector<HostEntry>();
  const std::string instance = std::filesystem::path(manager.files_directory()).filename().string();
  const Host::Before own = [&manager] { return manager.own_instance(); };
  return entries.empty() ? nullptr : std::make_shared<Hosts>(executor, entries, config, instance, own);
}

/// The session until its end, then what must not outlive it.
asio::awaitable<void> serve_and_shut_down(TmuxManager& manager, const Config& config, Ending& ending) {
  constexpr std::chrono::milliseconds kForGoodbye{300};
  const auto executor = co_await asio::this_coro::executor;
  std::shared_ptr<Hosts> hosts;
  std::exception_ptr failure;
  try {
    hosts = hosts_of(manager, config, executor);
    auto redaction = make_redaction(config);
    Implementation info = this_implementation();
    co_await serve_stdio(manager, config, std::move(redaction), std::move(info), ending, hosts);
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  if (hosts && config.instance.empty()) {
    co_await hosts->say_goodbye(Clock::now() + kForGoodbye);
  }
  co_await manager.shut_down();
  if (config.temporary && ending.goodbye) {  // what a gateway had opened here for its own lifetime
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
  say_what_is_wrong(config);
  if (::isatty(STDIN_FILENO) != 0) {
    say_what_to_do();
  }
  asio::io_context io(1);
  ExitGuard guard(config.instance.empty() ? clean_up_of(config) : std::vector<std::string>());
  guard.arm_at_hang_up(STDIN_FILENO, kExitWithin);
  TmuxManager manager(io.get_executor(), config);
  Ending ending;
  ending.on_begin = [&guard] { return guard.arm(kExitWithin); };
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
