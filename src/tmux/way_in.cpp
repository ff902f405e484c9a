#include "tmux/way_in.hpp"

#include <algorithm>
#include <vector>

#include "tmux/command_run.hpp"
#include "tmux/proc.hpp"

namespace terminally {
namespace {

/// So many shells within each other.
constexpr std::size_t kDeepestNesting = 4;

std::string where_it_is_now(const Foreground& now) {
  const std::string cwd = process_cwd(now.pid);
  return now.name + (now.kind == Foreground::Kind::gateway || cwd.empty() ? "" : " in " + cwd);
}

/// A command that opened a shell is written to the records after those that ran in it.
std::optional<CommandRecord> begun_last(const CommandRecords& records) {
  std::vector<CommandRecord> last = records.load(kDeepestNesting);
  const auto latest = std::ranges::max_element(last, {}, &CommandRecord::started_steady_ms);
  return latest == last.end() ? std::nullopt : std::optional(std::move(*latest));
}

}  // namespace

std::optional<WayIn> way_in(const Foreground& foreground) {
  if (foreground.kind == Foreground::Kind::gateway) {
    const auto gateway = process_info(foreground.pid);
    return gateway ? std::optional(WayIn{gateway->id(), gateway->name}) : std::nullopt;
  }
  const ExitReporter reporter = exit_reporter(foreground.pid);
  const auto way = reporter.passed_on ? process_info(reporter.pid) : std::nullopt;
  return way ? std::optional(WayIn{way->id(), way->name}) : std::nullopt;
}

bool is_elsewhere(const Tab& tab) {
  return std::ranges::any_of(tab.runs, [](const auto& run) { return run->record().way_in.has_value(); });
}

std::string note_of_lost_way(Tab& tab, const Foreground& now, Clock::time_point called) {
  auto latest = begun_last(tab.records);
  if (!latest || !latest->way_in || is_alive(latest->way_in->process)) {
    return {};
  }
  const WayIn way = *latest->way_in;
  if (tab.told_end_of == way.process && called >= tab.told_end_at) {
    return {};
  }
  tab.told_end_of = way.process;
  tab.told_end_at = Clock::now();
  const std::string what =
      "the " + way.name + " that led to the shell of command " + latest->id + " has ended since";
  if (steady_ms(tab.last_input) > latest->started_steady_ms) {
    return what + ": this ran in " + where_it_is_now(now);
  }
  latest->way_in.reset();  // once, whichever process of ours is asked next
  tab.records.append(*latest);
  throw Error(ErrorCode::busy, "nothing was run in tab " + to_string(tab.window) + ": " + what +
                                   ", so it would run on this side, in " + where_it_is_now(now) +
                                   ". The same call again runs it there");
}

}  // namespace terminally
