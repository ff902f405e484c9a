#pragma once

#include <filesystem>

namespace terminally {

/// Space of a directory's file system that is held by a file without content ("reserve"), so that on a full
/// one a few small files can still be written: who needs it gives it up, and takes it again when they are
/// gone.
class ReservedSpace {
 public:
  static constexpr long kBytes = 64L * 1024;

  explicit ReservedSpace(const std::filesystem::path& directory) : file_(directory / "reserve") {}

  /// Not while a command runs, nor without the lock of an instance: that was put away meanwhile. No call
  /// throws. False: nothing was taken, or given up.
  bool take() const noexcept;
  [[nodiscard]] bool give_up() const noexcept;

  /// Whether less than as much is free beside it.
  [[nodiscard]] bool is_needed() const noexcept;

 private:
  std::filesystem::path file_;
};

}  // namespace terminally
