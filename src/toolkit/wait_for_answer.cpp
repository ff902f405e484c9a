// Describes the result of a wait, field by field.
#include "toolkit/wait_for_answer.hpp"

#include "toolkit/command_answer.hpp"

namespace terminally {
namespace {

void describe_fields(ResultVisitor& v, const WaitForResult& w, Show always) {
  const auto if_waited = [always](bool says_something) {
    return always == Show::no ? Show::no : show_if(says_something);
  };
  v.flag("matched", w.matched, "What was waited for has come.", always);
  v.text("reason", w.reason, "Why it did not match: timeout (it goes on), exited, tab_closed.",
         if_waited(!w.reason.empty()));
  v.text("match", w.match, "The matched text; the prompt; for a port, pid and name of the listener.",
         if_waited(!w.match.empty()));
  v.log_text("output", w.output, "What was printed; long output keeps its first fifth and its end.", always);
  v.count("next_byte", w.next_byte, "Log offset after output.", always);
  v.choice("state", to_string(w.state), command_state_names(), "State of the command.", always);
  v.integer_or_null("exit_code", w.exit_code, "Exit code of the command, when it has ended.",
                    if_waited(w.exit_code.has_value()));
  describe_awaiting(v, w.awaiting_input, if_waited(w.awaiting_input.has_value()));
}

}  // namespace

void describe(ResultVisitor& v, const WaitForResult& waited) {
  describe_fields(v, waited, Show::always);
  v.texts("notes", waited.notes, "Remarks on this result.", show_if(!waited.notes.empty()));
}

void describe_waited(ResultVisitor& v, const std::optional<WaitForResult>& waited) {
  describe_fields(v, waited.value_or(WaitForResult()), show_if(waited.has_value()));
}

}  // namespace terminally
