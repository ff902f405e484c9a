#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "setup/config_text.hpp"

namespace terminally {

/// A file of a person that is to be changed.
struct FileChange {
  std::filesystem::path path;
  std::filesystem::path target;  ///< what the path leads to, without links
  ConfigText before;
  ConfigText after;
  bool is_private = false;  ///< it has a token of ours: from then on only its owner may read it
  [[nodiscard]] bool is_none() const { return before == after; }
};

/// Reads the file and edits its text. In a project, which somebody else may have made, no link may lead out
/// of it; `project` is empty for a user's own files. Throws Error that names the file, which was not changed.
[[nodiscard]] FileChange planned(const std::filesystem::path& path, const std::filesystem::path& project,
                                 const std::function<ConfigText(const ConfigText&)>& edit);

/// The path, and what it leads to where that is another file.
[[nodiscard]] std::string name_of(const FileChange& change);

/// The lines that go ("- ") and come ("+ "), with two lines around them.
[[nodiscard]] std::string shown(const FileChange& change);

/// Does the change, at once for every reader. A link stays, and the file that it leads to is written; mode
/// and owner stay; of a private one the rights of others go. What was there is copied into a new directory
/// below `copies` first. Returns the copy's path; empty where no file was there. Throws Error(io) that says
/// what is in the way, with nothing changed: the file or its directory is read-only, or the file is not as it
/// was read any more.
std::filesystem::path carry_out(const FileChange& change, const std::filesystem::path& copies);

}  // namespace terminally
