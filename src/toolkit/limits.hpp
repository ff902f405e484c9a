#pragma once

#include "toolkit/args.hpp"

namespace terminally {

// The limits and descriptions that several tools share.
inline constexpr Range kNameBytes = {0, 200};
inline constexpr Range kPathBytes = {1, 4'096};
inline constexpr Range kCommandBytes = {1, 8'388'608};  // half a line of the transport, as escapes take room
inline constexpr Range kCommandIdBytes = {1, 128};
inline constexpr std::size_t kMostKeys = 500;
inline constexpr Range kTimeoutMs = {1, 86'400'000};
inline constexpr Range kPatternBytes = {1, 4'096};
inline constexpr Range kLogOffset = {0, (std::uint64_t{1} << 53U) - 1};  // exact in every JSON reader
inline constexpr Range kMaxOutputBytes = {0, 1'048'576};

inline constexpr const char* kTabDescription = "Id or name.";
inline constexpr const char* kTabOrMainDescription = "Default: main, or a helper tab if busy.";
inline constexpr const char* kMaxOutputDescription = "Default: 32768, rendered 8192.";
inline constexpr const char* kVerboseDescription = "Show all fields.";

}  // namespace terminally
