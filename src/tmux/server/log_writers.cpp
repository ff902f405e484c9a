#include "tmux/server/log_writers.hpp"

#include <algorithm>

#include "base/awaitable.hpp"
#include "base/error.hpp"
#include "base/event.hpp"
#include "instance/helpers.hpp"
#include "instance/log_store.hpp"
#include "instance/tab_ids.hpp"
#include "log/log_end.hpp"
#include "log/log_record.hpp"
#include "system/proc.hpp"
#include "system/process_watch.hpp"
#include "tmux/server/server_config.hpp"
#include "tmux/server/writer_tries.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kBetweenWriterLooks{20};
/// Where the writer's number cannot be seen (another PID namespace), its lock is looked at this often.
constexpr Milliseconds kUnnumbered{500};
/// Not in the way of the first call.
constexpr Milliseconds kFirstSweep{1'000};
constexpr Milliseconds kBetweenSweeps{60'000};

struct Pane {
  PaneId id;
  int pid = 0;  ///< terminally-shell
  std::filesystem::path log;
  const Config* config = nullptr;
};

/// The first thing that a writer leaves is a record in the sidecar.
bool had_writer(const std::filesystem::path& log) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(log.native() + std::string(kLogSidecarSuffix), error);
  return !error && bytes > 0;
}

/// Whether a writer for this log runs that may hold no lock yet: it waits for space or for its directory.
bool has_waiting_writer(const std::filesystem::path& log) {
  const std::string argument = std::string("\0", 1) + log.native() + std::string("\0", 1);
  return std::ranges::any_of(all_processes(), [&argument](const ProcessInfo& process) {
    return process.name == "terminally-log" && process.state != 'Z' &&
           read_file("/proc/" + std::to_string(process.pid) + "/cmdline").value_or("").find(argument) !=
               std::string::npos;
  });
}

/// Never where a writer lives: that would throw away what tmux has not passed on yet. `#{pane_pipe}` does not
/// tell: tmux notices a writer's end only when it has something to write.
/// But a writer that nobody has seen yet may be on its way, on a loaded machine: `unseen` asks all the same.
Awaitable<void> pipe_again(const TmuxClient& client, const Pane& pane, bool unseen) {
  try {
    make_private_directory(pane.log.parent_path());
    static_cast<void>(trouble_with_helpers(*pane.config));  // one that cannot be run ends, and is tried again
    if (!has_waiting_writer(pane.log)) {
      const std::string id = quote(to_string(pane.id));
      const std::string pipe = "pipe-pane -t " + id + " " + quote(log_writer_command(*pane.config));
      const std::string pipe_if_none = "if-shell -F -t " + id + " '#{pane_pipe}' '' " + quote(pipe);
      co_await client.change(unseen ? pipe_if_none : pipe);
    }
  } catch (const Error&) {
    // tmux is frozen, or the pane is gone: the next look tells
  }
}

/// Waits for the end of a log's writer. False: for want of a descriptor it cannot be watched, or, while it is
/// watched, not be seen to be that writer still.
Awaitable<bool> wait_for_writer(boost::asio::any_io_executor executor, const Pane& pane, int writer) {
  Event ended;
  ProcessWatch watch(executor);
  if (!watch.start(writer, [&ended] { ended.set(); })) {
    co_return false;
  }
  const int now = log_writer(pane.log);
  if (now == writer) {
    co_await ended.wait();
  }
  co_return now >= 0;
}

/// Polls only while there is no writer, or no descriptor to see it by: its end is told by the system.
Awaitable<void> keep_writer(boost::asio::any_io_executor executor, TmuxClient client, Pane pane) {
  WriterTries tries(Clock::now());
  while (is_alive(pane.pid)) {
    const int writer = log_writer(pane.log);
    if (writer > 0) {
      if (!co_await wait_for_writer(executor, pane, writer)) {
        co_await sleep_for(kUnnumbered);
      }
      tries.lost_one(Clock::now());
    } else if (writer == 0 && Clock::now() >= tries.next()) {
      co_await pipe_again(client, pane, !had_writer(pane.log));
      tries.tried(Clock::now());
    } else {
      co_await sleep_for(writer < 0 ? kUnnumbered : kBetweenWriterLooks);
    }
  }
}

Awaitable<void> keep_logs(Config config) {
  for (auto pause = kFirstSweep;; pause = kBetweenSweeps) {
    co_await sleep_for(pause);
    try {
      co_await sweep_logs(config);
    } catch (const std::filesystem::filesystem_error&) {  // NOLINT(bugprone-empty-catch): the next one tries
    } catch (const Error&) {                              // NOLINT(bugprone-empty-catch): again
    }
  }
}

}  // namespace

LogWriters::LogWriters(boost::asio::any_io_executor executor, const Config& config)
    : executor_(std::move(executor)), config_(config) {}

void LogWriters::guard(const PaneRow& row, const std::filesystem::path& generation, const TmuxClient& tmux) {
  const auto known = guarded_.find(row.pane);
  if (config_.guest || row.tag.empty() ||
      (known != guarded_.end() && known->second.pane_pid == row.pane_pid)) {
    return;
  }
  guarded_.erase(row.pane);
  Pane pane;
  pane.id = row.pane;
  pane.pid = row.pane_pid;
  pane.log = log_path(generation, row.tag);
  pane.config = &config_;
  guarded_.emplace(
      row.pane, Guarded{row.pane_pid, Background(executor_, keep_writer(executor_, tmux, std::move(pane)))});
  if (!sweeper_) {
    sweeper_.emplace(executor_, keep_logs(config_));
  }
}

void LogWriters::keep_only(const std::vector<PaneRow>& rows) {
  std::erase_if(guarded_, [&rows](const auto& guarded) {
    return std::ranges::none_of(rows, [&](const PaneRow& row) { return row.pane == guarded.first; }) &&
           !is_alive(guarded.second.pane_pid);
  });
}

void LogWriters::forget_all() {
  guarded_.clear();
}

void LogWriters::stop() {
  guarded_.clear();
  sweeper_.reset();
}

}  // namespace terminally
