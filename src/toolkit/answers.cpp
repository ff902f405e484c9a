// Describes the result of a command, field by field.
// Describes the answer of send_text and send_keys, and waits for their effect.
// Describes the result of a wait, field by field.

#include "toolkit/answers.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace terminally {

/// The text of an answer says these fields together (answer_state.hpp).
static constexpr InText kForState = {.plain = InText::kNever};

std::string_view to_string(AwaitingInput::Kind kind) {
  switch (kind) {
    case AwaitingInput::Kind::line:
      return "line";
    case AwaitingInput::Kind::password:
      return "password";
    case AwaitingInput::Kind::stopped:
      return "stopped";
    case AwaitingInput::Kind::program:
      break;
  }
  return "program";
}

ResultVisitor::Names command_state_names() {
  return {to_string(CommandState::running), to_string(CommandState::completed),
          to_string(CommandState::cancelled), to_string(CommandState::failed)};
}

std::string iso_time(std::int64_t epoch_ms) {
  std::int64_t ms = epoch_ms % 1000;
  ms += ms < 0 ? 1000 : 0;
  const std::time_t seconds = (epoch_ms - ms) / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 40> date{};
  const std::size_t length = std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  const std::string fraction = std::to_string(1000 + ms).substr(1);
  return std::string(date.data(), length) + "." + fraction + "Z";
}

void describe(ResultVisitor& v, const Survivor& survivor) {
  v.count("pid", static_cast<std::uint64_t>(survivor.pid), "Process id.");
  v.text("command", survivor.command, "Its command line.");
  v.text("why", survivor.why, "Why it lives.");
}

void describe(ResultVisitor& v, const AwaitingInput& awaiting) {
  v.choice("kind", to_string(awaiting.kind), {"line", "password", "program", "stopped"},
           "password: a line that is not shown. program: keys, as of an editor or a pager. stopped: no key "
           "reaches it.");
  v.text("prompt", awaiting.prompt, "The prompt line before the cursor; what is stopped, and why.");
}

void describe_awaiting(ResultVisitor& v, const std::optional<AwaitingInput>& awaiting, Show show) {
  const auto sample = [](ResultVisitor& item) { describe(item, AwaitingInput()); };
  const auto item = [&awaiting](ResultVisitor& of) { describe(of, *awaiting); };
  v.object_or_null("awaiting_input", awaiting ? ResultVisitor::Item(item) : ResultVisitor::Item(), sample,
                   "What input the command waits for; answer with send_text or send_keys.", show);
  v.in_text(kForState);
}

void describe(ResultVisitor& v, const CommandAnswer& answer) {
  const CommandResult& r = answer.result;
  const Show verbose = show_if(answer.verbose);
  const Show more_to_read =
      show_if(answer.verbose || r.omitted_bytes > 0 || r.state == CommandState::running);
  const Show omitted = show_if(answer.verbose || r.omitted_bytes > 0);
  const std::optional<std::string_view> reason =
      r.reason == Reason::none ? std::nullopt : std::optional(to_string(r.reason));
  const std::optional<std::int64_t> exit_code = r.exit_code;

  v.log_text("output", r.output, "What the command printed, stderr included.");
  v.integer_or_null("exit_code", exit_code, "Null while it runs, or when the exit code cannot be known.");
  v.in_text({.words = "exit #"});
  v.flag("timed_out", r.timed_out, "timeout_ms passed: the command was interrupted, or still runs.");
  v.in_text(kForState);
  v.choice("state", to_string(r.state), command_state_names(),
           "completed: ended by itself. cancelled: was interrupted. failed: no exit code can be known.");
  v.in_text(kForState);
  v.text_or_null("reason", reason, "Why, when the state alone does not say it.",
                 show_if(answer.verbose || r.reason != Reason::none));
  v.in_text(kForState);
  describe_awaiting(v, r.awaiting_input, show_if(answer.verbose || r.awaiting_input.has_value()));
  v.text("window_id", to_string(r.window_id), "The tab it ran in.",
         show_if(answer.verbose || !answer.tab_was_named));
  v.in_text(kForState);
  v.text("command_id", r.command_id, "Pass it to get_command_state.", more_to_read);
  v.in_text(kForState);
  v.text("command", r.command, "The command itself.", verbose);
  v.in_text(kForState);
  v.count("start_byte", r.start_byte, "Log offset of the first byte of output.", more_to_read);
  v.in_text(kForState);
  v.count("end_byte", r.end_byte,
          "Log offset after the last byte of output; continue there with stream_logs_from_tab.",
          more_to_read);
  v.in_text(kForState);
  v.count("output_bytes", r.output_bytes, "Raw size of the whole output.", omitted);
  v.in_text(kForState);
  v.count("omitted_bytes", r.omitted_bytes, "How much of it was left out of output.", omitted);
  v.in_text(kForState);
  v.text("started_at", iso_time(r.started_at_ms), "ISO 8601, UTC.", verbose);
  v.in_text(kForState);
  v.count("duration_ms", r.duration_ms, "How long it ran.", show_if(answer.verbose || answer.tells_time));
  v.in_text(kForState);
  v.text("cwd", r.cwd, "Working directory afterwards.", verbose);
  v.in_text(kForState);
  v.list("survivors", r.survivors, "Processes of it that live on.",
         answer.lists_survivors ? Show::always : show_if(answer.verbose || !r.survivors.empty()));
  v.texts("notes", r.notes, "Remarks on this result.", show_if(!r.notes.empty()));
}

