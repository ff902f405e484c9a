#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tab/wait_terms.hpp"
#include "tmux/manager.hpp"
#include "toolkit/results_json.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

/// The result of a command as three tools return it. `output`, `exit_code`, `timed_out` and `state` always
/// appear. Other fields appear where they tell something: the reason when it is not plain, the tab when the
/// caller did not name it, the id and the byte range when there is more to read. `verbose` shows all.
struct CommandAnswer {
  CommandResult result;
  bool verbose = false;
  bool tab_was_named = true;     ///< the caller passed the window_id
  bool lists_survivors = false;  ///< also where there are none
  bool tells_time = false;       ///< how long it took, without `verbose`: a text says it in a word
};

void describe(ResultVisitor& v, const TabInfo& tab);
void describe(ResultVisitor& v, const Survivor& survivor);
void describe(ResultVisitor& v, const AwaitingInput& awaiting);
void describe(ResultVisitor& v, const CommandAnswer& answer);

/// Describes the field `awaiting_input`, null when the command waits for no input.
void describe_awaiting(ResultVisitor& v, const std::optional<AwaitingInput>& awaiting, Show show);

[[nodiscard]] std::string_view to_string(AwaitingInput::Kind kind);
[[nodiscard]] ResultVisitor::Names command_state_names();

/// Milliseconds since the epoch as ISO 8601 in UTC, "2026-11-05T14:03:07.250Z".
[[nodiscard]] std::string iso_time(std::int64_t epoch_ms);

/// The answer of send_text and send_keys, with the result of the wait if there was one.
struct SentAnswer {
  SentInput input;
  std::optional<WaitForResult> waited;
};
void describe(ResultVisitor& v, const SentAnswer& answer);

/// Waits for the effect of the input where `waiting` is given, and makes the answer.
[[nodiscard]] boost::asio::awaitable<SentAnswer> answer_after(ToolContext context, WindowId window,
                                                              SentInput input,
                                                              std::optional<WaitTerms> waiting);

void describe(ResultVisitor& v, const WaitForResult& waited);

/// Describes the same fields without `notes`, for a tool that waits only when asked to. They are left out
/// where it did not wait.
void describe_waited(ResultVisitor& v, const std::optional<WaitForResult>& waited);

}  // namespace terminally
