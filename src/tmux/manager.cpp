// The manager as a whole: made and put away. Its operations are in manager_*.cpp, each in the file of its
// kind.

#include "tmux/manager.hpp"

#include "base/error.hpp"
#include "server/tmux_terminal.hpp"
#include "tmux/manager_parts.hpp"

namespace terminally {
namespace {

/// Some clients start a server only to probe it: that one must not become the owner.
constexpr Milliseconds kNoProbe{250};
/// How often a server looks whether the one that owns its instance has gone.
constexpr Milliseconds kOwnerLook{1'000};

}  // namespace

TmuxManager::TmuxManager(boost::asio::any_io_executor executor, Config config,
                         std::shared_ptr<TmuxChannel> tmux)
    : parts_(std::make_unique<ManagerParts>(std::move(executor), std::move(config), std::move(tmux))) {}
TmuxManager::~TmuxManager() = default;

Awaitable<void> TmuxManager::own_instance() {
  co_await parts_->server.owner().own_to_start();
}

std::string TmuxManager::files_directory() const {
  return parts_->server.instance().files();
}

std::string TmuxManager::instance_name() const {
  return parts_->server.instance().name();
}

ManagerParts::ManagerParts(boost::asio::any_io_executor its_executor, Config its_config,
                           std::shared_ptr<TmuxChannel> tmux)
    : executor(std::move(its_executor)),
      config(std::move(its_config)),
      server(executor, config, std::move(tmux)),
      log_watch(executor),
      run_context{
          executor,
          [this](const Tab& tab) { return std::make_unique<TmuxTerminal>(server.client_of(tab), tab.pane); },
          log_watch,
          [this] { return server.alive(); },
          config.helper_dir / "terminally-shell",
          process_table,
          !config.gateway.empty()},
      results(text_worker),
      commands(config, run_context),
      tabs(executor, config, server, [this](const TabPtr& tab) { commands.look_after(tab); }),
      chooser(server, tabs, turns, commands) {}

Error ManagerParts::out_of_time(CallTime time) const {
  return Error(ErrorCode::tmux_timeout,
               "this took longer than a call may: " + server.what_held_up(time.arrived()) +
                   ". It is not known whether it was done, or will be; list_tabs and read_screen show it");
}

/// On its own, without a call: a command's deadline is to hold although its server died. Waits until the
/// instance's owner has gone, if there is one; starts nothing, and touches nothing where no tmux runs.
Awaitable<void> TmuxManager::look_after_running() {
  for (auto pause = kNoProbe; parts_->server.owner().durable(); pause = kOwnerLook) {
    co_await sleep_for(pause);
    if (parts_->server.pid() != 0 || !parts_->server.instance().server_lives()) {
      co_return;
    }
    try {
      co_await parts_->tabs.attach();
    } catch (const Error&) {
      continue;  // the first call says what is wrong
    }
  }
}

}  // namespace terminally
