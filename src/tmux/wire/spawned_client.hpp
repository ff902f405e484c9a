#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "tmux/wire/channel.hpp"

namespace terminally {

/// A channel of one process per call, spawned by argv, killed at its deadline. It gets its commands on its
/// standard input: what stands on a command line is limited to 16 KB.
class SpawnedClient : public TmuxChannel {
 public:
  SpawnedClient(std::string program, std::filesystem::path socket, std::filesystem::path config);

  [[nodiscard]] Awaitable<TmuxAnswer> run(std::string commands, Milliseconds deadline) override;
  [[nodiscard]] Awaitable<TmuxAnswer> start(std::string commands, std::vector<std::string> environment,
                                            Milliseconds deadline) override;
  [[nodiscard]] std::optional<std::uint64_t> news() const override { return std::nullopt; }
  void on_news(std::function<void()> /*told*/) override {}
  void let_go() override {}

  [[nodiscard]] const std::filesystem::path& socket() const { return socket_; }
  /// What runs this tmux command on the same server.
  [[nodiscard]] Argv argv(const Argv& command) const;

 private:
  Awaitable<void> refuse_old_tmux(Milliseconds deadline);

  std::string program_;
  std::filesystem::path socket_;
  std::filesystem::path config_;
};

/// Why there is no tmux to be started, and what to do; empty: there is one.
[[nodiscard]] std::string trouble_with_tmux(const std::string& program);

/// "tmux 3.3a", "tmux next-3.5": whether it has what we ask of it.
[[nodiscard]] bool is_new_enough(const std::string& version);

inline constexpr const char* kMendTmux =
    "install tmux 3.2 or later (apt-get install tmux), or name it with --tmux";

/// Whether tmux ended with these words because its C library knows no UTF-8: in a small root that is not
/// there.
[[nodiscard]] bool lacks_locale(const std::string& said);

inline constexpr const char* kMendLocale =
    "install the locale C.UTF-8, or en_US.UTF-8, which tmux needs (below /usr/lib/locale)";

}  // namespace terminally
