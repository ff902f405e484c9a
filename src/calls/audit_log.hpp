#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace terminally {

/// A file of lines, mode 0600. One that is full becomes PATH.1, in place of the one before it. A line that
/// cannot be written is lost and counted: nothing else may fail for it. Each line is one open and one write,
/// without a wait for the disk; so people may move the file away at any time.
class AuditLog {
 public:
  AuditLog(std::filesystem::path path, std::uint64_t most_bytes)
      : path_(std::move(path)), most_bytes_(most_bytes) {}

  /// `line` ends with a newline. The first line of those that are lost in a row is told on stderr.
  void append(std::string_view line);

  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  [[nodiscard]] std::string why_not_written(std::string_view line) const;

  std::filesystem::path path_;
  std::uint64_t most_bytes_;
  std::uint64_t lost_ = 0;
  bool fails_ = false;
};

}  // namespace terminally
