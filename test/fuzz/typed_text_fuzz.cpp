// Text on its way to a terminal. What must hold: a control character other than tab and newline passes only
// when it is allowed; what passes is UTF-8 without NUL; and turning newlines into keys changes nothing else.
#include "text/typed_text.hpp"

#include <string>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "oracle.hpp"

using namespace terminally;
using namespace terminally::fuzz;

namespace {

bool passes(std::string_view text, bool allow_control) {
  try {
    check_text(text, allow_control);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string without(std::string_view text, std::string_view characters) {
  std::string rest;
  for (const char c : text) {
    if (characters.find(c) == std::string_view::npos) {
      rest += c;
    }
  }
  return rest;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = text_of(data, size);
  const bool submit = take_byte(text) % 2 == 1;
  const bool sound = is_valid_utf8(text) && text.find('\0') == std::string_view::npos;
  require(passes(text, true) == sound, "with allow_control, all UTF-8 without NUL passes");
  require(passes(text, false) == (sound && is_plain(without(text, "\r"))), "without it, no control does");

  const std::string typed = with_enter_keys(text, submit);
  require(typed.find("\r\n") == std::string::npos || text.find("\r\r\n") != std::string_view::npos,
          "CR LF is one key");
  require(without(typed, "\r\n") == without(text, "\r\n"), "nothing but newlines changes");
  require(typed.size() <= text.size(), "and nothing is added");
  require(!is_for_paste(text) || !has_other_control_characters(text), "no control inside of a paste");
  return 0;
}
