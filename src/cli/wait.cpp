// terminally-mcp wait: waits for the end of a tab's command, or for something that it prints or does.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "terminal/guest.hpp"
#include "terminal/outcome.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

constexpr std::uint64_t kForEverMs = 10ULL * 365 * 24 * 3'600 * 1'000;
/// As timeout(1).
constexpr int kWaitTimedOut = 124;

struct WaitOptions {
  std::string tab;
  std::string pattern;
  bool input = false;
  std::uint16_t port = 0;
  std::uint64_t idle_ms = 0;
  std::uint64_t timeout_ms = 0;
};

WaitFor request_of(const WaitOptions& options, WindowId tab) {
  WaitFor request;
  request.window_id = tab;
  WaitTerms& terms = request.waiting;
  terms.until = !options.pattern.empty() ? Until::pattern
                : options.input          ? Until::input
                : options.port != 0      ? Until::port
                : options.idle_ms != 0   ? Until::idle
                                         : Until::exit;
  terms.pattern = options.pattern;
  terms.port = options.port;
  terms.idle_ms = options.idle_ms;
  terms.timeout_ms = options.timeout_ms == 0 ? kForEverMs : options.timeout_ms;
  terms.max_output_bytes = 0;
  return request;
}

/// Why what was waited for has not come.
int told(const WaitForResult& waited, const std::string& tab) {
  if (waited.reason == "timeout") {
    complain("the time is over");
    return kWaitTimedOut;
  }
  if (waited.awaiting_input) {
    const std::string& prompt = waited.awaiting_input->prompt;
    complain("the command waits for the keyboard" + (prompt.empty() ? "" : " at \"" + prompt + "\"") +
             "; to answer it: terminally-mcp send " + tab + " TEXT, or terminally-mcp attach " + tab);
    return 1;
  }
  complain(waited.reason == "tab_closed"
               ? "the tab is closed"
               : "nothing runs in " + tab + " any more: its last command has ended");
  return 1;
}

/// The exit code of what a free tab ran last, said; 0 where nothing was run in it. nullopt: something runs,
/// or its end is not on record yet.
std::optional<int> told_if_free(const std::vector<TabInfo>& tabs, WindowId tab) {
  const auto found = std::ranges::find(tabs, tab, &TabInfo::window_id);
  if (found == tabs.end() || found->busy) {
    return std::nullopt;
  }
  if (!found->command) {
    complain("nothing runs in " + to_string(tab) + ", and no command was run in it yet");
    return 0;
  }
  if (found->command->state == CommandState::running) {
    return std::nullopt;
  }
  constexpr std::size_t kMostBytes = 60;
  complain("nothing runs in " + to_string(tab) + "; the last was \"" +
           first_line_of(found->command->text, kMostBytes) + "\"");
  return exit_status_of(found->command->state, found->command->exit_code);
}

int wait(const Config& given, const WaitOptions& options) {
  Config config = guest_config(given);
  config.sync_window_ms = kForEverMs;
  const WindowId tab = tab_of(config, options.tab);
  const bool of_command = request_of(options, tab).waiting.until == Until::exit;
  const auto free = of_command ? told_if_free(tabs_of(config), tab) : std::nullopt;
  if (free) {
    return *free;
  }
  const WaitForResult waited = ask_as_guest<WaitForResult>(
      config, [&](TmuxManager& manager) { return manager.output().wait_for(request_of(options, tab)); });
  if (!waited.matched) {
    return told(waited, to_string(tab));
  }
  if (!waited.match.empty()) {
    print(on_one_line(waited.match) + "\n");
  }
  return of_command ? exit_status_of(waited.state, waited.exit_code) : 0;
}

}  // namespace

void add_wait(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<WaitOptions>();
  CLI::App* command =
      app.add_subcommand("wait", "Waits for the end of a tab's command, and returns its exit code");
  add_tab_argument(*command, options->tab, "The tab")->required();
  CLI::Option_group* what = command->add_option_group("For something else than the end");
  what->add_option("--pattern", options->pattern,
                   "Until it prints what this regular expression matches, or has printed it")
      ->type_name("PATTERN");
  what->add_flag("--input", options->input, "Until it waits for the keyboard; prints its question");
  what->add_option("--port", options->port, "Until it listens on this TCP port; prints who does")
      ->check(whole_number(1, 65'535));
  what->add_option("--idle-ms", options->idle_ms, "Until it prints nothing for so long")
      ->check(whole_number(1, 3'600'000));
  what->require_option(0, 1);
  command->add_option("--timeout-ms", options->timeout_ms, "No longer than this; then return 124; 0: ever")
      ->check(whole_number(0, kForEverMs))
      ->capture_default_str();
  command->footer(
      "Exit code: that of the command, or of the last where none runs; 0 where something else has come; 1 "
      "where the command or the tab has "
      "ended\n"
      "before, or the command waits for the keyboard; 124: --timeout-ms was over.\n"
      "Examples:\n"
      "  terminally-mcp wait build && ./deploy.sh\n"
      "  terminally-mcp wait @3 --pattern 'listening on' --timeout-ms 60000\n"
      "  terminally-mcp wait @3 --port 8000");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return wait(config, *options); }; });
}

}  // namespace terminally
