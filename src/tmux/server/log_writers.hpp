#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "base/background.hpp"
#include "base/ids.hpp"
#include "config.hpp"
#include "tmux/wire/client.hpp"
#include "tmux/wire/rows.hpp"

namespace terminally {

/// The writers of the logs of a tmux server's panes: one that died is started again at once. And the room
/// that all logs take. A guest looks after neither.
class LogWriters {
 public:
  /// `config` outlives it.
  LogWriters(boost::asio::any_io_executor executor, const Config& config);

  /// From now on this pane has a writer for its log in `generation`, if it has a log of ours. `tmux` reaches
  /// the pane's server. Costs a look where the pane is guarded already.
  void guard(const PaneRow& row, const std::filesystem::path& generation, const TmuxClient& tmux);
  /// Forgets the panes that are not among all those there are, and whose process is gone, too.
  void keep_only(const std::vector<PaneRow>& rows);
  /// For when the tmux server is lost: the next one's panes have the same numbers.
  void forget_all();
  /// Nothing of it runs on.
  void stop();

 private:
  struct Guarded {
    int pane_pid;
    Background guard;
  };

  boost::asio::any_io_executor executor_;
  const Config& config_;
  std::map<PaneId, Guarded> guarded_;
  std::optional<Background> sweeper_;
};

}  // namespace terminally
