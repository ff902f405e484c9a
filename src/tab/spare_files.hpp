#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace terminally {

/// Files of a pane's last command, kept under names of their own ("3.spare-e") for the next one: a file that
/// is made anew, and removed again, costs several times what a new name and new bytes cost (an inode).
///
/// Only a file that is ours alone is written over: one of this user's with mode 0600, with one name, which
/// nobody has open. The text of a command may name its own file (`$BASH_SOURCE`) and hand it on to what
/// outlives it.
class SpareFiles {
 public:
  static constexpr std::string_view kNamedBy = ".spare-";

  SpareFiles(const std::filesystem::path& directory, std::string_view pane)
      : prefix_((directory / pane).string() + std::string(kNamedBy)) {}

  /// As write_file, into a file of this kind that was kept, if there is one. It has its new name before it
  /// has its new bytes: no other process takes it as well. Throws Error(io).
  void write(char kind, const std::filesystem::path& path, std::string_view content) const;

  /// The same for a name that others look for: it has its bytes before it has its name. One process at a time
  /// may do so.
  void write_whole(char kind, const std::filesystem::path& path, std::string_view content) const;

  /// Keeps a file whose time is over; `emptied`: with nothing of what it held.
  void keep(char kind, const std::filesystem::path& path, bool emptied = false) const noexcept;

  void remove(char kind) const noexcept;

 private:
  [[nodiscard]] std::string spare(char kind) const { return prefix_ + kind; }

  std::string prefix_;
};

}  // namespace terminally
