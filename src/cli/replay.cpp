// terminally-mcp replay: plays what a tab printed from its log, with the pauses that the tab made.

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio.hpp>
#include <memory>
#include <optional>

#include "base/timeout.hpp"
#include "base/until_signal.hpp"
#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "log/output.hpp"
#include "log/recording.hpp"
#include "terminal/log_display.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
using Seconds = std::chrono::duration<double>;

struct ReplayOptions {
  std::string log;
  double speed = 1;
  std::uint64_t from_byte = 0;
  std::optional<double> max_pause;
};

/// While a recording plays, keys are neither echoed nor left for the shell. Does nothing without a terminal.
class QuietKeyboard {
 public:
  QuietKeyboard() : quiet_(::isatty(STDOUT_FILENO) != 0 && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (quiet_) {
      termios mode = before_;
      mode.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON);  // Ctrl-C stays a signal
      ::tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
    }
  }

  ~QuietKeyboard() {
    if (quiet_) {
      ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    }
  }

  QuietKeyboard(const QuietKeyboard&) = delete;
  QuietKeyboard& operator=(const QuietKeyboard&) = delete;

 private:
  termios before_{};
  bool quiet_;
};

void warn_of_small_terminal(const Config& config) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
      (size.ws_col < config.cols || size.ws_row < config.rows)) {
    complain("this terminal is smaller than the tab (" + std::to_string(config.cols) + "x" +
             std::to_string(config.rows) + "): what was drawn may look broken");
  }
}

asio::awaitable<void> play(Recording& recording, const ReplayOptions& options, LogDisplay& stage) {
  auto due = Clock::now();
  while (auto piece = recording.next()) {
    Seconds wait = piece->wait;
    wait = std::min(wait, Seconds(options.max_pause.value_or(wait.count()))) / options.speed;
    due += std::chrono::duration_cast<Clock::duration>(wait);
    co_await sleep_until(due);  // even if it is due already, so that signals are handled
    if (piece->gap_bytes > 0) {
      complain(std::to_string(piece->gap_bytes) + " bytes are missing from the log here");
    }
    if (piece->gap_unknown) {
      complain("an unknown number of bytes is missing here: the log's writer was killed");
    }
    stage.show(piece->bytes);
  }
}

int replay(const Config& config, const ReplayOptions& options) {
  const PaneLog log = log_named(config, options.log);
  refuse_beyond_end(log, options.from_byte, "--from-byte");
  Recording recording(log, options.from_byte);
  if (!recording.has_times()) {
    complain("this log has no timing index: played at once");
  }
  warn_of_small_terminal(config);
  const QuietKeyboard quiet;
  LogDisplay stage(LogDisplay::Page::own);
  asio::io_context io(1);
  return run_until_signal(io, play(recording, options, stage));
}

}  // namespace

void add_replay(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<ReplayOptions>();
  CLI::App* command =
      app.add_subcommand("replay", "Plays what a tab printed, waiting as it waited; closed tabs, too");
  add_log_argument(*command, options->log, "The tab, or the path of a log")->required();
  command->add_option("--speed", options->speed, "How many times faster than it was")
      ->check(number(0.01, 1'000'000.0))
      ->capture_default_str();
  command
      ->add_option("--max-pause", options->max_pause, "Wait no longer than this many seconds of it at once")
      ->check(number(0.0, 1'000'000.0));
  command
      ->add_option("--from-byte", options->from_byte, "Begin at this byte of all that the tab ever printed")
      ->check(whole_number());
  command->footer(
      "Ctrl-C ends it. Nothing but drawing is played: no titles, links, clipboard or questions to the "
      "terminal.\n"
      "Examples:\n"
      "  terminally-mcp replay @3 --max-pause 2    no long waits\n"
      "  terminally-mcp replay @3 --speed 4\n"
      "  terminally-mcp replay ~/.local/state/terminally-mcp/work/1/pane-@3.log");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return replay(config, *options); }; });
}

}  // namespace terminally
