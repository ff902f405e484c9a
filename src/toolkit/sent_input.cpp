// Describes the answer of send_text and send_keys, and waits for their effect.
#include "toolkit/sent_input.hpp"

#include "toolkit/wait_for_answer.hpp"

namespace terminally {

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
    answer.waited = co_await context.manager->wait_for(std::move(wait));
  }
  co_return answer;
}

}  // namespace terminally
