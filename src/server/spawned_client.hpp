#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "server/channel.hpp"
#include "server/spare_client.hpp"

namespace terminally {

/// A channel of one process per call, spawned by argv, killed at its deadline. It gets its commands on its
/// standard input, so that it can be started before they are known.
class SpawnedClient : public TmuxChannel {
 public:
  SpawnedClient(std::string program, std::filesystem::path socket, std::filesystem::path config);

  /// From now on a client is kept ready for the next call; for who makes many.
  void keep_spare(const boost::asio::any_io_executor& executor);

  [[nodiscard]] Awaitable<TmuxAnswer> run(std::string commands, Milliseconds deadline) override;
  [[nodiscard]] Awaitable<TmuxAnswer> start(std::string commands, std::vector<std::string> environment,
                                            Milliseconds deadline) override;
  void let_go() override;

 private:
  [[nodiscard]] Argv argv(const Argv& command) const;

  std::string program_;
  std::filesystem::path socket_;
  std::filesystem::path config_;
  std::optional<SpareClient> spare_;
};

/// Why there is no tmux to be started, and what to do; empty: there is one.
[[nodiscard]] std::string trouble_with_tmux(const std::string& program);

inline constexpr const char* kMendTmux =
    "install tmux 3.2 or later (apt-get install tmux), or name it with --tmux";

}  // namespace terminally
