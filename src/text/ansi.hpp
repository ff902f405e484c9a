#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/ansi_parser.hpp"
#include "text/character_sets.hpp"

namespace terminally {

/// Removes every control sequence from a stream: the rest is valid UTF-8 with no control but tab and newline,
/// so stripping it again changes nothing. Any split of the stream gives the same text. AnsiParser defines
/// which bytes are a sequence, and where a sequence that is never closed ends. A newline ends every sequence,
/// so a stream may be stripped from the start of any line. CR is removed (`\r\n` is a newline).
class AnsiStripper {
 public:
  /// Appends the text of `bytes` to `out`: at most 3 bytes for each byte taken (U+FFFD for what is not
  /// UTF-8).
  void feed(std::string_view bytes, std::string& out) {
    Appender appender{out};
    parser_.feed(bytes, appender);
  }

  /// Ends the stream: an unfinished character becomes U+FFFD, an unfinished sequence nothing. The stripper is
  /// ready for another stream then.
  void finish(std::string& out) {
    Appender appender{out};
    parser_.finish(appender);
  }

  /// How many of the last bytes fed belong to a character or a sequence that has not ended.
  [[nodiscard]] std::size_t unfinished_bytes() const { return parser_.unfinished_bytes(); }

 private:
  struct Appender {
    std::string& out;
    void text(std::string_view text) { out.append(text); }
    void control(char) {}
    void escape(char, char) {}
    void csi(std::string_view, char) {}
  };

  AnsiParser<Appender> parser_;
};

/// Strips a whole stream.
[[nodiscard]] std::string strip_ansi(std::string_view bytes);

/// The same, with letters of the line drawing set as the lines that a terminal shows. `sets` are those at the
/// beginning, and become those at the end.
[[nodiscard]] std::string strip_ansi(std::string_view bytes, CharacterSets& sets);

/// Where to end a chunk that begins on a border: the length of the longest prefix of `bytes` that ends
/// between characters and outside of any sequence. Costs as much as the last line of `bytes` is long. Without
/// `full` the answer may be 0: all bytes are one unfinished sequence, and the reader should come back when
/// there are more. `full`: no more bytes can be added to the chunk. Then the answer is 0 only for no bytes,
/// and a chunk that is one unfinished sequence is cut inside of it, if possible between characters. A chunk
/// of more than kMaxSequenceBytes is always cut on a border.
[[nodiscard]] std::size_t safe_cut(std::string_view bytes, bool full);

}  // namespace terminally
