// The renderer. What must hold: valid UTF-8 without controls; a bounded size; text without cursor movement
// comes back as by stripping; what was rendered is not changed by rendering it again; what drawing is
// estimated to cost grows no faster than the bytes, and of a budget no more is taken than there is.
#include "text/render.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/utf8.hpp"
#include "oracle.hpp"
#include "text/ansi.hpp"
#include "text/drawing_cost.hpp"
#include "text/screen.hpp"

using namespace terminally;
using namespace terminally::fuzz;

namespace {

/// Counts of cells, not time: the same on every machine.
void check_cost(std::string_view raw, int cols) {
  constexpr std::uint64_t kPlenty = std::uint64_t{1} << 50U;
  const std::uint64_t screen = static_cast<std::uint64_t>(cols) * kScreenRows;
  std::uint64_t left = kPlenty;
  require(affordable_from(raw, cols, 0, left) == 0, "all is affordable");
  const std::uint64_t cost = kPlenty - left;
  require(cost <= 100'000 + 20 * screen + raw.size() * (2 * screen + 200), "a bounded cost of each byte");
  std::uint64_t exact = cost;
  require(affordable_from(raw, cols, 0, exact) == 0 && exact == 0, "what it costs is enough");
  std::uint64_t less = cost / 2;
  static_cast<void>(affordable_from(raw, cols, 0, less));
  require(less <= cost / 2, "no more is taken than there is");
}

}  // namespace

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
  if (!raw.empty()) {
    check_cost(raw, std::max(cols, 2));
  }
  return 0;
}
