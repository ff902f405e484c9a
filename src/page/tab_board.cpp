#include "page/tab_board.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/error.hpp"
#include "base/files.hpp"
#include "log/log_record.hpp"
#include "record/records.hpp"
#include "tab/escalation.hpp"

namespace terminally {
namespace {

/// Those that may still change.
constexpr std::size_t kLastCommands = 16;
/// A page gets 200 commands of a tab.
constexpr std::size_t kMostByHand = 200;

/// When the log's first writer started; its sidecar begins with that (doc/pane-log.md).
std::int64_t created_at(const PaneLog& log) {
  constexpr std::size_t kTimeAt = 48;
  constexpr std::size_t kTimeBytes = 15;
  const auto sidecar = read_file(log.path().string() + std::string(kLogSidecarSuffix));
  std::int64_t time = 0;
  if (sidecar && sidecar->size() > kTimeAt + kTimeBytes) {
    const char* const digits = sidecar->data() + kTimeAt;
    std::from_chars(digits, digits + kTimeBytes, time);
  }
  return time;
}

std::uint64_t first_byte_of(const PaneLog& log) {
  try {
    const PaneLog::Slice slice = log.read(0, 1);
    return slice.bytes.empty() ? slice.next : slice.from;
  } catch (const Error&) {
    return 0;
  }
}

std::uint64_t end_of(const PaneLog& log) {
  try {
    return log.end();
  } catch (const Error&) {
    return 0;
  }
}

/// Behind the last line that ends in this part of the log, or in its last 64 KiB; `begin`: none does.
std::uint64_t end_of_lines(const PaneLog& log, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kLookedAt = std::uint64_t{64} << 10U;
  try {
    const std::uint64_t from = std::max(begin, end - std::min(end, kLookedAt));
    const PaneLog::Slice slice = log.read(from, static_cast<std::size_t>(kLookedAt));
    const std::size_t last = slice.bytes.substr(0, end - std::min(end, slice.from)).rfind('\n');
    return last == std::string::npos ? begin : slice.from + last + 1;
  } catch (const Error&) {
    return begin;
  }
}

auto compared(const TabInfo& info) {
  return std::tie(info.name, info.active, info.cwd, info.foreground, info.busy, info.log_bytes,
                  info.last_output_at_ms);
}

bool same_wait(const std::optional<AwaitingInput>& one, const std::optional<AwaitingInput>& other) {
  return one.has_value() == other.has_value() &&
         (!one ||
          std::tie(one->kind, one->prompt, one->pid) == std::tie(other->kind, other->prompt, other->pid));
}

/// A hold that is prolonged is another one.
bool same_hold(const std::optional<Hold>& one, const std::optional<Hold>& other) {
  return one.has_value() == other.has_value() &&
         (!one || std::tie(one->session, one->until_ms) == std::tie(other->session, other->until_ms));
}

}  // namespace

void settle_if_closed(const SeenTab& tab, CommandRecord& record) {
  if (tab.is_closed() && record.state == CommandState::running) {
    record.state = CommandState::failed;
    record.reason = Reason::tab_closed;
  }
}

std::string_view step_of(const SeenCommand& command) {
  if (!command.ending_since) {
    return {};
  }
  const auto elapsed = Clock::now() - *command.ending_since;
  return elapsed >= kEndCommand.kill_after        ? "kill"
         : elapsed >= kEndCommand.terminate_after ? "terminate"
                                                  : "interrupt";
}

std::filesystem::path records_beside(const PaneLog& log) {
  return std::filesystem::path(log.path()).replace_extension(".commands");
}

const SeenTab& TabBoard::tab(WindowId window) const {
  const auto found = tabs_.find(window);
  if (found == tabs_.end()) {
    throw Error(ErrorCode::not_found, "there is no tab " + to_string(window));
  }
  return found->second;
}

SeenTab& TabBoard::open(WindowId window, const std::filesystem::path& log) {
  const auto [found, is_new] = tabs_.try_emplace(window, window, log);
  SeenTab& tab = found->second;
  if (is_new) {
    tab.created_at_ms = created_at(tab.log);
    tab.first_byte = first_byte_of(tab.log);
    take_records(tab, CommandRecords(records_beside(tab.log)).load(kLastCommands));
    bump(tab.version);
  }
  return tab;
}

std::shared_ptr<SettledInput> TabBoard::input_of(WindowId window) {
  const auto found = tabs_.find(window);
  if (found == tabs_.end()) {
    return std::make_shared<SettledInput>();
  }
  const SeenCommand* const last = found->second.last_command();
  const bool runs = last != nullptr && last->record.state == CommandState::running;
  return runs ? found->second.input : nullptr;
}

void TabBoard::take_open(TabInfo info, TabFace face, std::optional<Hold> hold) {
  const std::uint64_t before = version_;
  SeenTab& tab = open(info.window_id, info.log_path);
  const bool was_closed = tab.is_closed();
  const SeenCommand* const last = tab.last_command();
  if (last == nullptr || last->record.state != CommandState::running) {
    face.awaiting.reset();  // a prompt with something typed at it: the next command does not wait for that
  }
  const bool waits_as_before = same_wait(tab.face.awaiting, face.awaiting);
  const bool same_size = tab.face.cols == face.cols && tab.face.rows == face.rows;
  if (!waits_as_before && !tab.commands.empty()) {
    bump(tab.commands.back().version);
  }
  if (!same_hold(tab.hold, hold)) {
    bump(tab.control_version);
    bump(tab.version);
  }
  follow_hand(tab, info, hold);
  if (!same_size) {
    tab.size_at = end_of(tab.log);
    bump(tab.size_version);
  }
  if (was_closed || !waits_as_before || !same_size || tab.face.alternate != face.alternate ||
      compared(tab.info) != compared(info)) {
    bump(tab.version);
  }
  if (tab.info.log_gap_bytes != info.log_gap_bytes) {
    tab.first_byte = first_byte_of(tab.log);
  }
  tab.closed_at_ms = 0;
  tab.info = std::move(info);
  tab.face = std::move(face);
  tab.hold = std::move(hold);
  if (version_ != before) {
    changed_.notify();
  }
}

/// What is printed while a person has the tab and no command runs, from the first line that they enter on.
void TabBoard::follow_hand(SeenTab& tab, const TabInfo& info, const std::optional<Hold>& hold) {
  const SeenCommand* const last = tab.last_command();
  const bool runs = last != nullptr && last->record.state == CommandState::running;
  const bool goes_on = hold && tab.hold && hold->session == tab.hold->session;
  if (!goes_on || runs) {
    end_hand(tab, info.log_bytes);
  }
  if (!goes_on) {
    tab.held_from = tab.info.log_path.empty() ? info.log_bytes : tab.info.log_bytes;  // as it was seen before
  }
  const bool works = !tab.by_hand.empty() && tab.by_hand.back().record.state == CommandState::running;
  const std::uint64_t begin = std::max(tab.held_from, last != nullptr ? last->record.end_byte : 0);
  if (!hold || runs || works || end_of_lines(tab.log, begin, info.log_bytes) == begin) {
    return;
  }
  CommandRecord record;
  record.id = "hand-" + std::to_string(begin);
  record.who = hold->name;
  record.typed_byte = record.start_byte = begin;
  record.started_at_ms = wall_clock_ms();
  record.started_steady_ms = steady_ms(Clock::now());
  record.cwd = info.cwd;
  tab.by_hand.push_back({.record = std::move(record)});
  if (tab.by_hand.size() > kMostByHand) {
    tab.by_hand.erase(tab.by_hand.begin());
  }
  bump(tab.by_hand.back().version);
}

void TabBoard::end_hand(SeenTab& tab, std::uint64_t end_byte) {
  if (tab.by_hand.empty() || tab.by_hand.back().record.state != CommandState::running) {
    return;
  }
  SeenCommand& hand = tab.by_hand.back();
  hand.record.state = CommandState::completed;
  hand.record.end_byte = end_of_lines(tab.log, hand.record.start_byte, end_byte);  // without the prompt
  hand.record.duration_ms = ran_for_ms(hand.record);
  bump(hand.version);
}

void TabBoard::close(WindowId window, std::int64_t at_ms) {
  const auto found = tabs_.find(window);
  if (found == tabs_.end() || found->second.is_closed()) {
    return;
  }
  SeenTab& tab = found->second;
  tab.closed_at_ms = std::max<std::int64_t>(1, at_ms);
  tab.face.awaiting.reset();
  tab.hold.reset();
  tab.info.busy = false;
  tab.info.foreground.clear();
  tab.info.log_bytes = end_of(tab.log);
  end_hand(tab, tab.info.log_bytes);
  take_records(tab, CommandRecords(records_beside(tab.log)).load(kLastCommands));
  bump(tab.version);
  forget_old_closed();
  changed_.notify();
}

void TabBoard::add_closed(WindowId window, const std::filesystem::path& log) {
  if (tabs_.contains(window)) {
    return;
  }
  SeenTab& tab = tabs_.try_emplace(window, window, log).first->second;
  tab.closed_at_ms = std::max<std::int64_t>(1, modified_ms(log));
  tab.created_at_ms = created_at(tab.log);
  tab.first_byte = first_byte_of(tab.log);
  tab.info.window_id = window;
  tab.info.log_path = log.string();
  tab.info.log_bytes = end_of(tab.log);
  tab.info.last_output_at_ms = tab.closed_at_ms;
  take_records(tab, CommandRecords(records_beside(tab.log)).load(1));
  bump(tab.version);
  forget_old_closed();
  changed_.notify();
}

void TabBoard::forget_old_closed() {
  for (;;) {
    auto oldest = tabs_.end();
    std::size_t closed = 0;
    for (auto it = tabs_.begin(); it != tabs_.end(); ++it) {
      closed += it->second.is_closed() ? 1 : 0;
      if (it->second.is_closed() &&
          (oldest == tabs_.end() || it->second.closed_at_ms < oldest->second.closed_at_ms)) {
        oldest = it;
      }
    }
    if (closed <= kMostClosed) {
      return;
    }
    tabs_.erase(oldest);
    ++version_;
  }
}

void TabBoard::read_records(WindowId window) {
  const auto found = tabs_.find(window);
  if (found == tabs_.end()) {
    return;
  }
  SeenTab& tab = found->second;
  const std::uint64_t before = version_;
  take_records(tab, CommandRecords(records_beside(tab.log)).load(kLastCommands));
  if (version_ != before) {
    bump(tab.version);
    changed_.notify();
  }
}

void TabBoard::take_records(SeenTab& tab, const std::vector<CommandRecord>& records) {
  std::vector<SeenCommand> now;
  for (CommandRecord record : records) {
    settle_if_closed(tab, record);
    SeenCommand seen{.record = std::move(record), .version = 0};
    const auto known = std::ranges::find_if(
        tab.commands, [&seen](const SeenCommand& one) { return one.record.id == seen.record.id; });
    const bool is_same =
        known != tab.commands.end() && encode_record(known->record) == encode_record(seen.record);
    if (seen.record.state == CommandState::running && seen.record.reason != Reason::none) {
      seen.ending_since =
          known != tab.commands.end() && known->ending_since ? known->ending_since : Clock::now();
    }
    seen.step = step_of(seen);
    if (is_same) {
      seen.version = known->version;
    } else {
      bump(seen.version);
    }
    now.push_back(std::move(seen));
  }
  for (const SeenCommand& known : tab.commands) {
    const bool is_there = std::ranges::any_of(
        now, [&known](const SeenCommand& one) { return one.record.id == known.record.id; });
    if (!is_there && known.record.state == CommandState::running) {  // else it is only one of the older ones
      tab.withdrawn.push_back({.id = known.record.id});
      bump(tab.withdrawn.back().version);
    }
  }
  if (tab.withdrawn.size() > kLastCommands) {
    tab.withdrawn.erase(tab.withdrawn.begin());
  }
  tab.commands = std::move(now);
}

void TabBoard::tick() {
  const std::uint64_t before = version_;
  for (auto& [window, tab] : tabs_) {
    for (SeenCommand& command : tab.commands) {
      if (const std::string_view step = step_of(command); step != command.step) {
        command.step = step;
        bump(command.version);
        bump(tab.version);
      }
    }
  }
  if (Clock::now() - rated_at_ >= kRateTime) {
    measure_rates();
  }
  if (version_ != before) {
    changed_.notify();
  }
}

void TabBoard::measure_rates() {
  const auto now = Clock::now();
  const bool is_first = rated_at_ == Clock::time_point();
  rated_at_ = now;
  for (auto& [window, tab] : tabs_) {
    const std::uint64_t bytes = tab.info.log_bytes - std::min(tab.rated_bytes, tab.info.log_bytes);
    tab.rated_bytes = tab.info.log_bytes;
    const std::uint64_t rate = is_first ? 0 : bytes;
    if (rate != tab.rate) {
      tab.rate = rate;
      bump(tab.rate_version);
    }
  }
}

}  // namespace terminally
