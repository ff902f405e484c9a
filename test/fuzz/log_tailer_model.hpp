#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/log_record.hpp"
#include "log/pane_log.hpp"
#include "pane/log_files.hpp"

namespace terminally::fuzz {

/// The real writer's files and the real reader against a log in memory: what happens is decided byte by byte
/// by `ops`. Aborts where they differ. Needs an empty directory of its own.
class LogTailerModel {
 public:
  explicit LogTailerModel(const std::filesystem::path& directory)
      : path_(directory / "pane-@1.log"), log_(path_, 5) {
    restart();
  }

  void run(std::string_view ops) {
    ops_ = ops;
    while (!ops_.empty()) {
      switch (next(10)) {
        case 0:
          drop(1 + next(20));
          break;
        case 1:
          restart();
          break;
        case 2:
          lose_last_bytes(next(40));
          break;
        case 3:
          remove_oldest_segment();
          break;
        case 4:
          remove_live_file();
          break;
        case 5:
          check_last_lines(next(9), next(200));
          break;
        case 6:
        case 7:
          check_read(cells_.empty() ? 0 : (next(256) * cells_.size()) / 200, next(64));
          break;
        default:
          append(next(100));
      }
    }
    check_read(0, 1000);
    check_last_lines(3, 1000);
  }

 private:
  enum class Kind { there, removed, never };  ///< removed: with its segment; never: not in any file
  struct Cell {
    Kind kind;
    char byte;
    std::uint64_t position;
  };
  struct Segment {
    std::uint64_t offset, position;
    bool removed = false;
  };

  static constexpr std::uint64_t kSegmentBytes = 50;
  static constexpr std::uint64_t kQuotaBytes = 300;

  static void require(bool holds, const char* what) {
    if (!holds) {
      std::fprintf(stderr, "not so: %s\n", what);
      std::abort();
    }
  }

  unsigned next(unsigned limit) {
    if (ops_.empty()) {
      return 0;
    }
    const auto byte = static_cast<unsigned char>(ops_.front());
    ops_.remove_prefix(1);
    return byte % limit;
  }

  [[nodiscard]] std::filesystem::path file_of(const Segment& segment) const {
    const SegmentMark mark = segment_mark(segment.offset);
    return path_.native().substr(0, path_.native().size() - 4).append(mark.begin(), mark.end()) + ".log";
  }

  void restart() {
    writer_.reset();  // as if it was killed: it has nothing to put away
    writer_ = std::make_unique<LogFiles>();
    require(writer_->set_path(path_.native()), "the path fits");
    writer_->set_limits({.segment_bytes = kSegmentBytes, .quota_bytes = kQuotaBytes, .min_free_bytes = 0});
    require(writer_->open(), "the writer opens its log");
    last_offset_ = cells_.size();
    last_position_ = position_;
  }

  void remove(Segment& segment, std::uint64_t end) {
    segment.removed = true;
    for (std::size_t i = segment.offset; i < cells_.size(); ++i) {
      Cell& cell = cells_[i];
      if (cell.kind == Kind::there && cell.position >= end) {
        return;
      }
      if (cell.kind == Kind::there) {
        cell.kind = Kind::removed;
      }
    }
  }

  void begin_segment() {
    segments_.push_back({.offset = cells_.size(), .position = position_});
    last_offset_ = cells_.size();
    last_position_ = position_;
  }

  void append(unsigned count) {
    std::string bytes(count, ' ');
    for (char& byte : bytes) {
      byte = serial_ % 7 == 3 ? '\n' : static_cast<char>('a' + serial_ % 26);
      ++serial_;
    }
    require(writer_->open() && writer_->append(bytes.data(), bytes.size()) == bytes.size(),
            "all is appended");
    for (const char byte : bytes) {
      if (position_ - segments_.back().position >= kSegmentBytes) {
        begin_segment();
        for (std::size_t i = 0; i + 1 < segments_.size(); ++i) {
          if (position_ - segments_[i].position + kSegmentBytes > kQuotaBytes) {
            remove(segments_[i], segments_[i + 1].position);
          }
        }
      }
      cells_.push_back({Kind::there, byte, position_++});
    }
  }

