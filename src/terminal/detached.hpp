#pragma once

#include "base/descriptors.hpp"
#include "base/process.hpp"

namespace terminally {

/// Starts a program that outlives this process and its terminal: in a session of its own, in "/", without
/// input and output. It is no process of a tab, where this one is. `errors` becomes its standard error; none:
/// that leads nowhere. Throws Error(io) where there can be no process.
void start_detached(const Argv& argv, const UniqueFd& errors = UniqueFd());

}  // namespace terminally
