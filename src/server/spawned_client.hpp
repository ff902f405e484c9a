#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "server/channel.hpp"

namespace terminally {

/// A channel of one process per call, spawned by argv, killed at its deadline. It gets its commands on its
/// standard input: what stands on a command line is limited to 16 KB.
class SpawnedClient : public TmuxChannel {
 public:
  SpawnedClient(std::string program, std::filesystem::path socket, std::filesystem::path config);

  [[nodiscard]] Awaitable<TmuxAnswer> run(std::string commands, Milliseconds deadline) override;
  [[nodiscard]] Awaitable<TmuxAnswer> start(std::string commands, std::vector<std::string> environment,
                                            Milliseconds deadline) override;
  void let_go() override {}

  /// What runs this tmux command on the same server.
  [[nodiscard]] Argv argv(const Argv& command) const;

 private:
  std::string program_;
  std::filesystem::path socket_;
  std::filesystem::path config_;
};

/// Why there is no tmux to be started, and what to do; empty: there is one.
[[nodiscard]] std::string trouble_with_tmux(const std::string& program);

inline constexpr const char* kMendTmux =
    "install tmux 3.2 or later (apt-get install tmux), or name it with --tmux";

}  // namespace terminally
