#pragma once

#include <memory>

#include "base/digests.hpp"
#include "files/file_requests.hpp"
#include "files/open_file.hpp"

namespace terminally {

/// Reads a file once from its beginning to its end, a slice at a time, for its hash and for a range of it.
/// The range has the very bytes that were hashed, whoever writes meanwhile. Blocks.
class FileScan {
 public:
  FileScan(OpenFile file, std::string said, std::uint64_t keep_from = 0, std::uint64_t keep_bytes = 0)
      : file_(std::move(file)), said_(std::move(said)), keep_from_(keep_from), keep_bytes_(keep_bytes) {}

  /// Reads the next slice. False: that was the last.
  bool step();

  [[nodiscard]] const OpenFile& file() const { return file_; }
  [[nodiscard]] std::uint64_t size() const { return at_; }
  [[nodiscard]] std::string sha256() const { return sum_.hex(); }
  [[nodiscard]] const std::string& kept() const { return kept_; }

 private:
  OpenFile file_;
  std::string said_;
  std::uint64_t keep_from_;
  std::uint64_t keep_bytes_;
  std::uint64_t at_ = 0;
  std::string kept_;
  Sha256 sum_;
};

/// Finds where a range of lines begins and ends in a file of any size, a slice at a time. Looks for the end
/// no further than `most` bytes behind the beginning, and a little. The end of a file whose size is not its
/// length (/proc, sysfs) is found by reading it. Blocks.
class LineSearch {
 public:
  LineSearch(std::shared_ptr<const OpenFile> file, LineRange lines, std::uint64_t most, std::string said);

  /// Reads the next slice. False: the range is known.
  bool step();

  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }

 private:
  [[nodiscard]] bool finds_end();
  [[nodiscard]] bool step_forward();
  [[nodiscard]] bool step_back();

  std::shared_ptr<const OpenFile> file_;
  std::string said_;
  bool from_end_;
  bool to_end_;  ///< all lines from the first one on
  std::uint64_t most_;
  std::uint64_t skip_;  ///< lines before the range that are still to come
  std::uint64_t left_;  ///< lines of the range that are still to come
  std::uint64_t at_;
  std::uint64_t begin_;
  std::uint64_t end_;
  bool end_known_ = false;
};

/// Reads a range of a file of any size, without hashing. Blocks.
[[nodiscard]] std::string read_range(const OpenFile& file, std::uint64_t offset, std::uint64_t most,
                                     const std::string& said);

/// Checks that a part is text, and cuts it after its last whole character. `goes_on`: the file has bytes
/// after the part. Throws Error(invalid_argument) that names the first byte that is NUL or no UTF-8.
[[nodiscard]] std::string text_of(std::string bytes, std::uint64_t offset, bool goes_on);

}  // namespace terminally
