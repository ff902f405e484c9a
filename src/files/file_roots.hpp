#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/timeout.hpp"
#include "system/file_root.hpp"

namespace terminally {

/// A path that may be opened.
struct FilePlaceInRoot {
  FileRoot root;
  std::string path;      ///< below the root, of any bytes; "" is the root itself
  std::string absolute;  ///< the whole path, as the root was spelled
  std::string said;      ///< the path as it was given: for errors
  /// The same for every spelling of the path, but for links in it (name_by_every_path).
  std::string one_for_all = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
  bool is_directory = false;     ///< it was given as a directory's, by "/" or "." at its end
};

/// The directories that files may be in, and the meaning of a given path. May be used from any thread.
///
/// Links in the directories' own paths are resolved by threads, one each, so that a file system that hangs
/// holds up nobody: what is not known half a second later is taken as it is spelled until it is known.
class FileRoots {
 public:
  /// The directories that a person named, by absolute paths. A directory need not exist yet.
  [[nodiscard]] static FileRoots of(const std::vector<std::filesystem::path>& named);
  /// The project that the server was started in; no directory where there is no project (project.hpp).
  [[nodiscard]] static FileRoots of_project(const std::filesystem::path& directory,
                                            const std::filesystem::path& home);
  /// All files that this user can reach: for people.
  [[nodiscard]] static FileRoots all();

  /// A path is absolute, relative to the first directory, a file URI, or "~" or "~/..." for the home
  /// directory. An absolute path may spell its directory as the person named it, or by its real path. Throws
  /// Error(invalid_argument) that begins with "path: " where the path is in none of the directories. Whether
  /// the file exists shows when it is opened.
  [[nodiscard]] FilePlaceInRoot find(const std::string& path) const;

 private:
  struct Root {
    std::string named;  ///< empty: there is none
    std::string real;
    std::string why_none = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
  };
  struct FutureRoot {
    Root until_known;
    std::shared_future<Root> known;
    Clock::time_point wait_until;
  };
  void add(Root until_known, std::function<Root()> look);
  [[nodiscard]] std::vector<Root> roots_now() const;
  [[nodiscard]] FilePlaceInRoot place_of(const std::string& meant, const std::string& path) const;
  [[nodiscard]] static std::string explain(const std::vector<Root>& roots);

  std::vector<FutureRoot> roots_;
  bool all_ = false;
};

/// `a//./b/` becomes a/b; ".." stays, because only the system knows where it leads.
[[nodiscard]] std::string without_empty_parts(std::string_view path);

}  // namespace terminally
