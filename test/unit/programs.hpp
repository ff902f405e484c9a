#pragma once

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptors.hpp"
#include "base/process.hpp"

namespace terminally::test {

/// All of it, as far as that is taken.
inline void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count <= 0) {
      throw std::runtime_error("a program takes no bytes");
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// A program with these arguments and variables and nothing else; its standard input is a pipe of ours.
class PipedProgram {
 public:
  explicit PipedProgram(const Argv& argv, const std::vector<std::string>& environment = {}) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe for a program");
    }
    const UniqueFd output(ends[0]);
    input_.reset(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, output.get(), STDIN_FILENO);
    const int error = ::posix_spawn(&pid_, argv.front().c_str(), &actions, nullptr, pointers(argv).data(),
                                    pointers(environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
      pid_ = 0;
      throw std::runtime_error("cannot start " + argv.front());
    }
  }
  ~PipedProgram() { end(SIGKILL); }
  PipedProgram(const PipedProgram&) = delete;
  PipedProgram& operator=(const PipedProgram&) = delete;

  /// 0: it has ended.
  [[nodiscard]] pid_t pid() const { return pid_; }
  void write(std::string_view bytes) const { write_all(input_.get(), bytes); }
  [[nodiscard]] bool has_read_all() const {
    int left = 0;
    ::ioctl(input_.get(), FIONREAD, &left);
    return left == 0;
  }
  void signal(int number) const { ::kill(pid_, number); }
  void end_input() { input_.reset(); }
  /// Waits for its end; the wait status.
  int wait() {
    int status = -1;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return status;
  }
  /// With a signal, or as its input ends.
  void end(int signal_number = 0) {
    end_input();
    if (pid_ > 0) {
      if (signal_number != 0) {
        signal(signal_number);
      }
      wait();
    }
  }

 private:
  pid_t pid_ = 0;
  UniqueFd input_;
};

/// A program in a session of its own on a terminal of its own, of which we have the other side.
class TerminalProgram {
 public:
  TerminalProgram(const Argv& argv, const std::vector<std::string>& environment,
                  const std::string& directory) {
    const std::vector<char*> arguments = pointers(argv);
    const std::vector<char*> variables = pointers(environment);
    const winsize size{.ws_row = 40, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};
    std::array<char, 64> tty{};
    int terminal = -1;
    pid_ = ::forkpty(&terminal, tty.data(), nullptr, &size);
    if (pid_ == 0) {
      static_cast<void>(!::chdir(directory.c_str()));
      ::execve(arguments.front(), arguments.data(), variables.data());
      ::_exit(127);
    }
    if (pid_ < 0) {
      throw std::runtime_error("no terminal for a program");
    }
    ::fcntl(terminal, F_SETFD, FD_CLOEXEC);
    terminal_.reset(terminal);
    tty_ = tty.data();
  }
  /// With the terminal all goes that runs on it.
  ~TerminalProgram() {
    terminal_.reset();
    end();
  }
  TerminalProgram(const TerminalProgram&) = delete;
  TerminalProgram& operator=(const TerminalProgram&) = delete;

  /// 0: it has ended, and is reaped.
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const std::string& tty() const { return tty_; }
  /// Our side, for as long as this is there.
  [[nodiscard]] int terminal() const { return terminal_.get(); }
  /// The bytes, as if their keys were pressed.
  void type(std::string_view bytes) const { write_all(terminal_.get(), bytes); }

  [[nodiscard]] bool has_ended() {
    if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = 0;
    }
    return pid_ == 0;
  }
  void end() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(std::exchange(pid_, 0), nullptr, 0);
    }
  }

 private:
  pid_t pid_ = 0;
  std::string tty_;
  UniqueFd terminal_;
};

}  // namespace terminally::test
