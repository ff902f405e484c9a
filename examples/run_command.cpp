// Runs one command in a terminal tab, shows what it prints while it prints it, and exits with its exit code.
//
//     run_command 'make -j2 && ctest'
//
// TmuxManager is the whole C++ API: structs in, structs out, one thread, one event loop. Link
// `terminally_tmux`.
#include <unistd.h>

#include <boost/asio.hpp>
#include <filesystem>
#include <iostream>

#include "base/event.hpp"
#include "tmux/manager.hpp"

namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace terminally;

static asio::awaitable<void> show(LogFollower& output, Event& all_shown) {
  for (;;) {
    const std::optional<PaneLog::Slice> slice = co_await output.next();
    if (!slice) {
      break;
    }
    std::cout << slice->bytes << std::flush;
  }
  all_shown.set();
}

static asio::awaitable<int> run(TmuxManager& manager, std::string command) {
  CreateTab wanted;
  wanted.name = "example";
  const CreatedTab tab = co_await manager.tabs().create(wanted);

  ExecuteCommand request;
  request.window_id = tab.window_id;
  request.command = std::move(command);
  request.timeout_ms = 600'000;
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  std::optional<LogFollower> output;
  Event all_shown;
  OutputReader reader = [&](LogFollower follower) {
    output.emplace(std::move(follower));
    asio::co_spawn(executor, show(*output, all_shown), asio::detached);
  };
  const CommandResult result = co_await manager.commands().execute(request, std::move(reader));
  output->finish();
  co_await all_shown.wait();

  std::cout << "[" << to_string(result.state) << " after " << result.duration_ms << " ms, "
            << result.output_bytes << " bytes]\n";
  co_await manager.shut_down();  // an unnamed instance ends with us
  co_return result.exit_code.value_or(1);
}

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: run_command COMMAND\n";
    return 2;
  }
  const fs::path directory = fs::temp_directory_path() / ("terminally-example-" + std::to_string(::getpid()));
  Config config;
  config.runtime_root = directory / "run";  // the tmux socket: a short path
  config.state_root = directory / "state";  // the logs
  config.helper_dir =
      fs::read_symlink("/proc/self/exe").parent_path();  // terminally-log and terminally-shell

  asio::io_context io(1);
  TmuxManager manager(io.get_executor(), config);
  std::future<int> exit_code = asio::co_spawn(io, run(manager, argv[1]), asio::use_future);
  io.run();
  fs::remove_all(directory);
  return exit_code.get();
} catch (const std::exception& error) {
  std::cerr << "run_command: " << error.what() << '\n';
  return 1;
}