void describe(ResultVisitor& v, const SentAnswer& answer) {
  std::vector<std::string> notes = answer.input.notes;
  if (answer.waited) {
    notes.insert(notes.end(), answer.waited->notes.begin(), answer.waited->notes.end());
  }
  v.count("sent", answer.input.sent, "Bytes of text sent, or number of keys.");
  v.count("from_byte", answer.input.from_byte, "Log offset before it was sent; what came of it follows.");
  describe_waited(v, answer.waited);
  v.texts("notes", notes, "Remarks on this result.", show_if(!notes.empty()));
}

boost::asio::awaitable<SentAnswer> answer_after(ToolContext context, WindowId window, SentInput input,
                                                std::optional<WaitTerms> waiting) {
  SentAnswer answer;
  answer.input = std::move(input);
  if (waiting) {
    WaitFor wait;
    wait.window_id = window;
    wait.waiting = *std::move(waiting);
    wait.from_byte = answer.input.from_byte;
    wait.behind_input = true;
    answer.waited = co_await context.manager->output().wait_behind(std::move(wait), answer.input.notes);
  }
  co_return answer;
}

namespace {

void describe_fields(ResultVisitor& v, const WaitForResult& w, Show always) {
  const auto if_waited = [always](bool says_something) {
    return always == Show::no ? Show::no : show_if(says_something);
  };
  v.flag("matched", w.matched, "What was waited for has come.", always);
  v.in_text({.plain = InText::kAlways});
  v.text("reason", w.reason,
         "Why it did not match: timeout (it goes on), awaiting_input, exited, tab_closed.",
         if_waited(!w.reason.empty()));
  v.in_text(kForState);
  v.text("match", w.match, "The matched text; the prompt; for a port, pid and name of the listener.",
         if_waited(!w.match.empty()));
  v.log_text("output", w.output, "What was printed; long output keeps its first fifth and its end.", always);
  v.count("next_byte", w.next_byte, "Log offset after output.", always);
  v.choice("state", to_string(w.state), command_state_names(), "State of the command.", always);
  v.in_text(kForState);
  v.integer_or_null("exit_code", w.exit_code, "Exit code of the command, when it has ended.",
                    if_waited(w.exit_code.has_value()));
  v.in_text({.words = "exit #"});
  describe_awaiting(v, w.awaiting_input, if_waited(w.awaiting_input.has_value()));
}

}  // namespace

void describe(ResultVisitor& v, const WaitForResult& waited) {
  describe_fields(v, waited, Show::always);
  v.text("window_id", "", "The tab that it came of, where several were given.",
         Show::no);  // see one_of_tabs.hpp
  v.in_text(kForState);
  v.texts("notes", waited.notes, "Remarks on this result.", show_if(!waited.notes.empty()));
}

void describe_waited(ResultVisitor& v, const std::optional<WaitForResult>& waited) {
  describe_fields(v, waited.value_or(WaitForResult()), show_if(waited.has_value()));
}

}  // namespace terminally
