#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "command/command_run.hpp"
#include "log/output.hpp"
#include "log/text_view.hpp"
#include "record/record.hpp"
#include "tmux/tabs/tab_table.hpp"
#include "tmux/wire/text_worker.hpp"

namespace terminally {

/// How output is shown to the call that asks for it.
struct ShowOutput {
  TextView view;
  std::uint64_t max_bytes = 0;
  Clock::time_point by;  ///< what is no text by then is left out; a note says how to read it
};

struct ShownOutput {
  std::string text;
  std::uint64_t omitted_bytes = 0;
  std::vector<std::string> notes;
};

/// What a caller is told of a command: its result, with its output as text.
class CommandResults {
 public:
  /// `texts` outlives it.
  explicit CommandResults(TextWorker& texts) : texts_(texts) {}

  /// One that this process looks after, as it is now.
  [[nodiscard]] Awaitable<CommandResult> of(TabPtr tab, RunPtr run, ShowOutput how) const;
  /// One that is on record.
  [[nodiscard]] Awaitable<CommandResult> of(TabPtr tab, CommandRecord record, ShowOutput how) const;
  /// Any part of the tab's log.
  [[nodiscard]] Awaitable<ShownOutput> show(TabPtr tab, OutputRange range, ShowOutput how) const;

 private:
  TextWorker& texts_;
};

}  // namespace terminally
