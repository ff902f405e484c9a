#pragma once

#include <filesystem>
#include <string>

#include "config.hpp"

namespace terminally {

/// The helpers that the program has inside; none in the ordinary builds. No room has this: each program has
/// it from terminally_pack_helpers (cmake/pack_helpers.cmake).
[[nodiscard]] PackedHelpers packed_helpers();

/// Where the helpers are that the program has inside, once they are unpacked: in a directory of this content,
/// so that each version has its own. No instance has such a name.
[[nodiscard]] std::filesystem::path unpacked_helpers(const std::filesystem::path& state_root,
                                                     const PackedHelpers& packed);

/// Makes sure that tabs can be given the helpers of `config`, and says why not; empty where they can.
/// Unpacks those that the program has inside where they are missing, or are another's or not what they were:
/// under another name, renamed when it is whole, so that one that runs stays what it is.
[[nodiscard]] std::string trouble_with_helpers(const Config& config);

}  // namespace terminally
