// terminally-mcp exec: a command in a tab, beside the server that owns it, as if it ran here.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio.hpp>
#include <cctype>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/spawned.hpp"
#include "base/timeout.hpp"
#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "shell/shell_text.hpp"
#include "shell/shells.hpp"
#include "terminal/exec_input.hpp"
#include "terminal/exec_output.hpp"
#include "terminal/guest.hpp"
#include "terminal/heartbeat.hpp"
#include "terminal/keyboard.hpp"
#include "terminal/outcome.hpp"
#include "terminal/print.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr std::uint64_t kForeverMs = 10ULL * 365 * 24 * 3'600 * 1'000;
/// As timeout(1).
constexpr int kTimedOut = 124;

struct ExecOptions {
  std::optional<WindowId> tab;
  std::vector<std::string> words;
  std::optional<std::size_t> behind_dashes;  ///< how many of the words stood behind "--"
  std::uint64_t timeout_ms = 0;
  bool no_stdin = false;
};

ExecuteCommand request_of(const ExecOptions& options) {
  ExecuteCommand request;
  request.window_id = options.tab;
  for (const std::string& word : options.words) {
    request.command += (request.command.empty() ? "" : " ") + word;
  }
  request.on_timeout = OnTimeout::interrupt;  // a person asked for the time
  request.timeout_ms = options.timeout_ms == 0 ? kForeverMs : options.timeout_ms;
  request.max_output_bytes = 1'024;  // it is streamed
  request.who = "cli";
  request.return_at_input = false;  // somebody answers in the tab
  return request;
}

/// One command under way, and what ends it before its time: C-c, a signal, or nobody reading the output any
/// more.
class Exec {
 public:
  explicit Exec(const Config& config)
      : manager_(io_.get_executor(), config),
        heartbeat_(io_.get_executor()),
        keyboard_(io_, manager_),
        input_(io_),
        output_(io_, heartbeat_, [this](const std::exception_ptr& failure) { output_failed(failure); }),
        signals_(io_, SIGINT, SIGTERM, SIGHUP),
        stop_key_(io_, SIGTSTP) {}

  /// `input_of`: the instance that standard input is passed on to; null: it is not passed on.
  int run(ExecuteCommand request, const Instance* input_of) {
    keyboard_.begin();
    if (input_of != nullptr) {
      input_.make_pipe(*input_of);
      request.input = input_.pipe();
    }
    request.on_begin = [this](WindowId window, const std::string&) {
      tab_ = window;
      keyboard_.pass_on_to(window);
      input_.begin();
    };
    request.on_awaiting = [this, told = false](const AwaitingInput& input) mutable { ask(input, told); };
    wait_for_stop_key();
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (!error) {
        cancel(128 + signal);
      }
    });
    execution_ = Spawned<CommandResult>(
        io_.get_executor(), manager_.commands().execute(std::move(request), [this](LogFollower output) {
          output_.follow(std::move(output));
        }));
    asio::co_spawn(io_, finish(), asio::detached);
    heartbeat_.begin();
    // A command that was cancelled is looked after until it has ended: then nothing is left to do.
    io_.run();
    return exit_code();
  }

 private:
  asio::awaitable<void> finish() {
    co_await execution_.wait_by(Clock::time_point::max());
    heartbeat_.end();
    if (cancelled_ == 0) {  // who reads slowly gets everything; else what it still prints while it ends
      output_.finish();
      co_await output_.written();
    }
    signals_.cancel();
    input_.end();
    co_await keyboard_.end();
    stop_key_.cancel();
    if (cancelled_ == 0) {
      io_.stop();  // a shell that it opened may go on without us
    }
  }

  void wait_for_stop_key() {
    stop_key_.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) {
        keyboard_.stop_process();
        wait_for_stop_key();
      }
    });
  }

  /// The command waits for the keyboard, and ours is not passed on: then it is told, once.
  void ask(const AwaitingInput& input, bool& told) {
    if (keyboard_.passes_on() || cancelled_ != 0) {
      return;
    }
    const std::string waits =
        "the command waits for the keyboard" + (input.prompt.empty() ? "" : " at \"" + input.prompt + "\"");
    if (!input_.is_taken() && has_piped_input()) {
      complain(
          waits +
          ", and a pipe or file is not passed on to it, as its shell cannot read files of this user here: "
          "interrupting the command. Give it its input in the command line, as in: terminally-mcp exec -- "
          "'sort < FILE'");
      asio::post(io_, [this] { cancel(kExecFailed); });
    } else if (!std::exchange(told, true)) {
      complain(waits + "; to answer it: terminally-mcp attach " + to_string(tab_));
    }
  }

  void output_failed(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const OutputClosed&) {
      asio::post(io_, [this] { cancel(128 + SIGPIPE); });
    } catch (const std::exception& error) {
      output_lost_ = true;
      complain(error.what());
    }
  }

  void cancel(int exit_code) {
    cancelled_ = exit_code;
    output_.hurry();
    execution_.cancel();
  }

  int exit_code() const {
    if (cancelled_ != 0) {
      return cancelled_;
    }
    const CommandResult result = execution_.result();
    for (const std::string& note : result.notes) {
      complain(note);
    }
    complain_of(result.survivors);
    if (result.timed_out) {
      complain("timed out after " + std::to_string(result.duration_ms) + " ms");
      return kTimedOut;
    }
    if (result.state == CommandState::failed) {
      complain("the command failed: " + std::string(to_string(result.reason)));
      return kExecFailed;
    }
    if (result.reason == Reason::cancelled_by_client) {
      complain("the command was ended by an MCP client");
    }
    if (result.reason == Reason::cancelled_by_person) {
      complain("the command was ended by a person");
    }
    const int exit_code = exit_status_of(result.state, result.exit_code);
    return exit_code == 0 && output_lost_ ? kExecFailed : exit_code;
  }

  asio::io_context io_{1};
  TmuxManager manager_;
  Heartbeat heartbeat_;
  Keyboard keyboard_;
  ExecInput input_;
  ExecOutput output_;
  asio::signal_set signals_;
  asio::signal_set stop_key_;
  WindowId tab_;              ///< where it runs, once that is known
  bool output_lost_ = false;  ///< stdout took no more of it: a full disk
  int cancelled_ = 0;
  Spawned<CommandResult> execution_;  ///< over: the command, or it goes on without us
};

