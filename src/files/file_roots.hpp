#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/file_root.hpp"

namespace terminally {

/// A path that may be opened.
struct FilePlaceInRoot {
  FileRoot root;
  std::string path;      ///< below the root, of any bytes; "" is the root itself
  std::string absolute;  ///< where that is, as the root was spelled
  std::string said;      ///< as it was given: for errors
};

/// The directories that files may be in, and what a path given for a file means. May be used from any thread.
class FileRoots {
 public:
  /// Those that a person named, by absolute paths. One that is not there is looked for at each call.
  [[nodiscard]] static FileRoots of(const std::vector<std::filesystem::path>& named);
  /// The project that the server was started in; none where that is no project (project.hpp).
  [[nodiscard]] static FileRoots of_project(const std::filesystem::path& directory,
                                            const std::filesystem::path& home);
  /// All that this user can reach: for people.
  [[nodiscard]] static FileRoots all();

  /// A path is absolute, relative to the first directory, or a file URI; an absolute one may spell its
  /// directory as it was named, or as it really is. Throws Error(invalid_argument) that begins with "path: "
  /// where it is in none of them; what lies below is looked at when it is opened.
  [[nodiscard]] FilePlaceInRoot find(const std::string& path) const;

 private:
  struct Root {
    std::string named;
    std::string real;
  };
  [[nodiscard]] std::string explain() const;

  std::vector<Root> roots_;
  std::string why_none_;
  bool all_ = false;
};

/// `a//./b/` is a/b; ".." stays, as only the system knows where that leads.
[[nodiscard]] std::string without_empty_parts(std::string_view path);

}  // namespace terminally
