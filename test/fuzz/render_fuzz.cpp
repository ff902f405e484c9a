// The renderer. What must hold: valid UTF-8 without controls; a bounded size; text without cursor movement
// comes back as by stripping; what was rendered is not changed by rendering it again.
#include "text/render.hpp"

#include <cstdint>
#include <string>

#include "base/utf8.hpp"
#include "oracle.hpp"
#include "text/ansi.hpp"

using namespace terminally;
using namespace terminally::fuzz;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view raw = text_of(data, size);
  const int cols = static_cast<int>(take_byte(raw));  // 0 and 1 are taken for 2
  const std::string text = render(raw, cols);
  require(is_valid_utf8(text), "valid UTF-8");
  require(is_plain(text), "no control but tab and newline");
  // A screen of 40 rows can be filled by one sequence of 4 bytes, and a cell holds at most 6 characters.
  const std::size_t screen = 40U * static_cast<std::size_t>(cols + 2) * 24;
  require(text.size() <= 3 * raw.size() + (raw.size() / 3 + 1) * screen, "a bounded size");
  require(raw.find_first_of("\r\b\v\f\016\017\033\302") != std::string_view::npos || text == strip_ansi(raw),
          "without cursor movement as stripped");
  require(render(text, cols) == text, "idempotent");
  const std::string slice = render_slice(raw, raw.size() / 2, cols).text;
  require(is_valid_utf8(slice) && is_plain(slice), "a slice is text, too");
  return 0;
}
