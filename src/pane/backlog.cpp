// A buffer for bytes that wait for the log: counts what it drops, and gives its memory back.
#include "pane/backlog.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace terminally {

void Backlog::added(std::size_t count) {
  touched_ = std::max(touched_, size_ + count);
  const std::size_t kept = dropped_ > 0 ? 0 : std::min(count, kCapacity - size_);
  size_ += kept;
  dropped_ += count - kept;
}

void Backlog::remove(std::size_t count) {
  size_ -= count;
  std::memmove(bytes_.data(), bytes_.data() + count, size_);
  if (size_ == 0 && touched_ > 2 * kReadBytes) {
    give_memory_back();
  }
}

void Backlog::give_memory_back() {
  static_assert(kReadBytes % kPageBytes == 0);
  ::madvise(bytes_.data() + kReadBytes, bytes_.size() - kReadBytes, MADV_DONTNEED);
  touched_ = 0;
}

}  // namespace terminally
