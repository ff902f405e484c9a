// Ends the tabs of a tmux server that is lost, and clears up after it.
#include "tmux/server/lost_server.hpp"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "command/command_run.hpp"
#include "instance/tab_ids.hpp"
#include "log/log_end.hpp"
#include "tab/tab_processes.hpp"
#include "tmux/server/instance_end.hpp"

namespace terminally {
namespace {

/// What tmux had passed on before it was lost is in the logs by then.
constexpr Milliseconds kLostLogEndsWithin{400};

}  // namespace

Awaitable<LostTabs> end_lost_tabs(std::vector<std::shared_ptr<Tab>> tabs) {
  const auto logs_end_by = Clock::now() + kLostLogEndsWithin;
  LostTabs lost;
  for (const std::shared_ptr<Tab>& tab : tabs) {
    lost.panes.push_back(leader_of(*tab));
    lost.known.processes.insert(tab->known.processes.begin(), tab->known.processes.end());
    lost.known.sessions_in_front.insert(tab->known.sessions_in_front.begin(),
                                        tab->known.sessions_in_front.end());
    tab->closed = true;
    if (!tab->runs.empty()) {
      co_await wait_for_log_end(tab->log, logs_end_by);
    }
    for (const auto& run : std::vector(tab->runs)) {
      co_await run->output().catch_up();
      run->ending().give_up(Reason::tmux_server_lost);
    }
  }
  co_return lost;
}

Awaitable<void> clear_up_lost_server(const Instance& instance, std::uint32_t generation, LostTabs lost,
                                     std::function<void(const std::shared_ptr<Tab>&)> look_after) {
  Detachment detachment(std::move(lost.panes), {}, lost.known.sessions_in_front);
  co_await end_tab_processes(instance, std::move(detachment), std::move(lost.known));
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(instance.generation(generation), error)) {
    if (const auto window = tab_of_records(entry.path())) {
      look_after(std::make_shared<Tab>(*window, home_of(instance, generation, *window)));
    }
  }
  remove_command_files(instance);
}

}  // namespace terminally
