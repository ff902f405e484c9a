#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "base/worker.hpp"
#include "text/csi.hpp"

namespace terminally {

/// A control sequence that has not ended after this many bytes is given up, and the bytes after it are text.
/// 4096 is the payload that kitty's image protocol puts into one string; the rest is for the keys before it.
inline constexpr std::size_t kMaxSequenceBytes = 4096 + 256;

/// Splits the bytes sent to a terminal into text and controls. Resumable: any split of the stream makes the
/// same calls, except that a text may be divided differently. Holds at most 3 bytes of an unfinished
/// character and the parameters of a sequence.
///
/// Handler:
///   void text(std::string_view)                     valid UTF-8 with no control but tab and newline
///   void control(char)                              any other C0, or DEL
///   void escape(char intermediate, char final)      ESC final (intermediate 0), or ESC intermediate final
///                                                   (of several intermediates the last)
///   void csi(std::string_view parameters, char final)   parameters and intermediates; not called when they
///                                                   have over 64 bytes
///
/// The grammar is ECMA-48's as xterm and tmux read it (Williams' state machine for the VT500), with these
/// decisions:
/// - OSC ends at BEL or ST; DCS, SOS, PM, APC and screen's title (ESC k) at ST. Their contents are dropped.
/// - A C1 control counts in its UTF-8 form (U+0080 to U+009F) and is reported as the ESC form it stands for.
///   Raw bytes 80 to 9F are parts of characters, or invalid: U+FFFD.
/// - A newline ends every unfinished sequence and is text. So parsing may start at any line and gives the
///   same text, and a sequence cut short hides no more than its line. CAN, SUB, another ESC and, outside of
///   strings, a character beyond ASCII end a sequence as well; so does kMaxSequenceBytes.
///
/// Written by hand and not with PCRE2: a resumable match has to be re-entered at every chunk border (partial
/// matching), needs a validity check of its own for UTF-8 and reports no parameters, which rendering needs.
/// Text is found eight bytes at a time; bench/bench_text.cpp has the speed.
template <class Handler>
class AnsiParser {
 public:
  void feed(std::string_view bytes, Handler& handler) {
    while (!bytes.empty()) {
      const std::size_t used = !held_.empty()          ? resume(bytes, handler)
                               : state_ == State::text ? text(bytes, handler)
                                                       : sequence(bytes, handler);
      bytes.remove_prefix(used);
    }
  }

  /// Ends the stream: an unfinished character becomes U+FFFD, an unfinished sequence nothing. The parser is
  /// ready for another stream then.
  void finish(Handler& handler) {
    if (!held_.empty() && !in_string()) {
      handler.text(kReplacementCharacter);
    }
    held_.clear();
    end_sequence();
  }

  /// How many of the last bytes fed belong to a character or a sequence that has not ended.
  [[nodiscard]] std::size_t unfinished_bytes() const { return sequence_bytes_ + held_.size(); }

 private:
  enum class State : std::uint8_t { text, escape, csi, osc, string };

  [[nodiscard]] bool in_string() const { return state_ == State::osc || state_ == State::string; }

  void end_sequence() {
    state_ = State::text;
    sequence_bytes_ = 0;
  }

  void begin_escape() {
    state_ = State::escape;
    intermediate_ = 0;
  }

  static bool is_c1(std::string_view at) {
    return at.size() > 1 && at[0] == '\xC2' && static_cast<unsigned char>(at[1]) < 0xA0;
  }

  /// How many bytes at the start are printable ASCII.
  static std::size_t printable_prefix(std::string_view bytes) {
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    constexpr std::uint64_t kHighBits = 0x80U * kOnes;
    std::size_t i = 0;
    for (std::uint64_t word = 0; i + sizeof word <= bytes.size(); i += sizeof word) {
      std::memcpy(&word, bytes.data() + i, sizeof word);
      const std::uint64_t is_del = (word ^ (0x7FU * kOnes)) - kOnes;
      const std::uint64_t is_c0 = word - (0x20U * kOnes);
      // A borrow can mark bytes above the first special one, never below it.
      const std::uint64_t special = (word | is_del | is_c0) & kHighBits;
      if (special != 0) {
        if constexpr (std::endian::native == std::endian::little) {
          return i + static_cast<std::size_t>(std::countr_zero(special)) / 8;
        }
        break;
      }
    }
    while (i < bytes.size() && bytes[i] >= ' ' && bytes[i] <= '~') {
      ++i;
    }
    return i;
  }

  std::size_t text(std::string_view bytes, Handler& handler) {
    std::size_t i = 0;
    while ((i += printable_prefix(bytes.substr(i))) < bytes.size()) {
      const char c = bytes[i];
      if (c == '\n' || c == '\t') {
        ++i;
        continue;
      }
      if ((static_cast<unsigned char>(c) & 0x80U) == 0 || is_c1(bytes.substr(i))) {
        break;
      }
      const Utf8Part part = first_utf8_part(bytes.substr(i));
      if (part.kind != Utf8Kind::valid) {
        break;
      }
      i += part.bytes;
    }
    if (i > 0) {
      handler.text(bytes.substr(0, i));
    }
    if (i == bytes.size()) {
      return i;
    }
    if ((static_cast<unsigned char>(bytes[i]) & 0x80U) != 0) {
      return i + character(bytes.substr(i), handler);
    }
    if (bytes[i] == kEscape) {
      begin_escape();
      sequence_bytes_ = 1;
    } else {
      handler.control(bytes[i]);
    }
    return i + 1;
  }

