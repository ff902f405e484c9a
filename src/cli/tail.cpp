// terminally-mcp tail: what a tab printed, and prints, from its log. Asks nobody: it works beside any server,
// and without one.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio.hpp>
#include <memory>

#include "base/timeout.hpp"
#include "cli/log_argument.hpp"
#include "cli/print.hpp"
#include "cli/subcommands.hpp"
#include "cli/tab_argument.hpp"
#include "cli/whole_number.hpp"
#include "tmux/log_watch.hpp"
#include "tmux/output.hpp"
#include "tmux/pane_log.hpp"
#include "tmux/render.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kReadBytes = 256 * 1024;
/// -n looks no further back than this.
constexpr std::size_t kMostTailBytes = 64 * 1024 * 1024;
/// Rendered at once; what is not finished by a newline waits for more, up to this.
constexpr std::size_t kRenderBytes = 1024 * 1024;

/// A log that takes nothing does not change.
constexpr Milliseconds kLossLook{500};

struct TailOptions {
  std::optional<WindowId> tab;
  bool follow = false;
  bool render = false;
  std::optional<std::uint64_t> from_byte;
  std::uint64_t lines = 10;
};

/// Prints log bytes as they are, or rendered a block of finished lines at a time.
class Printer {
 public:
  Printer(bool render, int cols) : render_(render), cols_(cols) {}

  void take(std::string_view bytes) {
    if (!render_) {
      print(bytes);
      return;
    }
    pending_ += bytes;
    if (pending_.size() >= kRenderBytes) {
      flush_lines();
    }
  }

  /// There is no more for now: finished lines are shown.
  void pause() { flush_lines(); }

  /// There will be no more: an unfinished line is shown as well.
  void finish() { flush(pending_.size()); }

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
  std::string pending_;
};

/// Prints what is there from `at` on; returns where it ends by now.
std::uint64_t print_from(const PaneLog& log, std::uint64_t at, Printer& printer) {
  for (;;) {
    const PaneLog::Slice slice = log.read(at, kReadBytes);
    if (slice.gap_bytes) {
      complain(std::to_string(*slice.gap_bytes) + " bytes are gone before byte " +
               std::to_string(slice.from));
    }
    if (slice.gap_unknown) {
      complain("an unknown number of bytes is gone before byte " + std::to_string(slice.from));
    }
    printer.take(slice.bytes);
    at = slice.next;
    if (slice.eof || slice.bytes.empty()) {
      return at;
    }
  }
}

/// Says what is printed meanwhile and is not in the log, which takes nothing: at once, and when it has
/// doubled.
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

asio::awaitable<void> follow(const PaneLog& log, std::uint64_t at, Printer& printer) {
  LogWatch watcher(co_await asio::this_coro::executor);
  LogWatch::Watch watch = watcher.watch(log.path());
  LossTeller loss;
  for (;;) {
    at = print_from(log, at, printer);
    printer.pause();
    loss.look(log, at);
    co_await finish_by(Clock::now() + kLossLook, watch.changed());
  }
}

std::uint64_t first_byte(const PaneLog& log, const TailOptions& options) {
  if (options.from_byte) {
    refuse_beyond_end(log, *options.from_byte, "--from-byte");
    return *options.from_byte;
  }
  const PaneLog::Tail tail = log.last_lines(options.lines, kMostTailBytes);
  if (tail.lines < options.lines && tail.truncated) {
    complain("-n: only the last " + std::to_string(tail.lines) + " lines, " +
             std::to_string(tail.next - tail.from) + " bytes; use --from-byte for more");
  }
  return tail.from;
}

int tail(const Config& config, const TailOptions& options) {
  const PaneLog log = log_of(config, *options.tab);
  Printer printer(options.render, static_cast<int>(config.cols));
  const std::uint64_t from = first_byte(log, options);
  if (!options.follow) {
    const std::uint64_t end = print_from(log, from, printer);
    printer.finish();
    LossTeller().look(log, end);
    return 0;
  }
  asio::io_context io(1);
  std::exception_ptr failure;
  asio::co_spawn(io, follow(log, from, printer),
                 [&failure](const std::exception_ptr& error) { failure = error; });
  io.run();
  std::rethrow_exception(failure);  // it goes on until a signal ends us, or nobody reads us
}

}  // namespace

void add_tail(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<TailOptions>();
  CLI::App* command = app.add_subcommand("tail", "What a tab printed, raw, from its log; closed tabs, too");
  add_tab_argument(*command, options->tab, "The tab")->required();
  command->add_flag("-f,--follow", options->follow, "Go on with what comes, until C-c");
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
      "Bytes that are gone (a log that could not be written) are named on stderr.\n"
      "Examples:\n"
      "  terminally-mcp tail @3                   the last 10 lines\n"
      "  terminally-mcp tail @3 -f                follow it\n"
      "  terminally-mcp tail @3 --from-byte 0     everything, byte for byte\n"
      "  terminally-mcp tail @3 -n 500 --render   as text");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return tail(config, *options); }; });
}

}  // namespace terminally
