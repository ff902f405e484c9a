#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace terminally {

/// What was read and is not in the log yet: the oldest `kCapacity` bytes, then a count of the bytes dropped
/// after them. Once bytes were dropped it takes no more until it was emptied and the gap recorded, so it
/// holds one gap at most and the order on disk is always: kept bytes, gap, what comes next. Its memory is
/// touched as far as it is filled, and given back: make the object static.
class Backlog {
 public:
  static constexpr std::size_t kReadBytes = std::size_t{64} * 1024;
  static constexpr std::size_t kCapacity = std::size_t{8} * 1024 * 1024;

  /// Where to read up to kReadBytes to; then say with added() how many came.
  [[nodiscard]] char* room() { return bytes_.data() + size_; }
  void added(std::size_t count);

  [[nodiscard]] const char* data() const { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The first `count` bytes are in the log.
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
