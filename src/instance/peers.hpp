#pragma once

#include <filesystem>
#include <vector>

#include "base/files.hpp"
#include "instance/instance.hpp"

namespace terminally {

/// The servers that work on an instance, side by side. Each has a file of its pid in `peers/`, which it holds
/// locked as long as it lives, however it ends.
class Peers {
 public:
  explicit Peers(const Instance& instance) : directory_(instance.runtime() / kPeers) {}

  /// This process works on the instance as long as the result lives. Throws Error(io).
  [[nodiscard]] FileLock join() const;
  /// Takes the file of this process away, whose lock this is.
  void leave(FileLock joined) const noexcept;

  /// The pids of those that live, but for this process. Takes the files of the others away.
  [[nodiscard]] std::vector<int> others() const;
  /// For whoever puts the instance away.
  void remove_directory() const noexcept;

  /// A file that is written whenever one joins.
  [[nodiscard]] std::filesystem::path news() const { return directory_ / "news"; }

  /// The name of the directory.
  static constexpr const char* kPeers = "peers";

 private:
  std::filesystem::path directory_;
};

}  // namespace terminally
