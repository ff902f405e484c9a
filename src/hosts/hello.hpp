#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace terminally {

// The first line of a far side. Nothing is sent before that line was seen. Pure.

/// The line that the far program prints first. It has the nonce inverted (each digit d as f-d), so that a
/// shell, forced command or banner that shows its command line is not taken for the program.
[[nodiscard]] std::string hello_line(std::string_view nonce, std::string_view version);

/// Reads a pipe's output until the hello line has come. Output before the line (of a banner or an rc file,
/// with a newline or without) is dropped. Any split of the output gives the same result.
class HelloReader {
 public:
  static constexpr std::size_t kMostBefore = std::size_t{1} << 20U;

  explicit HelloReader(std::string_view nonce);

  enum class State { waiting, seen, too_much };
  State feed(std::string_view bytes);

  /// Set once the hello was seen.
  [[nodiscard]] const std::string& version() const { return version_; }
  /// The output that followed the hello line.
  [[nodiscard]] std::string take_rest() { return std::move(unread_); }
  /// The last of the output that was no hello, for an error.
  [[nodiscard]] std::string_view printed() const { return unread_; }

 private:
  std::string mark_;
  std::string unread_;
  std::size_t dropped_ = 0;
  std::string version_;
};

}  // namespace terminally
