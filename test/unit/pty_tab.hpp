#pragma once

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/conventions.hpp"
#include "command/command_run.hpp"
#include "event_loop.hpp"
#include "places.hpp"
#include "pty_pane.hpp"
#include "temp_files.hpp"

namespace terminally::test {

using namespace std::chrono_literals;

/// The shells of this machine that commands are run in.
inline std::vector<std::string> shells_here() {
  std::vector<std::string> shells;
  for (const char* shell : {"/bin/bash", "/bin/dash", "/bin/zsh", "/usr/bin/fish"}) {
    if (::access(shell, X_OK) == 0) {
      shells.emplace_back(shell);
    }
  }
  return shells;
}

/// A tab without tmux, and commands in it as the manager runs them: real shells, real files, real bytes.
class PtyTab {
 public:
  explicit PtyTab(const std::string& shell = "/bin/bash", const PtyPane::Variables& more = {})
      : home_(make_home()), pane_(io_, kShellProgram, variables(shell, more), dir_ / "logs/pane-@1.log") {
    const Tab::Home home{instance(), 0, dir_ / "logs/pane-@1.log", dir_ / "run"};
    tab = std::make_shared<Tab>(WindowId{1}, PaneId{1}, home, ::getpid());
    tab->pane_pid = pane_.id();
    tab->tty = pane_.tty();
    tab->shell.has_opened(Clock::now());
    ::signal(SIGPIPE, SIG_IGN);
    REQUIRE(comes_true([this] { return std::filesystem::exists(dir_ / "logs/pane-@1.log"); }));
  }
  ~PtyTab() {
    pane_.kill();
    tab->runs.clear();
  }
  PtyTab(const PtyTab&) = delete;
  PtyTab& operator=(const PtyTab&) = delete;

  std::shared_ptr<Tab> tab;
  bool server_lives = true;

  [[nodiscard]] PtyPane& pane() { return pane_; }
  [[nodiscard]] RunContext& context() { return context_; }
  [[nodiscard]] std::filesystem::path home() const { return home_; }
  [[nodiscard]] std::filesystem::path runtime() const { return dir_ / "run"; }

  /// Turns of the event loop until it is so, in which the pane may end.
  template <typename Condition>
  bool comes_true(Condition condition) {
    return test::comes_true(io_, [&] {
      pane_.lives();
      return condition();
    });
  }
  template <typename T>
  T result_of(asio::awaitable<T> work) {
    return test::run(io_, std::move(work));
  }

  /// As the manager does: typed, and followed from its beginning on. Throws what `start` throws.
  RunPtr start(const std::string& text, Milliseconds patience = 15s, Milliseconds time = 0ms) {
    const RunPtr run = begin(text, patience, time);
    REQUIRE(
        comes_true([this, &run] { return failures_.contains(run.get()) || started_.contains(run.get()); }));
    if (const auto failure = failures_.find(run.get()); failure != failures_.end()) {
      std::rethrow_exception(failure->second);
    }
    return run;
  }
  /// The same, and does not wait for it.
  RunPtr begin(const std::string& text, Milliseconds patience = 15s, Milliseconds time = 0ms) {
    CommandRecord record;
    record.command = text;
    record.who = "client 1";
    const auto run = std::make_shared<CommandRun>(context_, tab, std::move(record));
    started_.erase(run.get());  // of one that was there before
    failures_.erase(run.get());
    if (time > 0ms) {
      run->set_deadline(Clock::now() + time);
    }
    if (!tab->command_lock) {
      tab->command_lock = FileLock::try_lock(tab->files.lock_path());
    }
    tab->runs.push_back(run);
    asio::co_spawn(io_, start_run(run, Clock::now(), Clock::now() + patience),
                   [this, run](const std::exception_ptr& failure) {
                     started_.insert(run.get());
                     if (failure) {
                       failures_[run.get()] = failure;
                       run->ending().abandon();
                     } else {
                       follow(run);
                     }
                   });
    return run;
  }
  [[nodiscard]] bool failed(const RunPtr& run) const { return failures_.contains(run.get()); }
  void follow(const RunPtr& run) {
    if (!run->has_ended()) {
      Follower& follower = following_.emplace_back();
      const auto handler = [run, &follower](const std::exception_ptr& failure) {
        if (failure && !follower.is_gone) {
          run->ending().give_up(Reason::none);
        }
      };
      asio::co_spawn(io_, run->follow(), asio::bind_cancellation_slot(follower.ends.slot(), handler));
    }
  }
  const CommandRecord& finish(const RunPtr& run) {
    CAPTURE(log());
    REQUIRE(comes_true([&run] { return run->has_ended(); }));
    return run->record();
  }
  /// To its end.
  RunPtr run(const std::string& text) {
    const RunPtr run = start(text);
    finish(run);
    return run;
  }
  /// A process that comes after us: it knows what is on disk, and we press no more keys.
  RunPtr take_over(CommandRecord record) {
    for (Follower& follower : following_) {
      follower.is_gone = true;
      follower.ends.emit(asio::cancellation_type::terminal);
    }
    const auto run = std::make_shared<CommandRun>(context_, tab, std::move(record));
    tab->runs = {run};
    return run;
  }

