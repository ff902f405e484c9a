#include "tmux/pane_log.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "tmux/log_snapshot.hpp"

namespace terminally {
namespace {

struct LastLines {
  std::uint64_t position = 0;  ///< where they begin
  std::uint64_t lines = 0;
};

// Backwards from the end by blocks, counting the line ends before the last byte: a line end that is the log's
// last byte ends the last line and begins none. Not further back than `max_bytes`, or than a hole.
LastLines find_last_lines(const LogSnapshot& log, std::uint64_t count, std::uint64_t max_bytes,
                          std::size_t block_bytes) {
  const std::uint64_t end = log.index().end_position();
  if (count == 0 || max_bytes == 0) {
    return {.position = end};
  }
  const std::uint64_t limit = end - std::min(end, max_bytes);
  std::vector<char> block(static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, end - limit)));
  std::uint64_t lines = 1;
  std::uint64_t stop = end;
  while (stop > limit) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), stop - limit));
    const std::size_t got = log.read_before(stop, block.data(), wanted);
    if (got == 0) {
      break;
    }
    std::size_t left = stop == end ? got - 1 : got;
    while (const void* found = ::memrchr(block.data(), '\n', left)) {
      left = static_cast<std::size_t>(static_cast<const char*>(found) - block.data());
      if (lines == count) {
        return {.position = stop - got + left + 1, .lines = lines};
      }
      ++lines;
    }
    stop -= got;
  }
  return {.position = stop, .lines = stop == end ? 0 : lines};
}

// How many of the bytes between two offsets are gone.
std::uint64_t missing(const LogSnapshot& log, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t held = 0;
  for (const LogIndex::Run& run : log.index().runs()) {
    const std::uint64_t from = std::max(begin, run.offset);
    const std::uint64_t to = std::min(end, run.end());
    if (from < to) {
      held += log.held_bytes(run.position + (from - run.offset), run.position + (to - run.offset));
    }
  }
  return end - std::min(end, begin + held);
}

}  // namespace

PaneLog::PaneLog(std::filesystem::path path, std::size_t block_bytes)
    : path_(std::move(path)), block_bytes_(std::max<std::size_t>(block_bytes, 1)) {}

std::uint64_t PaneLog::end() const {
  return LogSnapshot(path_).index().end();
}

PaneLog::Extent PaneLog::extent() const {
  const LogSnapshot log(path_);
  const LogIndex& index = log.index();
  const bool unknown =
      std::ranges::any_of(index.runs(), [](const LogIndex::Run& run) { return run.unknown_before; });
  return {.end = index.end(), .gap = {missing(log, 0, index.end()), unknown}};
}

PaneLog::Gap PaneLog::gap_between(std::uint64_t begin, std::uint64_t end) const {
  const LogSnapshot log(path_);
  const bool unknown = std::ranges::any_of(log.index().runs(), [&](const LogIndex::Run& run) {
    return run.unknown_before && run.offset > begin && run.offset < end;
  });
  return {missing(log, begin, std::min(end, log.index().end())), unknown};
}

PaneLog::Slice PaneLog::read(std::uint64_t from, std::size_t max_bytes) const {
  const LogSnapshot log(path_);
  const LogIndex& index = log.index();
  Slice slice;
  slice.from = index.end();
  for (const LogIndex::Run* run = index.run_after(from); run != nullptr; run = index.run_after(run->end())) {
    std::uint64_t into = std::max(from, run->offset) - run->offset;
    slice.gap_unknown = slice.gap_unknown || (run->unknown_before && into == 0);
    while (into < run->bytes && slice.bytes.empty()) {
      // At least one byte, to see whether it is there.
      const std::uint64_t wanted =
          std::min<std::uint64_t>(std::max<std::size_t>(max_bytes, 1), run->bytes - into);
      slice.bytes = log.bytes(run->position + into, wanted);
      slice.from = run->offset + into;
      const std::uint64_t behind = log.behind_hole(run->position + into);
      into = behind > run->position + into ? behind - run->position : run->bytes;
    }
    if (!slice.bytes.empty()) {
      break;
    }
    slice.from = index.end();
  }
  slice.bytes.resize(std::min(slice.bytes.size(), max_bytes));
  if (slice.from > from) {
    slice.gap_bytes = slice.from - from;
  }
  slice.next = slice.from + slice.bytes.size();
  slice.eof = slice.next == index.end();
  return slice;
}

PaneLog::Tail PaneLog::last_lines(std::uint64_t count, std::size_t max_bytes) const {
  for (;;) {
    const LogSnapshot log(path_);
    const LogIndex& index = log.index();
    const LastLines found = find_last_lines(log, count, max_bytes, block_bytes_);
    Tail tail;
    tail.bytes = log.bytes(found.position, index.end_position() - found.position);
    if (tail.bytes.size() < index.end_position() - found.position) {
      continue;  // a segment was removed just now
    }
    tail.lines = found.lines;
    tail.from = index.offset_at(found.position);
    tail.next = index.end();
    tail.truncated = tail.from > 0;
    tail.gap_bytes = tail.next - tail.from - tail.bytes.size();
    tail.gap_unknown = std::ranges::any_of(
        index.runs(), [&](const LogIndex::Run& run) { return run.unknown_before && run.offset > tail.from; });
    return tail;
  }
}

}  // namespace terminally
