#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/pane_log.hpp"
#include "secrets/text_guard.hpp"

namespace terminally {

/// Log bytes, and the bytes around them that decide on what is secret in them.
struct LogPart {
  std::string before;
  std::string bytes;
  std::string after;
  bool begins_line = true;  ///< `before` does
  bool goes_on = false;     ///< what follows `after` is not logged yet
};

/// Which part of a log, and how far one may look around it.
struct LogRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool goes_on = false;  ///< more may be printed after `last`
};

/// The bytes of a log from `begin` to `end`; those after a gap follow.
[[nodiscard]] std::string read_range(const PaneLog& log, std::uint64_t begin, std::uint64_t end);

/// Reads what is around `bytes`, which are those of `range`.
[[nodiscard]] LogPart log_part(const PaneLog& log, std::string bytes, const LogRange& range);

/// The bytes of the part with a mask for each secret; of one that began before nothing is left. Escape
/// sequences in between do not hide a secret. Nothing is changed without a guard.
[[nodiscard]] std::string masked_bytes(const std::shared_ptr<TextGuard>& guard, const LogPart& part);

/// The same for a range of a log.
[[nodiscard]] std::string masked_range(const std::shared_ptr<TextGuard>& guard, const PaneLog& log,
                                       const LogRange& range);

/// Where in the bytes of the part that end what is logged a secret begins that may not be whole yet.
[[nodiscard]] std::optional<std::size_t> unfinished_secret(const std::shared_ptr<TextGuard>& guard,
                                                           const LogPart& part);

/// Rows of a screen, and those around them that decide on what is secret in them. Each ends with a newline.
struct RowsPart {
  std::string before;
  std::string rows;
  std::string after;
};

/// The rows with a mask for each secret, where a full row and the next may be one line.
[[nodiscard]] std::string masked_rows(const std::shared_ptr<TextGuard>& guard, RowsPart part,
                                      std::uint64_t cols);

/// The text of single lines of a log, masked; keeps what it has seen of the surroundings of the last one.
class MaskedLines {
 public:
  MaskedLines(const PaneLog& log, std::shared_ptr<TextGuard> guard) : log_(log), guard_(std::move(guard)) {}

  /// The bytes of a line, or of a part of it, that stand at offset `begin` of the log.
  [[nodiscard]] std::string masked(std::uint64_t begin, std::string_view bytes);

  /// Bytes of a window, by their place in it.
  struct Hidden {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint16_t kind = 0;
    bool newline_after = false;
    bool goes_on = false;  ///< with what is hidden on the line before: nothing is shown in its place
  };

 private:
  const PaneLog& log_;
  std::shared_ptr<TextGuard> guard_;
  std::uint64_t window_begin_ = 0;  ///< log offset
  std::string window_;
  std::uint64_t known_to_ = 0;  ///< up to this log offset, hidden_ is sure
  std::vector<Hidden> hidden_;
};

}  // namespace terminally