  /// Reads one character beyond ASCII, or keeps its beginning for later. Returns how many bytes that took.
  std::size_t character(std::string_view bytes, Handler& handler) {
    const Utf8Part part = first_utf8_part(bytes);
    if (part.kind == Utf8Kind::incomplete) {
      held_ = bytes;
    } else if (part.kind == Utf8Kind::valid && is_c1(bytes)) {
      sequence_bytes_ += part.bytes;
      begin_escape();
      escape_byte(static_cast<char>(bytes[1] - '\x40'), handler);
    } else if (in_string()) {
      sequence_bytes_ += part.bytes;
    } else {
      end_sequence();
      handler.text(part.kind == Utf8Kind::valid ? bytes.substr(0, part.bytes) : kReplacementCharacter);
    }
    return part.bytes;
  }

  /// Goes on with the character whose beginning is held. This never takes fewer bytes than were held, because
  /// an incomplete character is the start of a valid one.
  std::size_t resume(std::string_view bytes, Handler& handler) {
    const std::size_t held_bytes = held_.size();
    const std::string joined = held_ + std::string(bytes.substr(0, 3));
    held_.clear();
    return character(joined, handler) - held_bytes;
  }

  std::size_t sequence(std::string_view bytes, Handler& handler) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const char c = bytes[i];
      if (c == '\n' || sequence_bytes_ >= kMaxSequenceBytes) {
        end_sequence();
        return i;
      }
      if ((static_cast<unsigned char>(c) & 0x80U) != 0) {
        return i + character(bytes.substr(i), handler);
      }
      ++sequence_bytes_;
      sequence_byte(c, handler);
      if (state_ == State::text) {
        return i + 1;
      }
    }
    return bytes.size();
  }

  void sequence_byte(char c, Handler& handler) {
    constexpr char kCancel = '\x18';
    constexpr char kSubstitute = '\x1a';
    if (c == kEscape) {
      begin_escape();
    } else if (c == kCancel || c == kSubstitute || (c == '\a' && state_ == State::osc)) {
      end_sequence();
    } else if (in_string()) {
      return;
    } else if (c == '\t') {
      handler.text("\t");  // a terminal obeys controls inside of a sequence
    } else if (c < ' ' || c == '\x7f') {
      handler.control(c);
    } else if (state_ == State::escape) {
      escape_byte(c, handler);
    } else {
      csi_byte(c, handler);
    }
  }

  void escape_byte(char c, Handler& handler) {
    if (c < '0') {
      intermediate_ = c;
    } else if (intermediate_ != 0) {  // NOLINT(bugprone-branch-clone): as for any final byte, but first
      finish_escape(c, handler);
    } else if (c == '[') {
      state_ = State::csi;
      parameter_bytes_ = 0;
    } else if (c == ']') {
      state_ = State::osc;
    } else if (c == 'P' || c == 'X' || c == '^' || c == '_' || c == 'k') {
      state_ = State::string;
    } else {
      finish_escape(c, handler);
    }
  }

  void finish_escape(char final, Handler& handler) {
    end_sequence();
    handler.escape(intermediate_, final);
  }

  void csi_byte(char c, Handler& handler) {
    if (c >= '@') {
      end_sequence();
      if (parameter_bytes_ <= parameters_.size()) {
        handler.csi(std::string_view(parameters_.data(), parameter_bytes_), c);
      }
    } else {
      if (parameter_bytes_ < parameters_.size()) {
        parameters_[parameter_bytes_] = c;
      }
      ++parameter_bytes_;
    }
  }

  State state_ = State::text;
  char intermediate_ = 0;
  std::size_t sequence_bytes_ = 0;  ///< since the text ended; 0 in text
  std::size_t parameter_bytes_ = 0;
  std::array<char, 64> parameters_{};
  std::string held_;
};

/// Feeds a long text in steps, so that work on a Worker can be abandoned in between.
template <class Handler>
void feed_in_steps(AnsiParser<Handler>& parser, std::string_view bytes, Handler& handler) {
  constexpr std::size_t kStepBytes = std::size_t{16} << 10U;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kStepBytes, bytes.size()))) {
    throw_if_abandoned();
    parser.feed(bytes.substr(0, kStepBytes), handler);
  }
}

/// Feeds a whole text, and its end: a sequence that is open there goes on nowhere.
template <class Handler>
void parse_whole(std::string_view bytes, Handler& handler) {
  AnsiParser<Handler> parser;
  feed_in_steps(parser, bytes, handler);
  parser.finish(handler);
}

}  // namespace terminally
