#pragma once

#include "tmux/manager.hpp"
#include "tools/results.hpp"

namespace terminally {

/// What send_text and send_keys answer.
void describe(ResultVisitor& v, const SentInput& input);

}  // namespace terminally