  /// What it printed, without CR.
  [[nodiscard]] std::string output(const RunPtr& run) const {
    const CommandRecord& record = run->record();
    const std::uint64_t end = run->output().end_byte();
    std::string bytes =
        tab->log.read(record.start_byte, static_cast<std::size_t>(end - record.start_byte)).bytes;
    std::erase(bytes, '\r');
    return bytes;
  }
  [[nodiscard]] std::string log() const { return content_of(dir_ / "logs/pane-@1.log"); }
  bool prints(const std::string& text) {
    return comes_true([this, &text] { return log().find(text) != std::string::npos; });
  }
  /// Whether a shell waits at its prompt. What it showed may not be in the log yet.
  bool comes_to_prompt() {
    return comes_true([this] {
      const Foreground now = look_at_foreground(tab->pane_pid);
      return now.shell && prompt_state(now, tab->tty) == Prompt::ready;
    });
  }
  [[nodiscard]] int shell_pid() {
    REQUIRE(comes_true([this] { return look_at_foreground(tab->pane_pid).shell_pid != 0; }));
    return look_at_foreground(tab->pane_pid).shell_pid;
  }

 private:
  struct Follower {
    asio::cancellation_signal ends;
    bool is_gone = false;
  };

  /// Its processes are told from those of all others by this.
  [[nodiscard]] std::string instance() const { return dir_.path().filename().string(); }

  std::filesystem::path make_home() {
    for (const char* name : {"home", "logs", "run"}) {
      std::filesystem::create_directory(dir_ / name);
      std::filesystem::permissions(dir_ / name, std::filesystem::perms::owner_all);
    }
    append_to(dir_ / "home/.zshrc", "");  // else zsh asks what to do without one
    append_to(dir_ / "home/.bashrc", "PS1='$ '\n");
    // else fish reads all manual pages of this machine, in the background, for each home that is new
    std::filesystem::create_directories(dir_ / "home/.local/share/fish/generated_completions");
    return dir_ / "home";
  }
  [[nodiscard]] PtyPane::Variables variables(const std::string& shell, const PtyPane::Variables& more) const {
    PtyPane::Variables variables = {{"HOME", home_.string()},
                                    {"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                    {"TERM", "xterm-256color"},
                                    {"LC_ALL", "C.UTF-8"},
                                    {"TMUX_PANE", "%1"},
                                    {"TERMINALLY_RUN", (dir_ / "run").string()},
                                    {"TERMINALLY_NAME", instance()},
                                    {"TERMINALLY_LOG_DIR", (dir_ / "logs/0").string()},
                                    {"TERMINALLY_SHELL", shell}};
    for (const auto& [name, value] : more) {
      variables[name] = value;
    }
    return variables;
  }

  TempDir dir_{in_memory()};
  std::filesystem::path home_;
  std::list<Follower> following_;  // the loop's coroutines hold on to them
  asio::io_context io_{1};
  PtyPane pane_;
  LogWatch watch_{io_.get_executor()};
  ProcessTable processes_;
  std::set<const CommandRun*> started_;
  std::map<const CommandRun*, std::exception_ptr> failures_;
  RunContext context_{io_.get_executor(),
                      [this](const Tab&) { return pane_.terminal(); },
                      watch_,
                      [this] { return server_lives; },
                      kShellProgram,
                      processes_};
};

}  // namespace terminally::test
