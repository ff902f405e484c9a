#pragma once

#include <memory>
#include <string>

namespace terminally {

class TextGuard;

/// How bytes become text. Without strip_ansi and render: verbatim. doc/pane-log.md, "Views".
struct TextView {
  bool strip_ansi = false;
  bool render = false;
  std::shared_ptr<TextGuard> guard = nullptr;  ///< for a model: masks secrets. None: exact
  /// The directory of our files whose names a reader need not see (own_lines.hpp).
  std::string own_files = {};      // NOLINT(readability-redundant-member-init): g++ wants it named
  bool lines_end_with_lf = false;  ///< verbatim: removes one CR from each CRLF, for a command's output

  [[nodiscard]] bool is_exact() const { return !render && !strip_ansi; }
};

}  // namespace terminally
