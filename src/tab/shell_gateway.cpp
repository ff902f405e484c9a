#include "tab/shell_gateway.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "system/proc.hpp"

namespace terminally {
namespace {

/// So many shells within each other are looked through.
constexpr std::size_t kDeepestNesting = 4;

/// The way of the command that was begun last, and what the records of the commands behind it say of it.
struct LastGateway {
  ShellGateway way;      ///< its times: the latest of them
  std::string command;   ///< the id of the one begun last
  CommandRecord record;  ///< the one that was written last
};

/// A command that opened a shell is written to the records after those that ran in it.
std::optional<LastGateway> last_way(const CommandRecords& records) {
  if (!records.any_has(R"("shell_gateway":{)", kDeepestNesting)) {
    return std::nullopt;
  }
  const std::vector<CommandRecord> last = records.load(kDeepestNesting);
  const auto latest = std::ranges::max_element(last, {}, &CommandRecord::started_steady_ms);
  if (latest == last.end() || !latest->shell_gateway) {
    return std::nullopt;
  }
  LastGateway found{*latest->shell_gateway, latest->id, {}};
  for (const CommandRecord& record : last) {
    if (record.shell_gateway && record.shell_gateway->process == found.way.process) {
      found.way.seen_steady_ms = std::max(found.way.seen_steady_ms, record.shell_gateway->seen_steady_ms);
      found.way.told_steady_ms = std::max(found.way.told_steady_ms, record.shell_gateway->told_steady_ms);
      found.way.told_people_steady_ms =
          std::max(found.way.told_people_steady_ms, record.shell_gateway->told_people_steady_ms);
      found.record = record;
    }
  }
  return found;
}

/// People at their terminals and clients are told apart: each has a time of its own.
std::int64_t& told_at(ShellGateway& way, const Tab& tab) {
  return tab.for_person ? way.told_people_steady_ms : way.told_steady_ms;
}

/// Notes it in the record that was written last, because writing an older one again would make that the
/// last.
void mark_told(Tab& tab, LastGateway last) {
  told_at(*last.record.shell_gateway, tab) = steady_ms(Clock::now());
  tab.records.append(last.record);
}

}  // namespace

std::string where_it_is_now(const Foreground& now) {
  const std::string cwd = process_cwd(now.pid);
  return now.name + (now.kind == Foreground::Kind::gateway || cwd.empty() ? "" : " in " + cwd);
}

std::optional<ShellGateway> shell_gateway(const Foreground& foreground, Clock::time_point seen) {
  const auto gateway = gateway_to(foreground);
  return gateway ? std::optional(ShellGateway{
                       .process = gateway->id(), .name = gateway->name, .seen_steady_ms = steady_ms(seen)})
                 : std::nullopt;
}

void note_told(Tab& tab, const CommandRecord& told) {
  if (told.state == CommandState::running || !told.shell_gateway || !told.shell_gateway->ends_with_command) {
    return;
  }
  auto last = last_way(tab.records);
  if (last && last->way.process == told.shell_gateway->process && told_at(last->way, tab) == 0) {
    mark_told(tab, std::move(*last));
  }
}

std::string note_of_lost_gateway(Tab& tab, const Foreground& now, Clock::time_point called) {
  auto last = last_way(tab.records);
  if (!last || is_alive(last->way.process)) {
    return {};
  }
  ShellGateway way = last->way;
  if (const std::int64_t told_ms = told_at(way, tab); told_ms != 0 && steady_ms(called) >= told_ms) {
    return {};
  }
  const std::string what =
      "the " + way.name + " that led to the shell of command " + last->command + " has ended since";
  mark_told(tab, std::move(*last));
  if (steady_ms(tab.shell.last_input()) > way.seen_steady_ms) {
    return what + ": this ran in " + where_it_is_now(now);
  }
  throw Error(ErrorCode::busy, "nothing was run in tab " + to_string(tab.window) + ": " + what +
                                   ", so it would run on this side, in " + where_it_is_now(now) +
                                   ". The same call again runs it there");
}

void refuse_if_gone(const Tab& tab, const std::optional<MeantShell>& meant, const Foreground& now) {
  if (meant && !is_alive(meant->process)) {
    throw Error(ErrorCode::busy, "nothing was run in tab " + to_string(tab.window) + ": the " + meant->name +
                                     " that it was meant for has ended since this call came, so it would "
                                     "run in " +
                                     where_it_is_now(now) + ". The same call again runs it there");
  }
}

}  // namespace terminally
