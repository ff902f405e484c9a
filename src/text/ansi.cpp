// Strips escape sequences from text, and finds where a chunk may end outside of one.
#include "text/ansi.hpp"

namespace terminally {
namespace {

/// AnsiParser handler: text as the character sets show it.
struct ShownLetters {
  std::string& out;
  CharacterSets& sets;
  void text(std::string_view text) { sets.append(text, out); }
  void control(char c) { sets.control(c); }
  void escape(char intermediate, char final) { sets.escape(intermediate, final); }
  void csi(std::string_view parameters, char final) { sets.csi(parameters, final); }
};

}  // namespace

std::string strip_ansi(std::string_view bytes, CharacterSets& sets) {
  std::string out;
  out.reserve(bytes.size());
  ShownLetters letters{out, sets};
  parse_whole(bytes, letters);
  return out;
}

std::string strip_ansi(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  AnsiStripper stripper;
  stripper.feed(bytes, out);
  stripper.finish(out);
  return out;
}

std::size_t safe_cut(std::string_view bytes, bool full) {
  const std::size_t line = bytes.rfind('\n') + 1;  // npos + 1 is 0; every newline is a border
  AnsiStripper stripper;
  std::string text;
  stripper.feed(bytes.substr(line), text);
  const std::size_t border = bytes.size() - stripper.unfinished_bytes();
  if (border > 0 || !full) {
    return border;
  }
  const std::size_t characters = bytes.size() - incomplete_utf8_suffix(bytes);
  return characters > 0 ? characters : bytes.size();
}

}  // namespace terminally
