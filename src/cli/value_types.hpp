#pragma once

namespace terminally {

// The names of argument types in the help. Completions recognize them.
inline constexpr const char* kTabType = "@ID or NAME";
inline constexpr const char* kLogType = "@ID, NAME or PATH";
inline constexpr const char* kInstanceType = "NAME";
inline constexpr const char* kFileType = "PATH";
inline constexpr const char* kDirectoryType = "DIR";
inline constexpr const char* kProgramType = "PROGRAM";

}  // namespace terminally
