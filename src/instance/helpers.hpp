#pragma once

#include <filesystem>
#include <string>

#include "config.hpp"

namespace terminally {

/// The helpers that the program has inside; none in ordinary builds. terminally_pack_helpers
/// (cmake/pack_helpers.cmake) generates the definition for each program.
[[nodiscard]] PackedHelpers packed_helpers();

/// The directory of unpacked helpers, named by the hash of their content, so that each version has its own.
/// No instance can have such a name.
[[nodiscard]] std::filesystem::path unpacked_helpers(const std::filesystem::path& state_root,
                                                     const PackedHelpers& packed);

/// Makes sure that tabs can use the helpers of `config`; says why not, or is empty. Unpacks each helper that
/// is missing, changed or not ours, if the program has it inside: under a temporary name that is renamed, so
/// that a running helper is not changed.
[[nodiscard]] std::string trouble_with_helpers(const Config& config);

}  // namespace terminally
