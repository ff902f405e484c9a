// Reads a log by offsets, counts what is gone from it, and finds its last lines.
#include "log/pane_log.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "log/log_snapshot.hpp"

namespace terminally {
namespace {

struct LastLines {
  std::uint64_t position = 0;  ///< where they begin
  std::uint64_t lines = 0;
};

// Reads blocks backwards from the end and counts the line ends before the last byte: a line end that is the
// log's last byte ends the last line and begins none. Goes back to a hole, or by `max_bytes`, at the most.
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

std::uint64_t overlap(std::uint64_t begin, std::uint64_t end, std::uint64_t from, std::uint64_t to) {
  return std::min(end, to) - std::min(std::min(end, to), std::max(begin, from));
}

// Bytes between two runs were never written, nor were bytes dropped since the log takes nothing. All other
// missing bytes were written and removed.
PaneLog::Gap gap_in(const LogSnapshot& log, std::uint64_t begin, std::uint64_t end) {
  const LogIndex& index = log.index();
  const std::uint64_t kept_end = index.end() + index.waiting().kept;
  end = std::min(end, index.counted_end());
  PaneLog::Gap gap;
  std::uint64_t held = 0;
  const LogIndex::Run* before = nullptr;
  for (const LogIndex::Run& run : index.runs()) {
    if (const std::uint64_t here = overlap(begin, end, run.offset, run.end()); here > 0) {
      const std::uint64_t from = run.position + (std::max(begin, run.offset) - run.offset);
      held += log.held_bytes(from, from + here);
    }
    gap.unknown = gap.unknown || (run.unknown_before && run.offset >= begin && run.offset < end);
    if (const std::uint64_t here = before == nullptr ? 0 : overlap(begin, end, before->end(), run.offset);
        here > 0) {
      gap.unwritten += here;
      gap.error = run.error_before;
    }
    before = &run;
  }
  gap.unwritten += before == nullptr ? 0 : overlap(begin, end, before->end(), index.end());
  gap.waiting = overlap(begin, end, index.end(), kept_end);
  if (const std::uint64_t lost = overlap(begin, end, kept_end, index.counted_end()); lost > 0) {
    gap.unwritten += lost;
  }
  if (end > index.end()) {
    gap.error = index.waiting().error;
  }
  gap.bytes = end - std::min(end, begin + held + gap.waiting);
  return gap;
}

}  // namespace

PaneLog::PaneLog(std::filesystem::path path, std::size_t block_bytes)
    : path_(std::move(path)), block_bytes_(std::max<std::size_t>(block_bytes, 1)) {}

std::uint64_t PaneLog::end() const {
  return LogSnapshot(path_).index().end();
}

PaneLog::Stamp PaneLog::stamp() const {
  struct stat info{};
  if (::stat(path_.c_str(), &info) != 0) {
    return {};
  }
  return {info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size), info.st_mtim.tv_sec,
          info.st_mtim.tv_nsec};
}

std::uint64_t PaneLog::counted_end() const {
  return LogSnapshot(path_).index().counted_end();
}

PaneLog::Extent PaneLog::extent() const {
  const LogSnapshot log(path_);
  const LogIndex& index = log.index();
  Extent extent{.end = index.counted_end(), .gap = gap_in(log, 0, index.counted_end())};
  extent.gap.unknown =
      std::ranges::any_of(index.runs(), [](const LogIndex::Run& run) { return run.unknown_before; });
  return extent;
}

PaneLog::Gap PaneLog::gap_between(std::uint64_t begin, std::uint64_t end) const {
  return gap_in(LogSnapshot(path_), begin, end);
}

PaneLog::Slice PaneLog::read(std::uint64_t from, std::size_t max_bytes) const {
  const LogSnapshot log(path_);
  const LogIndex& index = log.index();
  Slice slice;
  const std::uint64_t nothing_at = std::clamp(from, index.end(), index.counted_end());
  slice.from = nothing_at;
  for (const LogIndex::Run* run = index.run_after(from); run != nullptr; run = index.run_after(run->end())) {
    std::uint64_t into = std::max(from, run->offset) - run->offset;
    slice.gap_unknown = slice.gap_unknown || (run->unknown_before && into == 0);
    while (into < run->bytes && slice.bytes.empty()) {
      // Read at least one byte, to see whether it is there.
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
    slice.from = nothing_at;
  }
  slice.bytes.resize(std::min(slice.bytes.size(), max_bytes));
  if (slice.from > from) {
    slice.gap_bytes = slice.from - from;
  }
  slice.next = slice.from + slice.bytes.size();
  slice.eof = slice.next >= index.end();
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
