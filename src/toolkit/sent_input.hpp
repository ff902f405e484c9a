#pragma once

#include "command/wait_terms.hpp"
#include "tmux/manager.hpp"
#include "toolkit/results.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

/// What send_text and send_keys answer: when they waited, with what came of it.
struct SentAnswer {
  SentInput input;
  std::optional<WaitForResult> waited;
};
void describe(ResultVisitor& v, const SentAnswer& answer);

/// Waits for what came of it, if that was asked for.
[[nodiscard]] boost::asio::awaitable<SentAnswer> answer_after(ToolContext context, WindowId window,
                                                              SentInput input,
                                                              std::optional<WaitTerms> waiting);

}  // namespace terminally
