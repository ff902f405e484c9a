#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/event.hpp"
#include "log/pane_log.hpp"
#include "record/record.hpp"
#include "tab/hold.hpp"
#include "tmux/manager.hpp"

namespace terminally {

/// A command as it was seen last. `version`: when it changed (TabBoard::version).
struct SeenCommand {
  CommandRecord record;
  std::uint64_t version = 0;
  std::optional<Clock::time_point> ending_since = std::nullopt;
  /// That its end has come to.
  std::string_view step = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
};

/// A command that was told of, and was not run after all.
struct Withdrawn {
  std::string id;
  std::uint64_t version = 0;
};

/// A tab as pages see it, open or closed.
struct SeenTab {
  SeenTab(WindowId window_id, std::filesystem::path log_file) : window(window_id), log(std::move(log_file)) {}

  WindowId window;
  PaneLog log;
  TabInfo info;  ///< of a closed tab, what was known of it last
  TabFace face;
  std::optional<Hold> hold;           ///< a person has taken it over
  std::int64_t created_at_ms = 0;     ///< 0: not known
  std::uint64_t first_byte = 0;       ///< the first that the log still has
  std::int64_t closed_at_ms = 0;      ///< 0: open
  std::uint64_t version = 0;          ///< when anything of it changed
  std::uint64_t size_version = 0;     ///< when its size did
  std::uint64_t size_at = 0;          ///< the log's end then
  std::uint64_t control_version = 0;  ///< when who has taken it over did
  std::uint64_t rate = 0;             ///< bytes in the last TabBoard::kRateTime
  std::uint64_t rate_version = 0;
  std::uint64_t rated_bytes = 0;
  std::vector<SeenCommand> commands;  ///< the last few, oldest first
  std::vector<Withdrawn> withdrawn;   ///< the last few
  /// What people did at its prompt while they had taken it over, oldest first; as commands without a text.
  std::vector<SeenCommand> by_hand;
  std::uint64_t held_from = 0;  ///< the log's end when somebody took it over
  std::shared_ptr<SettledInput> input = std::make_shared<SettledInput>();

  [[nodiscard]] bool is_closed() const { return closed_at_ms != 0; }
  [[nodiscard]] const SeenCommand* last_command() const {
    return commands.empty() ? nullptr : &commands.back();
  }
};

/// The tabs and commands of an instance as they were seen last. Each change gets the next `version`, and a
/// page asks for what is newer than what it has told: so a slow page costs nothing, and gets the newest of
/// everything. Reads logs and records, and asks nobody.
class TabBoard {
 public:
  static constexpr Milliseconds kRateTime{5'000};
  static constexpr std::size_t kMostClosed = 50;

  [[nodiscard]] const std::map<WindowId, SeenTab>& tabs() const { return tabs_; }
  /// Throws Error(not_found).
  [[nodiscard]] const SeenTab& tab(WindowId window) const;
  [[nodiscard]] std::uint64_t version() const { return version_; }
  /// Is notified with each new version.
  [[nodiscard]] Event& changed() { return changed_; }

  /// What was seen of an open tab. A tab that was not known is read, with its last commands.
  void take_open(TabInfo info, TabFace face, std::optional<Hold> hold);
  /// What `face` keeps of a tab between two looks; null: no command runs that could wait.
  [[nodiscard]] std::shared_ptr<SettledInput> input_of(WindowId window);
  /// An open tab that is not seen any more.
  void close(WindowId window, std::int64_t at_ms);
  /// A tab of which only the log is left, or the newest of these.
  void add_closed(WindowId window, const std::filesystem::path& log);
  void read_records(WindowId window);
  /// What changes by time alone: rates, and the steps of a command's end. To be called with each look.
  void tick();

 private:
  void bump(std::uint64_t& version) { version = ++version_; }
  SeenTab& open(WindowId window, const std::filesystem::path& log);
  void take_records(SeenTab& tab, const std::vector<CommandRecord>& records);
  void follow_hand(SeenTab& tab, const TabInfo& info, const std::optional<Hold>& hold);
  void end_hand(SeenTab& tab, std::uint64_t end_byte);
  void forget_old_closed();
  void measure_rates();

  std::map<WindowId, SeenTab> tabs_;
  std::uint64_t version_ = 0;
  Event changed_;
  Clock::time_point rated_at_;
};

/// Of what a closed tab left running nobody can say any more how it ended.
void settle_if_closed(const SeenTab& tab, CommandRecord& record);

/// How far the end of a command has come that is being ended; empty: it is not.
[[nodiscard]] std::string_view step_of(const SeenCommand& command);

/// Where the records of a tab's commands are.
[[nodiscard]] std::filesystem::path records_beside(const PaneLog& log);

}  // namespace terminally
