#include "page/starred.hpp"

#include <algorithm>
#include <vector>

#include "log/masking.hpp"
#include "log/own_lines.hpp"

namespace terminally {
namespace {

void cover(std::string& bytes, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    for (std::size_t at = edit.begin; at < std::min(edit.end, bytes.size()); ++at) {
      if (bytes[at] != '\n' && bytes[at] != '\r') {
        bytes[at] = '*';
      }
    }
  }
}

}  // namespace

StarredPart starred(const Secrets& secrets, const PaneLog& log, const PaneLog::Slice& slice, bool goes_on) {
  if (!secrets.any()) {
    return {slice.bytes, slice.bytes.size()};
  }
  const LogRange range{slice.from, slice.next, 0, log.end(), goes_on};
  const LogPart part = log_part(log, slice.bytes, range, false);
  std::string window = part.before + part.bytes + part.after;
  const std::size_t begin = part.before.size();
  const std::size_t line = part.begins_line ? 0 : part.before.find('\n') + 1;  // npos + 1 is 0
  const SecretsIn found = secrets_in(secrets, window, line, part.begins_line || line > 0, part.goes_on);
  const std::vector<Edit> echoes = typed_echoes(window);
  cover(window, found.edits);
  cover(window, echoes);
  const std::size_t settled = std::clamp(found.settled, begin, begin + part.bytes.size()) - begin;
  return {window.substr(begin, part.bytes.size()), settled};
}

std::string starred_alone(const Secrets& secrets, std::string bytes) {
  if (secrets.any()) {
    cover(bytes, secrets_in(secrets, bytes, 0, true, false).edits);
  }
  return bytes;
}

}  // namespace terminally
