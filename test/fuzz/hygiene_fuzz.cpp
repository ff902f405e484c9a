// What models read: nothing is left that is not seen, any split gives the same text, twice is once, and it
// grows by no more than what a name of a character takes.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "oracle.hpp"
#include "text/visible_text.hpp"

using namespace terminally;
using namespace terminally::fuzz;

namespace {

bool has_unseen(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::string_view three = text.substr(i, 3);
    const bool c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    // NOLINTBEGIN(misc-misleading-bidirectional): as escapes they mislead nobody
    const bool bidi = three == "\xE2\x80\xAD" || three == "\xE2\x80\xAE" || three == "\xE2\x81\xA6" ||
                      three == "\xE2\x81\xA7" || three == "\xE2\x81\xA8" || three == "\xE2\x80\x8B";
    // NOLINTEND(misc-misleading-bidirectional)
    const bool tag = three == "\xF3\xA0\x80" || three == "\xF3\xA0\x81";
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F || c1 || bidi || tag) {
      return true;
    }
  }
  return false;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::size_t step = data[0] % 16U + 1U;
  const std::string_view text = text_of(data + 1, size - 1);
  const std::string whole = visible_text(text);
  VisibleText visible;
  std::string in_chunks;
  for (std::size_t at = 0; at < text.size(); at += step) {
    visible.feed(text.substr(at, step), in_chunks);
  }
  visible.finish(in_chunks);
  require(in_chunks == whole, "any split gives the same text");
  require(is_valid_utf8(whole), "the text is UTF-8");
  require(!has_unseen(whole), "nothing is left that is not seen");
  require(visible_text(whole) == whole, "twice is once");
  require(whole.size() <= text.size() * 12, "it grows by no more than a name");
  return 0;
}