  void drop(unsigned count) {
    require(writer_->open() && writer_->record_gap(count), "the gap is recorded");
    cells_.insert(cells_.end(), count, {Kind::never, '\0', position_});
    last_offset_ = cells_.size();
    last_position_ = position_;
  }

  /// A power loss: what no record tells of may be given out again, nothing else.
  void lose_last_bytes(unsigned count) {
    writer_.reset();
    struct stat status{};
    require(::stat(path_.c_str(), &status) == 0, "the live file is there");
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    const auto size = bytes - std::min<std::uint64_t>(count, bytes);
    std::filesystem::resize_file(path_, size);
    position_ = segments_.back().position + size;
    cells_.resize(last_offset_ + (position_ > last_position_ ? position_ - last_position_ : 0));
    for (std::size_t i = segments_.back().offset; i < cells_.size(); ++i) {
      if (cells_[i].kind == Kind::there && cells_[i].position >= position_) {
        cells_[i].kind = Kind::never;
      }
    }
    restart();
  }

  void remove_oldest_segment() {
    for (std::size_t i = 0; i + 1 < segments_.size(); ++i) {
      if (!segments_[i].removed) {
        std::filesystem::remove(file_of(segments_[i]));
        remove(segments_[i], segments_[i + 1].position);
        return;
      }
    }
  }

  void remove_live_file() {
    if (position_ > segments_.back().position) {
      std::filesystem::remove(path_);
      require(writer_->open(), "the live file is made again");
      remove(segments_.back(), position_);
      begin_segment();
    }
  }

  void check_read(std::uint64_t from, std::size_t max_bytes) {
    const PaneLog::Slice slice = log_.read(from, max_bytes);
    std::uint64_t first = std::min<std::uint64_t>(from, cells_.size());
    while (first < cells_.size() && cells_[first].kind != Kind::there) {
      ++first;
    }
    require(log_.end() == cells_.size(), "the end is the end");
    require(slice.from == first, "a read begins with the first byte that is there");
    require(slice.gap_bytes == (first > from ? std::optional(first - from) : std::nullopt),
            "the gap is counted");
    require(slice.bytes.size() <= max_bytes && slice.next == first + slice.bytes.size(), "next follows");
    require(first == cells_.size() || max_bytes == 0 || !slice.bytes.empty(), "a read advances");
    require(slice.eof == (slice.next == cells_.size()), "eof is the end");
    for (std::size_t i = 0; i < slice.bytes.size(); ++i) {
      const Cell& cell = cells_[first + i];
      require(cell.kind == Kind::there && cell.byte == slice.bytes[i], "each byte is that of its offset");
    }
  }

  void check_last_lines(std::uint64_t count, std::size_t max_bytes) {
    std::string kept;
    std::uint64_t from = cells_.size();
    std::uint64_t lines = 0;
    for (std::size_t end = cells_.size(); end > 0 && cells_[end - 1].kind != Kind::removed; --end) {
      const Cell& cell = cells_[end - 1];
      if (cell.kind == Kind::never) {
        continue;
      }
      const bool begins_line = kept.empty() || cell.byte == '\n';
      if (kept.size() == max_bytes || (begins_line && lines == count)) {
        break;
      }
      lines += begins_line ? 1 : 0;
      kept.insert(kept.begin(), cell.byte);
      from = end - 1;
    }
    const PaneLog::Tail tail = log_.last_lines(count, max_bytes);
    require(tail.bytes == kept, "the last lines are those of the naive reader");
    require(tail.lines == lines, "and as many");
    require(kept.empty() || tail.from == from, "from where they are");
    require(tail.next == cells_.size(), "up to the end");
  }

  std::filesystem::path path_;
  PaneLog log_;
  std::unique_ptr<LogFiles> writer_;
  std::string_view ops_;
  std::vector<Cell> cells_;
  std::vector<Segment> segments_{{.offset = 0, .position = 0}};
  std::uint64_t position_ = 0;
  std::uint64_t last_offset_ = 0;  ///< of the last record
  std::uint64_t last_position_ = 0;
  unsigned serial_ = 0;
};

}  // namespace terminally::fuzz
