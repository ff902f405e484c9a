// terminally-mcp tail: prints a tab's log and follows it, beside any server and without one.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio.hpp>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "base/until_signal.hpp"
#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "log/log_end.hpp"
#include "log/log_follower.hpp"
#include "log/output.hpp"
#include "log/pane_log.hpp"
#include "system/log_watch.hpp"
#include "terminal/guest.hpp"
#include "terminal/log_display.hpp"
#include "terminal/print.hpp"
#include "text/render.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How far back -n looks.
constexpr std::size_t kMostTailBytes = 64 * 1024 * 1024;
/// The most bytes rendered at once. An unfinished line waits for its newline up to this size.
constexpr std::size_t kRenderBytes = 1024 * 1024;
/// How often -f checks for output that the log does not take, as the log itself does not change then.
constexpr Milliseconds kLookAtTab{500};

struct TailOptions {
  std::string tab;
  bool follow = false;
  bool render = false;
  std::optional<std::uint64_t> from_byte;
  std::uint64_t lines = 10;
};

/// Prints log bytes unchanged, on a terminal only what draws, or rendered in blocks of finished lines.
class Printer {
 public:
  Printer(bool render, int cols) : render_(render), cols_(cols) {
    if (!render && ::isatty(STDOUT_FILENO) != 0) {
      stage_.emplace();
    }
  }

  void take(std::string_view bytes) {
    if (stage_) {
      stage_->show(bytes);
      return;
    }
    if (!render_) {
      print(bytes);
      return;
    }
    pending_ += bytes;
    if (pending_.size() >= kRenderBytes) {
      flush_lines();
    }
  }

  /// There is no more for now: shows the finished lines.
  void pause() { flush_lines(); }

  /// There will be no more: shows an unfinished line as well, and restores the terminal.
  void finish() {
    flush(pending_.size());
    stage_.reset();
  }

 private:
  void flush_lines() {
    const std::size_t newline = pending_.rfind('\n');
    flush(newline != std::string::npos ? newline + 1 : pending_.size() < kRenderBytes ? 0 : pending_.size());
  }

  void flush(std::size_t bytes) {
    if (bytes > 0) {
      print(render(std::string_view(pending_).substr(0, bytes), cols_));
      pending_.erase(0, bytes);
    }
  }

  bool render_;
  int cols_;
  std::optional<LogDisplay> stage_;
  std::string pending_;
};

/// Reads a log up to its present end, whoever writes it.
class WhatIsThere : public ReadableRange {
 public:
  Part now() override { return {.begin = 0, .end = kNoLimit, .last = true}; }
  asio::awaitable<void> changed_by(Clock::time_point /*when*/) override { co_return; }
  void wake() override {}
};

/// Tells a tab that is gone from one whose log writer is being restarted. `log` has no writer now.
bool is_closed(const Config& config, const PaneLog& log) {
  try {
    const std::vector<TabInfo> tabs = tabs_of(guest_config(config));
    return std::ranges::none_of(tabs, [&log](const TabInfo& tab) { return tab.log_path == log.path(); });
  } catch (const Error& error) {
    return error.code() == ErrorCode::not_found;  // the instance has ended; other errors may pass
  }
}

/// Says how much output is missing from a log that takes nothing: at once, and each time the amount doubled.
class LossTeller {
 public:
  void look(const PaneLog& log, std::uint64_t at) {
    const PaneLog::Gap gap = log.gap_between(at, UINT64_MAX);
    const std::uint64_t now = gap.bytes + gap.waiting;
    if (now >= std::max<std::uint64_t>(2 * told_, 1)) {
      complain(*gap_note(gap, "what was printed since byte " + std::to_string(at)));
      told_ = now;
    } else if (now == 0) {
      told_ = 0;
    }
  }

 private:
  std::uint64_t told_ = 0;
};

void print_slice(const PaneLog::Slice& slice, Printer& printer) {
  if (slice.gap_bytes) {
    complain(std::to_string(*slice.gap_bytes) + " bytes are missing from the log before byte " +
             std::to_string(slice.from));
  }
  if (slice.gap_unknown) {
    complain("an unknown number of bytes is missing from the log before byte " + std::to_string(slice.from));
  }
  printer.take(slice.bytes);
}