/// `exec NAME -- …`: what stands alone before the dashes is a tab.
void take_named_tab(ExecOptions& options, const Config& guest) {
  std::vector<std::string>& words = options.words;
  if (!options.tab && options.behind_dashes && words.size() == *options.behind_dashes + 1) {
    options.tab = tab_of(guest, words.front());
    words.erase(words.begin());
  }
  if (words.empty()) {
    throw Error(ErrorCode::invalid_argument, "there is no command: terminally-mcp exec " +
                                                 (options.tab ? to_string(*options.tab) : "") +
                                                 " -- COMMAND");
  }
}

/// As a person types it in their shell.
std::string typed(const std::string& word) {
  const bool plain = std::ranges::all_of(word, [](unsigned char c) {
    return c >= 128 || std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
  return plain ? word : posix_quoted(word);
}

/// A first word that is nearly a tab's id, or its name without the dashes, is a mistake, and no command to
/// run in another tab.
void refuse_mistaken_tab(const ExecOptions& options, const Config& guest) {
  const std::string& word = options.words.front();
  if (options.tab) {
    return;
  }
  if (word.starts_with('@') && word.find_first_of(" \t\n") == std::string::npos) {
    throw no_such_tab(word);
  }
  const auto far = split_far_name(word);
  const bool is_command = options.behind_dashes && options.words.size() == *options.behind_dashes;
  if (!is_command && far && (far->rest.empty() || parse_window_id(far->rest))) {
    throw no_such_tab(word);
  }
  if (!options.behind_dashes && has_tab(guest, word)) {
    throw Error(ErrorCode::invalid_argument,
                "\"" + word + "\" is a tab: to run a command in it, terminally-mcp exec " + typed(word) +
                    " -- COMMAND; to run a program of that name, terminally-mcp exec -- " + typed(word));
  }
}

int exec(const Config& given, ExecOptions options) {
  try {
    Config config = guest_config(given);
    refuse_mistaken_tab(options, config);
    take_named_tab(options, config);
    if (given.instance.empty() && !options.tab) {
      refuse_other_project(config, config.instance);
    }
    config.sync_window_ms = kForeverMs;
    const Instance instance(config, config.instance);
    const bool passes_on = !options.no_stdin && ::isatty(STDIN_FILENO) == 0;
    return Exec(config).run(request_of(options), passes_on ? &instance : nullptr);
  } catch (const std::exception& error) {
    complain(error.what());
    return kExecFailed;
  }
}

}  // namespace

void add_exec(CLI::App& app, Config& config, Action& action, std::optional<std::size_t> behind_dashes) {
  const auto options = std::make_shared<ExecOptions>();
  options->behind_dashes = behind_dashes;
  CLI::App* command =
      app.add_subcommand("exec", "Runs a command in a tab, prints what it prints, returns its exit code");
  command->validate_positionals();  // what is no id of a tab is the command already
  add_tab_id_argument(
      *command, options->tab,
      "The tab, by its id or, before --, its name; none: \"main\", or a helper tab while that is "
      "busy");
  command->add_option("command", options->words, "The command; several words are joined by blanks, as by ssh")
      ->required();
  command
      ->add_option("--timeout-ms", options->timeout_ms,
                   "Interrupt it after this time and return 124; 0: never")
      ->check(whole_number(0, kForeverMs))
      ->capture_default_str();
  command->add_flag("-n,--no-stdin", options->no_stdin,
                    "Pass no standard input on: the command reads the tab's keyboard");
  command->footer(
      "It works beside the agents, and waits for its turn behind the calls that came before. C-c interrupts "
      "the command.\n"
      "What you type goes to the command when it waits for the keyboard; the tab's terminal shows it, or "
      "not\n"
      "(a password). Standard input that is no terminal is passed on, as by ssh; -n leaves it to a loop "
      "around exec.\n"
      "A pipe or a file gets what the command printed, a terminal what the tab's terminal made of it.\n"
      "Exit code: the command's; 124: --timeout-ms was over; 125: exec itself failed (no such tab, busy, "
      "the\n"
      "tab was closed), as the message says; 128 plus a signal that ended exec.\n"
      "Examples:\n"
      "  terminally-mcp exec @3 -- make test\n"
      "  terminally-mcp exec build -- 'cd /srv && git status'\n"
      "  terminally-mcp exec --timeout-ms 60000 -- ./deploy.sh staging");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return exec(config, *options); }; });
}

}  // namespace terminally
