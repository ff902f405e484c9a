// Lists all processes of the machine with their marks, once for all callers that ask at the same time.
#include "system/process_table.hpp"

#include <boost/asio.hpp>
#include <string_view>
#include <utility>

#include "base/files.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How many processes are read before other coroutines may run: under a millisecond's worth.
constexpr std::size_t kLookedAtInOneGo = 32;

}  // namespace

asio::awaitable<std::shared_ptr<const ProcessTable::Processes>> ProcessTable::look() {
  const std::uint64_t asked = ++asked_;
  const AsyncMutex::Guard turn = co_await turn_->lock();
  if (latest_asked_ < asked) {
    const std::uint64_t before = asked_;
    latest_ = co_await look_at_all();
    latest_asked_ = before;
  }
  co_return latest_;
}

asio::awaitable<std::shared_ptr<const ProcessTable::Processes>> ProcessTable::look_at_all() {
  ++looks_;
  still_unmarked_.clear();
  const auto processes = std::make_shared<Processes>();
  std::size_t looked_at = 0;
  for (const int pid : all_pids()) {
    look_at(pid, *processes);
    if (++looked_at % kLookedAtInOneGo == 0) {
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    }
  }
  unmarked_.swap(still_unmarked_);
  co_return processes;
}

void ProcessTable::look_at(int pid, Processes& processes) {
  auto info = process_info(pid);
  if (!info || info->state == 'Z') {
    return;
  }
  MarkedProcess process;
  const auto known = unmarked_.find(pid);
  bool unmarked = known != unmarked_.end() && known->second == info->start_ticks;
  if (!unmarked) {
    process.tag = process_tag(pid);
    const std::string environment =
        read_file("/proc/" + std::to_string(pid) + "/environ").value_or(std::string());
    process.tab_cookie = tab_cookie_in(environment);
    // A process without a readable environment may be in the midst of an exec.
    unmarked = !process.tag && process.tab_cookie.empty() && !environment.empty();
  }
  if (unmarked) {
    still_unmarked_.emplace(pid, info->start_ticks);
  }
  process.info = std::move(*info);
  processes.push_back(std::move(process));
}

}  // namespace terminally