/// Prints the log until the follower has no more.
asio::awaitable<void> print_log(const PaneLog& log, LogFollower follower, Printer& printer) {
  LossTeller loss;
  bool more = true;
  while (more) {
    const std::optional<PaneLog::Slice> slice = co_await follower.next_by(Clock::now() + kLookAtTab);
    more = slice.has_value();
    if (more) {
      print_slice(*slice, printer);
    }
    if (!more || slice->eof) {
      printer.pause();
      loss.look(log, follower.offset());
    }
  }
}

asio::awaitable<void> follow(const Config& config, const PaneLog& log, std::uint64_t at, Printer& printer) {
  LogWatch watcher(co_await asio::this_coro::executor);
  auto whole = std::make_unique<WholeLog>(watcher.watch(log.path()), [&config, &log] {
    return log_writer(log.path()) == 0 && is_closed(config, log);
  });
  LogFollower follower(log, std::move(whole), at);
  co_await print_log(log, std::move(follower), printer);
}

asio::awaitable<void> print_all(const PaneLog& log, std::uint64_t at, Printer& printer) {
  return print_log(log, LogFollower(log, std::make_unique<WhatIsThere>(), at), printer);
}

std::uint64_t first_byte(const PaneLog& log, const TailOptions& options) {
  if (options.from_byte) {
    refuse_beyond_end(log, *options.from_byte, "--from-byte");
    return *options.from_byte;
  }
  const PaneLog::Tail tail = log.last_lines(options.lines, kMostTailBytes);
  if (tail.lines < options.lines && tail.truncated) {
    complain("-n: found only " + std::to_string(tail.lines) + " lines within the last " +
             std::to_string(tail.next - tail.from) + " bytes; use --from-byte for more");
  }
  return tail.from;
}

int tail(const Config& config, const TailOptions& options) {
  const WindowId tab = tab_of(config, options.tab);
  const PaneLog log = log_of(config, tab);
  Printer printer(options.render, static_cast<int>(config.cols));
  const std::uint64_t from = first_byte(log, options);
  asio::io_context io(1);
  const auto work = [&]() -> asio::awaitable<void> {
    return options.follow ? follow(config, log, from, printer) : print_all(log, from, printer);
  };
  const int result = run_until_signal(io, work());
  printer.finish();
  if (options.follow && result == 0) {
    complain("tab " + to_string(tab) + " is closed: nothing more comes");
  }
  return result;
}

}  // namespace

void add_tail(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<TailOptions>();
  CLI::App* command = app.add_subcommand("tail", "What a tab printed, from its log; closed tabs, too");
  add_tab_argument(*command, options->tab, "The tab")->required();
  command->add_flag("-f,--follow", options->follow, "Go on with what comes, until the tab is closed or C-c");
  const auto from = command
                        ->add_option("--from-byte", options->from_byte,
                                     "Begin at this byte of all that the tab ever printed")
                        ->check(whole_number());
  command->add_option("-n,--lines", options->lines, "How many lines of the end to begin with")
      ->check(whole_number())
      ->capture_default_str()
      ->excludes(from);
  command->add_flag("--render", options->render,
                    "What a person would have seen in the end: no colours, redrawn lines once. With -f, "
                    "lines come when they are finished");
  command->footer(
      "Into a pipe or a file every byte comes as it was printed; a terminal gets only what is safe to draw:\n"
      "no titles, no clipboard, no marks of ours. Bytes that are gone are named on stderr.\n"
      "Examples:\n"
      "  terminally-mcp tail @3                   the last 10 lines\n"
      "  terminally-mcp tail @3 -f                follow it\n"
      "  terminally-mcp tail @3 --from-byte 0     everything; byte for byte into a pipe\n"
      "  terminally-mcp tail @3 -n 500 --render   as text");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return tail(config, *options); }; });
}

}  // namespace terminally
