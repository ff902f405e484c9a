// Keeps what was typed into a tab lately, and finds its echo in the log.
#include "tab/sent_inputs.hpp"

#include <algorithm>

#include "log/masking.hpp"
#include "text/drawn_line.hpp"
#include "text/typed_text.hpp"

namespace terminally {
namespace {

constexpr std::size_t kMostKept = 8;
/// An echo that is further behind the place where it was typed is not known any more.
constexpr std::size_t kEchoWithinBytes = std::size_t{64} * 1024;
/// More than any prompt is long.
constexpr std::uint64_t kPromptBytes = std::uint64_t{16} * 1024;
/// When an editor that goes on showing something is no line editor that was left by Enter.
constexpr Milliseconds kLeft{1'000};
constexpr Milliseconds kLeftWhilePrinting{5'000};
constexpr Milliseconds kQuiet{300};

/// Whether the row that the cursor is in was drawn, as editors do with their prompt.
bool is_drawn(std::string_view log) {
  LineState state;
  std::string text;
  return strip_line(log.substr(log.rfind('\n') + 1), state, text) != Effect::none;  // npos + 1 is 0
}

/// What was typed ahead may be shown long after it was typed: then the editor is given time from there on.
bool is_late(Clock::time_point typed, const SentInputs::Asked& asked) {
  const auto since_typed = asked.now - typed;
  return (since_typed >= kLeft && asked.now - asked.log_grew >= kQuiet) ||
         (since_typed >= kLeftWhilePrinting && asked.now - asked.first >= kQuiet);
}

}  // namespace

void SentInputs::add(const PaneLog& log, TypedInput::EchoedBy echoed_by, std::uint64_t from_byte,
                     std::string_view text, bool pasted) {
  using EchoedBy = TypedInput::EchoedBy;
  if (echoed_by == EchoedBy::nobody) {
    return;
  }
  TypedInput input;
  const std::uint64_t end = log.end();
  const std::string before = read_range(log, end - std::min(end, kPromptBytes), end);
  // What is typed ahead is shown again behind the prompt that comes.
  input.prompt = echoed_by != EchoedBy::terminal ? prompt_letters(before)
                 : sent_.empty()                 ? ""
                                                 : sent_.back().input.prompt;
  input.edited = takes_pasted_lines(before);
  input.echoed_by =
      echoed_by == EchoedBy::drawing && (input.edited || is_drawn(before)) ? EchoedBy::program : echoed_by;
  input.entered =
      pasted && input.edited ? text.ends_with('\n') : text.find_first_of("\r\n") != std::string_view::npos;
  input.lines = echoed_lines(text.substr(0, kEchoWithinBytes));
  sent_.push_back({from_byte, Clock::now(), std::move(input)});
  if (sent_.size() > kMostKept) {
    sent_.pop_front();
  }
}

std::optional<SentInputs::Echo> SentInputs::echo_at(const PaneLog& log, std::uint64_t end,
                                                    const Asked& asked) const {
  for (const Sent& sent : sent_) {
    if (end <= sent.from_byte || end > sent.from_byte + kEchoWithinBytes) {
      continue;
    }
    const PaneLog::Slice slice = log.read(sent.from_byte, kEchoWithinBytes);
    for (const EchoRange& range : echoes(slice.bytes, sent.input, is_late(sent.when, asked))) {
      if (end > slice.from + range.begin && end <= slice.from + range.end) {
        return Echo{slice.from + range.end, range.open};
      }
    }
  }
  return std::nullopt;
}

}  // namespace terminally
