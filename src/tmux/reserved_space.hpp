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

  /// False: it could not be taken, or somebody has given it up before. No call throws.
  bool take() const noexcept;
  [[nodiscard]] bool give_up() const noexcept;

 private:
  std::filesystem::path file_;
};

}  // namespace terminally
