#pragma once

#include <optional>

#include "command/wait_terms.hpp"
#include "toolkit/results.hpp"

namespace terminally {

void describe(ResultVisitor& v, const WaitForResult& waited);

/// Describes the same fields without `notes`, for a tool that waits only when asked to. They are left out
/// where it did not wait.
void describe_waited(ResultVisitor& v, const std::optional<WaitForResult>& waited);

}  // namespace terminally
