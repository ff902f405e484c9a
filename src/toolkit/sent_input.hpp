#pragma once

#include "command/wait_terms.hpp"
#include "tmux/manager.hpp"
#include "toolkit/results.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

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

}  // namespace terminally
