#pragma once

#include <memory>
#include <string>

namespace terminally {

class TextGuard;

/// How bytes become text. Neither flag: verbatim. doc/pane-log.md, "Views".
struct TextView {
  bool strip_ansi = false;
  bool render = false;
  std::shared_ptr<TextGuard> guard = nullptr;  ///< for a model that reads it: masks secrets. None: exact
  /// Where our files are whose names a reader need not see (own_lines.hpp).
  std::string own_files = {};      // NOLINT(readability-redundant-member-init): g++ wants it named
  bool lines_end_with_lf = false;  ///< verbatim, one CR is removed from each CRLF: of a command's output

  [[nodiscard]] bool is_exact() const { return !render && !strip_ansi; }
};

}  // namespace terminally
