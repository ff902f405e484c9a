// Makes what the calls of the manager work with, hands each class of calls its parts, and puts all of it
// away.
#include "tmux/manager.hpp"

#include "base/error.hpp"
#include "system/log_watch.hpp"
#include "system/process_table.hpp"
#include "tab/tab_turns.hpp"
#include "tmux/command_results.hpp"
#include "tmux/server/call_times.hpp"
#include "tmux/server/keeper.hpp"
#include "tmux/tabs/commands.hpp"
#include "tmux/tabs/tab_chooser.hpp"
#include "tmux/tabs/tabs.hpp"
#include "tmux/wire/text_worker.hpp"
#include "tmux/wire/tmux_terminal.hpp"

namespace terminally {
namespace {

/// Some clients start a server only to probe it: that one must not become the owner.
constexpr Milliseconds kNoProbe{250};
/// Between two tries to come to a tmux server that has not answered.
constexpr Milliseconds kTriesAgain{1'000};

}  // namespace

/// Each part says for itself what it is, and knows those above it at most.
struct TmuxManager::Parts {
  Parts(const boost::asio::any_io_executor& executor, Config its_config, std::shared_ptr<TmuxChannel> tmux)
      : config(std::move(its_config)),
        server(executor, config, std::move(tmux)),
        log_watch(executor),
        context{executor,
                [this](const Tab& tab) {
                  return std::make_unique<TmuxTerminal>(server.client_of(tab), tab.pane);
                },
                log_watch,
                [this] { return server.alive(); },
                config.helper_dir / "terminally-shell",
                processes,
                !config.gateway.empty()},
        tabs(executor, config, server, [this](const TabPtr& tab) { commands.look_after(tab); }),
        keeper(executor, server.owner(), log_watch, tabs.changes().news(),
               [this](bool fresh) { return tabs.look_after_all(fresh); }) {}

  Config config;
  TmuxServer server;
  CallTimes times{config, server};
  LogWatch log_watch;
  ProcessTable processes;
  RunContext context;
  TextWorker texts;
  CommandResults results{texts};
  Commands commands{config, context};
  Tabs tabs;
  Keeper keeper;
  TabTurns turns{log_watch};
  TabChooser chooser{config, server, tabs, turns, commands};
};

TmuxManager::TmuxManager(const boost::asio::any_io_executor& executor, Config config,
                         std::shared_ptr<TmuxChannel> tmux)
    : parts_(std::make_unique<Parts>(executor, std::move(config), std::move(tmux))),
      tabs_({parts_->times, parts_->config, parts_->server, parts_->tabs, parts_->commands, parts_->chooser,
             parts_->processes, parts_->log_watch}),
      commands_({parts_->times, parts_->config, parts_->tabs, parts_->turns, parts_->chooser,
                 parts_->commands, parts_->results}),
      stops_({parts_->times, parts_->tabs, parts_->turns, parts_->chooser, parts_->context, parts_->commands,
              parts_->results, commands_}),
      input_({parts_->times, parts_->tabs, parts_->turns}),
      output_({parts_->times, parts_->tabs, parts_->commands, parts_->log_watch, parts_->texts,
               parts_->results}) {}
TmuxManager::~TmuxManager() = default;

Awaitable<void> TmuxManager::own_instance() {
  co_await parts_->server.owner().own_for_hosts();
}

std::string TmuxManager::files_directory() const {
  return parts_->server.instance().files();
}

std::string TmuxManager::instance_name() const {
  return parts_->server.instance().name();
}

/// The deadline of a command holds although its server died. Where no tmux runs, nothing is touched.
Awaitable<void> TmuxManager::look_after_running() {
  TmuxServer& server = parts_->server;
  if (!server.owner().durable()) {
    co_return;
  }
  for (auto pause = kNoProbe;; pause = kTriesAgain) {
    co_await sleep_for(pause);
    try {
      co_await parts_->keeper.wait_for_tmux();
      co_await parts_->tabs.attach();
    } catch (const Error&) {
      continue;  // the first call says what is wrong
    }
    if (server.pid() != 0) {
      parts_->keeper.wake();
      co_await server.gone();
    }
  }
}

void TmuxManager::client_has_left() {
  parts_->chooser.leave_mains();
}

Awaitable<void> TmuxManager::shut_down() {
  parts_->keeper.stop();
  parts_->tabs.stop();
  for (const auto& [window, tab] : parts_->tabs.known()) {
    for (const RunPtr& run :
         parts_->server.owner().durable() ? std::vector<RunPtr>() : std::vector(tab->runs)) {
      run->ending().give_up(Reason::tab_closed);
    }
  }
  co_await parts_->server.shut_down();
}

}  // namespace terminally
