#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/process.hpp"
#include "base/unique_fd.hpp"
#include "temp_files.hpp"

namespace terminally::test {

/// A process of ours on a terminal of its own, whose output goes into a log: a pane without tmux.
class PaperPane {
 public:
  PaperPane(const Argv& argv, const std::vector<std::string>& environment, const std::string& directory,
            std::filesystem::path log)
      : log_(std::move(log)) {
    std::vector<char*> arguments = pointers(argv);
    std::vector<char*> variables = pointers(environment);
    const winsize size{40, 120, 0, 0};
    std::array<char, 64> tty{};
    int terminal = -1;
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe for a pane");
    }
    over_.reset(ends[0]);
    ends_.reset(ends[1]);
    pid_ = ::forkpty(&terminal, tty.data(), nullptr, &size);
    if (pid_ == 0) {
      static_cast<void>(!::chdir(directory.c_str()));
      ::execve(arguments.front(), arguments.data(), variables.data());
      ::_exit(127);
    }
    if (pid_ < 0) {
      throw std::runtime_error("no terminal for a pane");
    }
    tty_ = tty.data();
    ::fcntl(terminal, F_SETFD, FD_CLOEXEC);
    terminal_.reset(terminal);
    writer_ = std::thread([this] { write_log(); });
  }
  /// With the terminal all goes that runs on it.
  ~PaperPane() {
    ends_.reset();
    writer_.join();
    terminal_.reset();
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  PaperPane(const PaperPane&) = delete;
  PaperPane& operator=(const PaperPane&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const std::string& tty() const { return tty_; }
  [[nodiscard]] bool ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0;
  }
  /// The bytes, as if their keys were pressed.
  void type(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t taken = ::write(terminal_.get(), bytes.data(), bytes.size());
      if (taken <= 0) {
        throw std::runtime_error("a pane takes no keys");
      }
      bytes.remove_prefix(static_cast<std::size_t>(taken));
    }
  }

 private:
  /// On a thread of its own, as the log's writer is a process of its own: it goes on while nobody looks.
  void write_log() const {
    std::array<char, 4'096> block{};
    for (;;) {
      std::array<pollfd, 2> fds = {{{terminal_.get(), POLLIN, 0}, {over_.get(), POLLIN, 0}}};
      ::poll(fds.data(), fds.size(), -1);
      const ssize_t got =
          fds[1].revents == 0 ? ::read(terminal_.get(), block.data(), block.size()) : ssize_t{0};
      if (got <= 0) {
        return;
      }
      append_to(log_, std::string_view(block.data(), static_cast<std::size_t>(got)));
    }
  }

  std::filesystem::path log_;
  UniqueFd terminal_;
  UniqueFd over_;
  UniqueFd ends_;
  pid_t pid_ = 0;
  std::string tty_;
  std::thread writer_;
};

/// A process that looks like an instance's tmux server and does nothing, and that listens on its socket.
class PaperServer {
 public:
  /// `cookie`: the instance's.
  PaperServer(const std::filesystem::path& socket, const std::string& cookie) {
    const TempDir directory(in_memory());
    const std::string program = directory / "tmux: server";  // by that it is known
    std::filesystem::create_symlink("/bin/cat", program);
    int input[2] = {};
    if (::pipe2(input, O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe");
    }
    lives_.reset(input[1]);
    const UniqueFd read_end(input[0]);
    Argv argv{program};
    std::vector<std::string> environment{"TERMINALLY_NAME=" + cookie};
    std::vector<char*> arguments = pointers(argv);
    std::vector<char*> variables = pointers(environment);
    int started[2] = {};  // closed by its exec
    static_cast<void>(::pipe2(started, O_CLOEXEC));
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(read_end.get(), STDIN_FILENO);
      ::execve(arguments.front(), arguments.data(), variables.data());
      ::_exit(127);
    }
    ::close(started[1]);
    char none = 0;
    static_cast<void>(!::read(started[0], &none, 1));
    ::close(started[0]);

    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket.c_str(),
                std::min(socket.native().size() + 1, sizeof address.sun_path));
    ::unlink(socket.c_str());
    listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_.get(), 4'096) != 0) {
      throw std::runtime_error("cannot listen on " + socket.string());
    }
  }
  ~PaperServer() { end(); }
  PaperServer(const PaperServer&) = delete;
  PaperServer& operator=(const PaperServer&) = delete;

  [[nodiscard]] int pid() const { return pid_; }
  /// As by `kill -9`.
  void end() {
    listener_.reset();
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      pid_ = 0;
    }
  }

 private:
  UniqueFd lives_;
  UniqueFd listener_;
  pid_t pid_ = 0;
};

}  // namespace terminally::test
