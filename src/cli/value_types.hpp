#pragma once

namespace terminally {

// How the help names what a flag or an argument takes. Completions are made from these names.
inline constexpr const char* kTabType = "@ID or NAME";
inline constexpr const char* kLogType = "@ID, NAME or PATH";
inline constexpr const char* kInstanceType = "NAME";
inline constexpr const char* kFileType = "PATH";
inline constexpr const char* kDirectoryType = "DIR";
inline constexpr const char* kProgramType = "PROGRAM";

}  // namespace terminally
