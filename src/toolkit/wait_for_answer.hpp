#pragma once

#include <optional>

#include "command/wait_terms.hpp"
#include "toolkit/results.hpp"

namespace terminally {

void describe(ResultVisitor& v, const WaitForResult& waited);

/// The same fields, without `notes`, in the result of a tool that waits only when it was asked to: left out
/// when it was not.
void describe_waited(ResultVisitor& v, const std::optional<WaitForResult>& waited);

}  // namespace terminally
