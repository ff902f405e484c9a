// The scanner of START and END records. What must hold: it finds exactly what a regular expression finds in
// the whole text, by any split of the stream; what it calls settled holds no record that it has yet to find;
// one with another nonce never counts.
//
// Bytes 1 to 6 of an input stand for the parts of a record, or mutation would hardly ever write one.
#include "tab/markers.hpp"

#include <array>
#include <climits>
#include <cstdlib>
#include <regex>
#include <string>
#include <vector>

#include "oracle.hpp"

using namespace terminally;
using namespace terminally::fuzz;

namespace {

const std::string kNonce = "0123456789abcdef0123456789abcdef";
const std::string kOther = "0123456789abcdef0123456789abcdee";
constexpr std::size_t kLongest = 128;
constexpr std::uint64_t kOrigin = 1'000;

std::string expand(std::string_view input) {
  const std::array<std::string, 6> parts = {"\033]133;",      "C;mcp=START:" + kNonce,
                                            "D;7;mcp=END:",   kNonce,
                                            ";x=1;by=hook\a", "\033]133;D;0;mcp=END:" + kOther + "\a"};
  std::string text;
  for (const char c : input) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte >= 1 && byte <= parts.size() ? parts[byte - 1U] : std::string(1, c);
  }
  return text;
}

bool same(const Marker& a, const Marker& b) {
  return a.kind == b.kind && a.begin == b.begin && a.next == b.next && a.exit_code == b.exit_code &&
         a.traced == b.traced && a.by == b.by;
}

Marker::By by_of(const std::string& name) {
  return name == "hook"      ? Marker::By::hook
         : name == "shell"   ? Marker::By::shell
         : name == "refused" ? Marker::By::refused
                             : Marker::By::wrapper;
}

/// By the grammar in doc/pane-log.md.
std::vector<Marker> by_regex(const std::string& text) {
  static const std::regex record("\033\\]133;(?:C;mcp=START:|D;(-[1-9][0-9]*|[0-9]+);mcp=END:)" + kNonce +
                                 "(;x=1)?(?:;by=(hook|shell|refused))?\a");
  std::vector<Marker> found;
  for (std::sregex_iterator match(text.begin(), text.end(), record), end; match != end; ++match) {
    const long long exit_code = std::strtoll((*match)[1].str().c_str(), nullptr, 10);
    if (static_cast<std::size_t>(match->length()) > kLongest || exit_code < INT_MIN || exit_code > INT_MAX) {
      continue;
    }
    Marker marker;
    marker.kind = (*match)[1].matched ? Marker::Kind::end : Marker::Kind::start;
    marker.begin = kOrigin + static_cast<std::uint64_t>(match->position());
    marker.next = marker.begin + static_cast<std::uint64_t>(match->length());
    marker.exit_code = static_cast<int>(exit_code);
    marker.traced = (*match)[2].matched;
    marker.by = by_of((*match)[3]);
    found.push_back(marker);
  }
  return found;
}

std::vector<Marker> by_scanner(const std::vector<std::string_view>& stream) {
  MarkerScanner scanner(kNonce, kOrigin);
  std::vector<Marker> found;
  std::uint64_t fed = kOrigin;
  for (const std::string_view piece : stream) {
    const std::uint64_t settled = scanner.settled();
    scanner.feed(piece);
    fed += piece.size();
    while (const auto marker = scanner.next()) {
      require(marker->begin >= settled, "nothing begins in what is settled");
      found.push_back(*marker);
    }
    require(scanner.settled() <= fed && scanner.settled() + kLongest >= fed,
            "all but the last bytes are settled");
  }
  return found;
}

void require_equal(const std::vector<Marker>& wanted, const std::vector<Marker>& found, const char* what) {
  require(wanted.size() == found.size(), what);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    require(same(wanted[i], found[i]), what);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input = text_of(data, size);
  const unsigned seed = take_byte(input);
  const std::string text = expand(input.substr(0, 1'000));
  const std::vector<Marker> wanted = by_regex(text);
  require_equal(wanted, by_scanner({text}), "the whole text gives what the regular expression does");
  require_equal(wanted, by_scanner(pieces(text, seed)), "so does any split of it");
  return 0;
}
