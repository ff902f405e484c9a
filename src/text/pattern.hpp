#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace terminally {

/// A regular expression of the caller's, compiled (PCRE2, UTF-8, JIT where there is one). `^` and `$` hold at
/// every line. Invalid UTF-8 is no error: invalid bytes match nothing. A match that takes too many steps is
/// an error, not a hang: the steps are bounded for each place where a match may begin. All places of a long
/// subject together may still take long: search it in steps, by `last_begin`. Threads may share a pattern.
class Pattern {
 public:
  struct Options {
    std::string_view field = "pattern";  ///< the argument's name, for errors
    bool ignore_case = false;
  };

  /// The place of a match, in bytes of the subject.
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  struct Subject {
    std::string_view text;
    bool begins_line = true;  ///< `^` may hold at its start
    bool ends_line = true;    ///< `$` may hold at its end
  };

  static constexpr std::size_t kMaxBytes = 4'096;
  static constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

  /// Throws Error(invalid_argument) that names the field, what is wrong and where.
  explicit Pattern(std::string_view pattern) : Pattern(pattern, Options()) {}
  Pattern(std::string_view pattern, Options options);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern();

  /// The first match that begins at `from` or later, and not after `last_begin`. Throws
  /// Error(invalid_argument) when the search takes too many steps.
  [[nodiscard]] std::optional<Match> find(Subject subject, std::size_t from = 0,
                                          std::size_t last_begin = kNoLimit) const;

  /// Whether a search of many lines at once finds each match that a line has alone, at the same place or
  /// earlier in that line. (A match found so may still be no match of the line alone.) Decided from the
  /// pattern's spelling: anything unusual in it means no.
  [[nodiscard]] bool fits_many_lines() const { return fits_many_lines_; }

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  bool fits_many_lines_ = false;
};

}  // namespace terminally
