// Applies edits to a range of a log's bytes.
#include "log/edits.hpp"

#include <algorithm>
#include <iterator>

namespace terminally {

std::string edited(std::string_view bytes, const std::vector<Edit>& edits, std::size_t begin, std::size_t end,
                   MaskCounts* masked) {
  std::string out;
  std::size_t at = begin;
  for (const Edit& edit : edits) {
    if (edit.end <= at || edit.begin >= end) {
      continue;
    }
    if (edit.begin >= at) {
      out.append(bytes.substr(at, edit.begin - at)).append(edit.shown);
      if (masked != nullptr && edit.secret) {
        (*masked)[*edit.secret].add(one_secret(bytes.substr(edit.begin, edit.end - edit.begin)));
      }
    }
    const std::size_t from = std::max(edit.begin, at);
    at = std::min(edit.end, end);
    std::ranges::copy_if(bytes.substr(from, at - from), std::back_inserter(out),
                         [](char c) { return c == kWrap; });
    out += edit.newline_after && edit.end <= end ? "\n" : "";
  }
  return out.append(bytes.substr(at, end - at));
}

std::string edited(std::string_view bytes, const std::vector<Edit>& edits) {
  return edited(bytes, edits, 0, bytes.size());
}

}  // namespace terminally
