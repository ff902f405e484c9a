#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace terminally {

// The first line of a far side: until it was seen, nothing is sent. Pure.

/// What the far program prints before anything else. The nonce is not said back as it came but turned around
/// (each digit d as f-d), so that no shell, forced command or banner that shows its command line is taken for
/// it.
[[nodiscard]] std::string hello_line(std::string_view nonce, std::string_view version);

/// Reads what a pipe prints until that line has come. What stood before it (a banner, an rc file that prints,
/// with a newline or without) is dropped. The same for any split.
class HelloReader {
 public:
  static constexpr std::size_t kMostBefore = std::size_t{1} << 20U;

  explicit HelloReader(std::string_view nonce);

  enum class State { waiting, seen, too_much };
  State feed(std::string_view bytes);

  /// Once seen.
  [[nodiscard]] const std::string& version() const { return version_; }
  /// What came behind the line.
  [[nodiscard]] std::string take_rest() { return std::move(unread_); }
  /// The last of what was no hello so far: for an error.
  [[nodiscard]] std::string_view printed() const { return unread_; }

 private:
  std::string mark_;
  std::string unread_;
  std::size_t dropped_ = 0;
  std::string version_;
};

}  // namespace terminally
