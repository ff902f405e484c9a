#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/descriptors.hpp"
#include "base/process.hpp"
#include "programs.hpp"
#include "system/proc.hpp"
#include "temp_files.hpp"

namespace terminally::test {

/// A program on a terminal of its own, whose output goes into a log: a pane without tmux.
class PaperPane : public TerminalProgram {
 public:
  PaperPane(const Argv& argv, const std::vector<std::string>& environment, const std::string& directory,
            std::filesystem::path log)
      : TerminalProgram(argv, environment, directory), log_(std::move(log)) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe for a pane");
    }
    over_.reset(ends[0]);
    ends_.reset(ends[1]);
    writer_ = std::thread([this] { write_log(); });
  }
  ~PaperPane() {
    ends_.reset();
    writer_.join();
  }
  PaperPane(const PaperPane&) = delete;
  PaperPane& operator=(const PaperPane&) = delete;

 private:
  /// On a thread of its own, as the log's writer is a process of its own: it goes on while nobody looks.
  void write_log() const {
    std::array<char, 4'096> block{};
    for (;;) {
      std::array<pollfd, 2> fds = {{{terminal(), POLLIN, 0}, {over_.get(), POLLIN, 0}}};
      ::poll(fds.data(), fds.size(), -1);
      const ssize_t got = fds[1].revents == 0 ? ::read(terminal(), block.data(), block.size()) : ssize_t{0};
      if (got <= 0) {
        return;
      }
      append_to(log_, std::string_view(block.data(), static_cast<std::size_t>(got)));
    }
  }

  std::filesystem::path log_;
  UniqueFd over_;
  UniqueFd ends_;
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
    const std::string name = "TERMINALLY_NAME=" + cookie;
    process_.emplace(Argv{program}, std::vector<std::string>{name});
    // It is spawned a moment before it has that.
    static_cast<void>(eventually([&] { return process_has_environment(process_->pid(), name); }));
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

  [[nodiscard]] int pid() const { return process_->pid(); }
  /// As by `kill -9`.
  void end() {
    listener_.reset();
    process_->end(SIGKILL);
  }

 private:
  UniqueFd listener_;
  std::optional<PipedProgram> process_;
};

}  // namespace terminally::test
