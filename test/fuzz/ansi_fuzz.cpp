// The stripper of escape sequences. What must hold: stripping again changes nothing; any split of the stream
// gives the same text; that is valid UTF-8 without controls, bounded, and plain text comes back as it was;
// what is held back is bounded; cutting where safe_cut says loses nothing.
#include "text/ansi.hpp"

#include <string>

#include "base/utf8.hpp"
#include "oracle.hpp"

using namespace terminally;
using namespace terminally::fuzz;

namespace {

std::string strip_in_pieces(std::string_view raw, unsigned seed) {
  AnsiStripper stripper;
  std::string text;
  for (const std::string_view piece : pieces(raw, seed)) {
    stripper.feed(piece, text);
    require(stripper.unfinished_bytes() <= kMaxSequenceBytes + 4, "what is held back is bounded");
  }
  stripper.finish(text);
  return text;
}

void check_cut(std::string_view raw, const std::string& text) {
  const std::size_t border = safe_cut(raw, false);
  const std::size_t cut = safe_cut(raw, true);
  require(border <= raw.size() && cut <= raw.size(), "a cut is inside");
  require(raw.empty() || cut > 0, "a full chunk always advances");
  require(strip_ansi(raw.substr(0, border)) + strip_ansi(raw.substr(border)) == text, "a cut loses nothing");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view raw = text_of(data, size);
  const unsigned seed = take_byte(raw);
  const std::string text = strip_ansi(raw);
  require(is_valid_utf8(text), "valid UTF-8");
  require(is_plain(text), "no control but tab and newline");
  require(text.size() <= 3 * raw.size(), "at most 3 bytes for one");
  require(strip_ansi(text) == text, "idempotent");
  require(strip_in_pieces(raw, seed) == text, "any split gives the same");
  require(!is_valid_utf8(raw) || !is_plain(raw) || text == raw, "plain text stays as it is");
  check_cut(raw, text);
  return 0;
}
