// Finds the characters and the invalid parts of UTF-8 text, and cuts text between characters.
#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace terminally {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool is_continuation(unsigned byte) {
  return (byte & 0xC0U) == 0x80U;
}

/// Bytes that a character with this lead byte has; 0 for a byte that cannot lead.
std::size_t length_of(unsigned lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xC2 || lead > 0xF4) {
    return 0;
  }
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/// The second byte carries what makes overlongs, surrogates and numbers above U+10FFFF invalid.
bool fits_lead(unsigned lead, unsigned second) {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0 && second <= 0xBF;
    case 0xED:
      return second >= 0x80 && second <= 0x9F;
    case 0xF0:
      return second >= 0x90 && second <= 0xBF;
    case 0xF4:
      return second >= 0x80 && second <= 0x8F;
    default:
      return is_continuation(second);
  }
}

}  // namespace

Utf8Part first_utf8_part(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  const std::size_t length = length_of(lead);
  if (length == 0) {
    return {Utf8Kind::invalid, 1};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) {
      return {Utf8Kind::incomplete, i};
    }
    const unsigned byte = byte_at(text, i);
    if (i == 1 ? !fits_lead(lead, byte) : !is_continuation(byte)) {
      return {Utf8Kind::invalid, i};
    }
  }
  return {Utf8Kind::valid, length};
}

std::size_t ascii_prefix(std::string_view text) {
  std::size_t i = 0;
  for (std::uint64_t word = 0; i + sizeof word <= text.size(); i += sizeof word) {
    std::memcpy(&word, text.data() + i, sizeof word);
    if ((word & 0x8080808080808080U) != 0) {
      break;
    }
  }
  while (i < text.size() && byte_at(text, i) < 0x80) {
    ++i;
  }
  return i;
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t copied = 0;
  std::size_t i = 0;
  while ((i += ascii_prefix(text.substr(i))) < text.size()) {
    const Utf8Part part = first_utf8_part(text.substr(i));
    if (part.kind != Utf8Kind::valid) {
      out.append(text.substr(copied, i - copied)).append(kReplacementCharacter);
      copied = i + part.bytes;
    }
    i += part.bytes;
  }
  return out.append(text.substr(copied));
}

bool is_valid_utf8(std::string_view text) {
  std::size_t i = 0;
  while ((i += ascii_prefix(text.substr(i))) < text.size()) {
    const Utf8Part part = first_utf8_part(text.substr(i));
    if (part.kind != Utf8Kind::valid) {
      return false;
    }
    i += part.bytes;
  }
  return true;
}

void append_utf8(std::string& text, char32_t character) {
  const auto put = [&text](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (character > 0x10FFFF || is_high_surrogate(character) || is_low_surrogate(character)) {
    text += kReplacementCharacter;
  } else if (character < 0x80) {
    put(character);
  } else {
    const int continuations = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    const std::array<char32_t, 4> marks = {0, 0xC0, 0xE0, 0xF0};
    put(marks.at(static_cast<std::size_t>(continuations)) | character >> (6 * continuations));
    for (int i = continuations - 1; i >= 0; --i) {
      put(0x80 | (character >> (6 * i) & 0x3F));
    }
  }
}

std::size_t incomplete_utf8_suffix(std::string_view text) {
  for (std::size_t bytes = 1; bytes <= std::min<std::size_t>(3, text.size()); ++bytes) {
    const std::string_view suffix = text.substr(text.size() - bytes);
    if (!is_continuation(byte_at(suffix, 0))) {
      return first_utf8_part(suffix).kind == Utf8Kind::incomplete ? bytes : 0;
    }
  }
  return 0;
}

std::string_view whole_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) {
    return text;
  }
  text = text.substr(0, most);
  return text.substr(0, text.size() - incomplete_utf8_suffix(text));
}

std::string shortened(std::string_view text, std::size_t most) {
  return std::string(whole_characters(text, most)) + (text.size() > most ? "…" : "");
}

std::string_view whole_words(std::string_view text, std::size_t most) {
  if (text.size() <= most) {
    return text;
  }
  const std::size_t space = text.find_last_of(" \t\n", most);
  return whole_characters(text, space == std::string_view::npos || space == 0 ? most : space);
}

bool has_control_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned byte = byte_at(text, i);
    const bool c1 =
        byte == 0xC2 && i + 1 < text.size() && byte_at(text, i + 1) >= 0x80 && byte_at(text, i + 1) < 0xA0;
    if (byte < 0x20 || byte == 0x7F || c1) {
      return true;
    }
  }
  return false;
}

bool looks_binary(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos) {
    return true;
  }
  std::size_t invalid = 0;
  for (std::string_view rest = bytes; !rest.empty();) {
    if (const std::size_t ascii = ascii_prefix(rest); ascii > 0) {
      rest.remove_prefix(ascii);
      continue;
    }
    const Utf8Part part = first_utf8_part(rest);
    invalid += part.kind == Utf8Kind::invalid ? part.bytes : 0;
    rest.remove_prefix(part.bytes);
  }
  return invalid > 16 && invalid * 10 > bytes.size();
}

}  // namespace terminally
