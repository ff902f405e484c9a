#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/event.hpp"
#include "base/timeout.hpp"
#include "config.hpp"

namespace terminally {

class TabBoard;

/// One instance of this user: no tmux is asked.
struct InstanceRow {
  std::string name;
  std::string project;  ///< the directory that its server was started in, its last name
  bool unnamed = false;
  bool server = false;  ///< a terminally-mcp server keeps it
  std::uint64_t tabs = 0;
  std::uint64_t running = 0;
  std::int64_t last_output_at_ms = 0;  ///< 0: none yet

  [[nodiscard]] friend bool operator==(const InstanceRow&, const InstanceRow&) = default;
};

/// Looks at the instances of this user on this machine: the runtime directory and the logs.
class InstanceList {
 public:
  explicit InstanceList(Config config) : config_(std::move(config)) {}

  /// What files say now; costs some for each tab. `board`: what is seen of its tabs anyway; null: nobody
  /// looks. Throws Error where it goes just now, or cannot be read.
  [[nodiscard]] InstanceRow row_of(const std::string& name, const TabBoard* board);

 private:
  struct Records {
    std::int64_t changed_ms = 0;
    bool runs = false;
  };
  void count_tabs(const Instance& instance, InstanceRow& row);
  [[nodiscard]] bool runs_a_command(const std::filesystem::path& records);

  Config config_;
  std::map<std::filesystem::path, Records> records_;  ///< as read last
};

/// The one that printed last, among those with tabs if there are any; none: there is no instance.
[[nodiscard]] std::optional<std::string> newest_of(const std::vector<InstanceRow>& rows);

}  // namespace terminally
