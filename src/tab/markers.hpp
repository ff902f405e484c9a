#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// The records that a command's wrapper writes to the terminal and that are read back from the log:
///
///     ESC ]133;C;mcp=START:<nonce>[;x=1] BEL
///     ESC ]133;D;<exit>;mcp=END:<nonce>[;x=1][;parts=<codes>][;by=hook|shell|refused] BEL
///
/// OSC 133 is the field's semantic-prompt sequence (FinalTerm, iTerm2, VS Code): terminals know it or ignore
/// it. `x=1`: the shell traces (`set -x`), so a line that names our own file stands just inside the record.
/// `parts`: the exit codes of the last pipeline, with blanks between, where the last is 0 and another is not.
/// `by`: what printed END when the wrapper did not come to its end: the prompt hook, or terminally-shell.
/// `by=refused`: the shell will never run it; what was typed arrived damaged, or could not be decoded.
/// Grammar and reading rules: doc/pane-log.md.
struct Marker {
  enum class Kind { start, end };
  enum class By { wrapper, hook, shell, refused };

  Kind kind = Kind::start;
  std::uint64_t begin = 0;  ///< log offset of its ESC
  std::uint64_t next = 0;   ///< log offset after its BEL
  int exit_code = 0;        ///< END only
  bool traced = false;
  std::string parts;
  By by = By::wrapper;
};

/// Finds the markers of one nonce in a stream that comes in pieces of any size. An echo of the typed line,
/// another nonce or a record that is cut short never match. Pure: bytes in, markers out.
class MarkerScanner {
 public:
  /// `offset`: the log offset of the first byte that will be fed.
  MarkerScanner(std::string nonce, std::uint64_t offset) : nonce_(std::move(nonce)), offset_(offset) {}

  void feed(std::string_view bytes);

  /// The next marker found, in the order of the stream.
  [[nodiscard]] std::optional<Marker> next();

  /// Everything before this offset is settled: no marker can begin there any more.
  [[nodiscard]] std::uint64_t settled() const { return offset_; }

 private:
  std::string nonce_;
  std::uint64_t offset_;  ///< of pending_.front()
  std::string pending_;
};

/// Parses one record that begins with ESC and ends with BEL. The offsets are left 0.
[[nodiscard]] std::optional<Marker> parse_marker(std::string_view record, std::string_view nonce);

}  // namespace terminally
