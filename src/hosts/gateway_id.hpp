#pragma once

#include <string>

#include "config.hpp"

namespace terminally {

/// Identifies this side to a far side: this machine, this user's directories, this instance, and the host's
/// name, as two hosts may be one machine. The same after a restart. Machines of one image look alike in all
/// of that, so a number that was drawn once and is kept in the state directory is in it. Throws Error(io)
/// where that number is there and cannot be read.
[[nodiscard]] std::string gateway_id(const Config& config, const std::string& instance,
                                     const std::string& host);

/// Identifies the records of this side to a near side: another text on another machine, in another state
/// directory, and after a restart of the machine, as what was written last may be lost by then. Empty where
/// that cannot be told.
[[nodiscard]] std::string place_of_records(const Config& config);

}  // namespace terminally
