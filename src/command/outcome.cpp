#include "command/outcome.hpp"

#include <signal.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <vector>

namespace terminally {
namespace {

using Seen = Outcome::Seen;

}  // namespace

Outcome untaken() {
  return {Seen::untaken, CommandState::failed, Reason::no_shell_answered};
}

bool looks_interrupted(SeenEnd end) {
  return end.exit_code == 128 + SIGINT || end.exit_code == 256 + SIGINT ||
         (end.by == Marker::By::hook && end.exit_code == 0);
}

bool is_called_off(const Requested& requested, Clock::time_point now) {
  return requested.why != Reason::none || requested.answered || now >= requested.deadline;
}

Outcome called_off(const Requested& requested) {
  if (requested.why == Reason::none && requested.answered) {
    return untaken();
  }
  return {Seen::called_off, CommandState::cancelled,
          requested.why == Reason::none ? Reason::timeout : requested.why};
}

Outcome outcome_of(SeenEnd end, Reason why, bool others_typed, bool stopped) {
  if (end.by == Marker::By::refused) {
    return {Seen::refused, CommandState::failed, Reason::no_shell_answered};
  }
  if (why != Reason::none) {
    return {Seen::end, CommandState::cancelled, why, end.exit_code};
  }
  // An exit code that tells of the C-c counts, whether or not something was stopped as well.
  const bool interrupted = others_typed && looks_interrupted(end);
  if (interrupted && (end.exit_code != 0 || !stopped)) {
    return {Seen::end, CommandState::cancelled, Reason::interrupted_in_tab, end.exit_code};
  }
  const Reason reason = end.by == Marker::By::shell ? Reason::shell_exited : Reason::none;
  return {Seen::end, CommandState::completed, reason, end.exit_code};
}

std::string failed_parts(const std::string& parts) {
  std::istringstream text(parts);
  const std::vector<int> codes{std::istream_iterator<int>(text), {}};
  const bool hides = codes.size() > 1 && codes.back() == 0 &&
                     std::ranges::any_of(codes, [](int code) { return code != 0 && code != 128 + SIGPIPE; });
  return hides ? "its last pipeline ended with " + parts + ": exit_code is only the last of these" : "";
}

Outcome by_exit_file(Outcome::Seen seen, Reason why, std::optional<int> exit_code) {
  return {seen, why != Reason::none ? CommandState::cancelled : CommandState::completed, why, exit_code};
}

Outcome lost(Outcome::Seen seen, Reason why) {
  const bool ours = seen == Seen::shell_gone && why != Reason::none;
  const Reason reason = seen == Seen::shell_gone && !ours ? Reason::shell_exited : why;
  return {seen, ours ? CommandState::cancelled : CommandState::failed, reason};
}

}  // namespace terminally
