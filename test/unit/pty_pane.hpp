#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <cerrno>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/unique_fd.hpp"
#include "system/proc.hpp"
#include "tab/pane_terminal.hpp"

namespace terminally::test {

namespace asio = boost::asio;

/// The program, started with these arguments and nothing else; its standard input is a pipe of ours.
class PipedProgram {
 public:
  explicit PipedProgram(std::vector<std::string> arguments) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const UniqueFd output(ends[0]);
    input_.reset(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, output.get(), STDIN_FILENO);
    std::vector<char*> argv = pointers(arguments);
    char* env[] = {nullptr};
    REQUIRE(::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), env) == 0);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  ~PipedProgram() { end(SIGKILL); }
  PipedProgram(const PipedProgram&) = delete;
  PipedProgram& operator=(const PipedProgram&) = delete;

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::write(input_.get(), bytes.data(), bytes.size());
      REQUIRE(count > 0);
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void signal(int number) const { ::kill(pid_, number); }
  /// With a signal, or as its input ends.
  void end(int signal_number = 0) {
    input_.reset();
    if (pid_ > 0) {
      if (signal_number != 0) {
        signal(signal_number);
      }
      ::waitpid(pid_, nullptr, 0);
      pid_ = 0;
    }
  }
  [[nodiscard]] bool ended() const { return pid_ == 0; }

 private:
  pid_t pid_ = 0;
  UniqueFd input_;
};

/// What tmux has for a tab, without tmux: a pty with terminally-shell and a real shell in it, of which every
/// byte goes to a real terminally-log. What is typed, what is printed and what the pane answers can be
/// changed on the way. One thread: everything happens while the event loop runs.
class PtyPane {
 public:
  using Variables = std::map<std::string, std::string>;

  PtyPane(asio::io_context& io, const std::string& program, const Variables& variables,
          const std::string& log)
      : master_(io), writer_({TERMINALLY_LOG_PATH, log}) {
    std::vector<std::string> environment;
    for (const auto& [name, value] : variables) {
      environment.push_back(name + "=" + value);
    }
    std::vector<char*> envp = pointers(environment);
    std::string path = program;
    char* argv[] = {path.data(), nullptr};
    winsize size{.ws_row = 40, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};
    char name[64] = {};
    int master = -1;
    pid_ = ::forkpty(&master, name, nullptr, &size);
    if (pid_ == 0) {
      (void)!::chdir(variables.at("HOME").c_str());
      ::execve(argv[0], argv, envp.data());
      ::_exit(127);
    }
    REQUIRE(pid_ > 0);
    ::fcntl(master, F_SETFD, FD_CLOEXEC);
    master_.assign(master);
    tty_ = name;
    id_ = process_info(pid_).value_or(ProcessInfo()).id();
    read_on();
  }
  ~PtyPane() { kill(); }
  PtyPane(const PtyPane&) = delete;
  PtyPane& operator=(const PtyPane&) = delete;

  /// What the pane answers to: PaneFact.
  PaneFact facts = PaneFact::none;
  /// Throws, or says what arrives at the shell, and what is told to who typed it.
  std::function<std::pair<std::string, bool>(const std::string& bytes)> on_type;
  /// What of the printed bytes comes to the log's writer.
  std::function<std::string(std::string bytes)> on_print;
  bool answers = true;                               ///< to answers_within
  std::vector<std::pair<Typed, std::string>> typed;  ///< by our commands
  std::function<void()> after_typing;

  [[nodiscard]] ProcessId id() const { return id_; }
  [[nodiscard]] const std::string& tty() const { return tty_; }
  [[nodiscard]] PipedProgram& writer() { return writer_; }

  /// Keys of a person who is attached.
  void press(const std::string& keys) {
    write(keys);
    facts = facts | PaneFact::touched | PaneFact::touched_a_moment_ago;
  }
  void write(const std::string& bytes) {
    REQUIRE(::write(master_.native_handle(), bytes.data(), bytes.size()) ==
            static_cast<ssize_t>(bytes.size()));
  }
  /// Into the terminal, as a program there would.
  void print(const std::string& bytes) { took(bytes); }

  /// Whether its process is there; reaped else.
  bool lives() {
    if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = 0;
      writer_.end();
    }
    return pid_ > 0;
  }
  /// With everything in its session.
  void kill() {
    if (pid_ > 0) {
      const std::vector<ProcessInfo> all = process_tree(pid_, 200);
      for (const ProcessInfo& process : all) {
        ::kill(process.pid, SIGKILL);
      }
      ::waitpid(pid_, nullptr, 0);
      pid_ = 0;
      writer_.end(SIGCONT);
    }
  }

  [[nodiscard]] std::unique_ptr<PaneTerminal> terminal() { return std::make_unique<Terminal>(*this); }

 private:
  class Terminal : public PaneTerminal {
   public:
    explicit Terminal(PtyPane& pane) : pane_(pane) {}
    [[nodiscard]] asio::awaitable<bool> type(std::string bytes, Typed how, PaneFact unless) override {
      co_await asio::post(asio::use_awaitable);  // as tmux, it answers later
      if (has(unless, pane_.facts)) {
        co_return false;
      }
      pane_.typed.emplace_back(how, bytes);
      bool told = true;
      if (pane_.on_type) {
        std::tie(bytes, told) = pane_.on_type(bytes);
      }
      if (pane_.pid_ == 0) {
        throw Error(ErrorCode::not_found, "no such pane");
      }
      if (how == Typed::line) {
        pane_.facts = PaneFact::none;
      } else if (how == Typed::text_put_back) {
        pane_.facts = PaneFact::touched | PaneFact::touched_a_moment_ago;
      }
      co_await asio::async_write(pane_.master_, asio::buffer(bytes), asio::use_awaitable);
      if (pane_.after_typing) {
        pane_.after_typing();
      }
      co_return told;
    }
    [[nodiscard]] asio::awaitable<bool> type_within(Milliseconds /*time*/, std::string bytes) override {
      return type(std::move(bytes), Typed::key, PaneFact::none);
    }
    [[nodiscard]] asio::awaitable<bool> is(PaneFact any, PaneFact but_not) override {
      co_await asio::post(asio::use_awaitable);
      co_return has(any, pane_.facts) && !has(but_not, pane_.facts);
    }
    [[nodiscard]] asio::awaitable<bool> answers_within(Milliseconds /*time*/) override {
      co_await asio::post(asio::use_awaitable);
      co_return pane_.answers;
    }

   private:
    PtyPane& pane_;
  };

  void took(std::string bytes) {
    bytes = on_print ? on_print(std::move(bytes)) : std::move(bytes);
    if (!bytes.empty() && !writer_.ended()) {
      writer_.write(bytes);
    }
  }

  void read_on() {
    master_.async_read_some(asio::buffer(buffer_),
                            [this](boost::system::error_code error, std::size_t count) {
                              if (error) {
                                return;  // nobody has it open any more
                              }
                              took(buffer_.substr(0, count));
                              read_on();
                            });
  }

  asio::posix::stream_descriptor master_;
  PipedProgram writer_;
  pid_t pid_ = 0;
  ProcessId id_;
  std::string tty_;
  std::string buffer_ = std::string(65'536, '\0');
};

}  // namespace terminally::test
