#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace terminally {

/// Bytes that were read and are not in the log yet: the oldest `kCapacity` bytes, and a count of the bytes
/// dropped after them. Once bytes were dropped the backlog takes no more until it is empty and the gap is
/// recorded. So there is one gap at most, and the order on disk is: kept bytes, gap, later bytes. Make the
/// object static: only memory that is filled gets used, and it is given back.
class Backlog {
 public:
  static constexpr std::size_t kReadBytes = std::size_t{64} * 1024;
  static constexpr std::size_t kCapacity = std::size_t{8} * 1024 * 1024;

  /// Where the caller may read up to kReadBytes to, and then say with added() how many came.
  [[nodiscard]] char* room() { return bytes_.data() + size_; }
  void added(std::size_t count);

  [[nodiscard]] const char* data() const { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Removes the first `count` bytes, which are in the log.
  void remove(std::size_t count);

  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  void gap_recorded() { dropped_ = 0; }

 private:
  static constexpr std::size_t kPageBytes = 4096;

  void give_memory_back();

  alignas(kPageBytes) std::array<char, kCapacity + kReadBytes> bytes_{};
  std::size_t size_ = 0;
  std::size_t touched_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace terminally
