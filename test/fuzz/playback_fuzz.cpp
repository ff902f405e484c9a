// What of a log is played back to a person's terminal. What must hold: any split of the stream gives the
// same; filtering again changes nothing; valid UTF-8; no string sequence and no question to the terminal is
// left; what can be read is what stripping leaves.
#include "text/playback.hpp"

#include <string>

#include "base/utf8.hpp"
#include "oracle.hpp"
#include "text/ansi.hpp"

using namespace terminally;
using namespace terminally::fuzz;

namespace {

std::string filtered(const std::vector<std::string_view>& stream) {
  PlaybackFilter filter;
  std::string out;
  for (const std::string_view piece : stream) {
    filter.feed(piece, out);
  }
  filter.finish(out);
  return out;
}

/// By its own, simpler reading: after ESC, only a CSI, a character set or one of a few letters.
void check_escapes(std::string_view played) {
  while (true) {
    const std::size_t escape = played.find('\x1b');
    if (escape == std::string_view::npos) {
      return;
    }
    played.remove_prefix(escape + 1);
    require(!played.empty() && std::string_view("]PX^_kZ%").find(played[0]) == std::string_view::npos,
            "no string, no question");
    if (played[0] == '[') {
      const std::size_t final = played.find_first_not_of("0123456789:;<=>? !\"#$%&'()*+,-./", 1);
      require(final != std::string_view::npos, "a CSI is whole");
      require(std::string_view("cntxiyw").find(played[final]) == std::string_view::npos, "no CSI that asks");
      require(std::string_view("<=>").find(played[1]) == std::string_view::npos, "no private one");
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view raw = text_of(data, size);
  const unsigned seed = take_byte(raw);
  const std::string played = filtered({raw});
  require(filtered(pieces(raw, seed)) == played, "any split gives the same");
  require(filtered({played}) == played, "idempotent");
  require(is_valid_utf8(played), "valid UTF-8");
  require(strip_ansi(played) == strip_ansi(raw), "the text is that of the log");
  check_escapes(played);
  return 0;
}
