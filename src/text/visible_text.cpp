// Names the invisible and misleading characters of a text, as in ⟨U+202E⟩.
#include "text/visible_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "base/utf8.hpp"

namespace terminally {
namespace {

struct CodePoints {
  char32_t first;
  char32_t last;
};

bool in(std::span<const CodePoints> ranges, char32_t c) {
  const auto after = std::ranges::upper_bound(ranges, c, {}, &CodePoints::first);
  return after != ranges.begin() && c <= std::prev(after)->last;
}

constexpr char32_t kNonJoiner = 0x200C;
constexpr char32_t kJoiner = 0x200D;
constexpr char32_t kEmojiVariant = 0xFE0F;

/// Controls, marks and overrides of direction, characters without width or ink, tags.
constexpr std::array<CodePoints, 25> kUnseen = {{
    {0x00, 0x08},       {0x0B, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x034F, 0x034F},
    {0x061C, 0x061C},   {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},
    {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0x13430, 0x13440}, {0x16FE4, 0x16FE4}, {0x1BCA0, 0x1BCA3},
    {0x1D159, 0x1D159}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}, {0xFFFFE, 0xFFFFF}, {0x10FFFE, 0x10FFFF},
}};

/// Emoji, roughly: Extended_Pictographic of Unicode's emoji-data.txt.
constexpr std::array<CodePoints, 20> kPictures = {{
    {0xA9, 0xA9},     {0xAE, 0xAE},     {0x203C, 0x203C}, {0x2049, 0x2049}, {0x2122, 0x2122},
    {0x2139, 0x2139}, {0x2194, 0x21AA}, {0x231A, 0x231B}, {0x2328, 0x2328}, {0x2388, 0x23FF},
    {0x24C2, 0x24C2}, {0x25AA, 0x25FE}, {0x2600, 0x27BF}, {0x2934, 0x2935}, {0x2B05, 0x2B55},
    {0x3030, 0x3030}, {0x303D, 0x303D}, {0x3297, 0x3297}, {0x3299, 0x3299}, {0x1F000, 0x1FAFF},
}};

/// Arabic, Syriac, Thaana, N'Ko, Mandaic, Mongolian: letters join, and a joiner forces the joining form.
constexpr std::array<CodePoints, 5> kJoining = {
    {{0x0620, 0x077F}, {0x07CA, 0x07FA}, {0x0840, 0x08FF}, {0x1820, 0x18AA}, {0x10AC0, 0x10AEF}}};

/// Indic and related scripts: a joiner after a sign decides on the form of a cluster.
constexpr std::array<CodePoints, 7> kIndic = {{{0x0900, 0x0DFF},
                                               {0x0F40, 0x0FBC},
                                               {0x1000, 0x109F},
                                               {0x1780, 0x17D3},
                                               {0x1B00, 0x1BFF},
                                               {0xA8E0, 0xA9DF},
                                               {0x11000, 0x11FFF}}};

/// CJK ideographs, which have registered variants.
constexpr std::array<CodePoints, 4> kIdeographs = {
    {{0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0x20000, 0x323AF}}};

bool is_skin_tone(char32_t c) {
  return c >= 0x1F3FB && c <= 0x1F3FF;
}

bool has_variant(char32_t base, char32_t selector) {
  if (selector == kEmojiVariant || selector == 0xFE0E) {
    return in(kPictures, base) || base == '#' || base == '*' || (base >= '0' && base <= '9');
  }
  if (selector >= 0x180B && selector <= 0x180F) {
    return base >= 0x1820 && base <= 0x18AA;
  }
  return in(kIdeographs, base) ||
         (selector == 0xFE00 && ((base >= 0x2200 && base <= 0x2AFF) || (base >= 0x1000 && base <= 0x109F)));
}

bool is_selector(char32_t c) {
  return (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xE0100 && c <= 0xE01EF) || (c >= 0x180B && c <= 0x180F);
}

bool joins(char32_t joiner, char32_t before, char32_t after) {
  const bool letters =
      (in(kJoining, before) || in(kIndic, before)) && (in(kJoining, after) || in(kIndic, after));
  return letters ||
         (joiner == kJoiner && (in(kIndic, before) || (in(kPictures, before) && in(kPictures, after))));
}

/// The character that valid UTF-8 stands for.
char32_t decode(std::string_view bytes) {
  constexpr std::array<unsigned, 5> kLeadBits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t c = static_cast<unsigned char>(bytes[0]) & kLeadBits.at(bytes.size());
  for (const char next : bytes.substr(1)) {
    c = c << 6U | (static_cast<unsigned char>(next) & 0x3FU);
  }
  return c;
}

void name(char32_t c, std::string& out) {
  std::array<char, 16> digits{};
  const int length = std::snprintf(digits.data(), digits.size(), "U+%04X", static_cast<unsigned>(c));
  out.append("\xE2\x9F\xA8").append(digits.data(), static_cast<std::size_t>(length)).append("\xE2\x9F\xA9");
}

/// How many bytes at the start are visible ASCII, tab or newline.
std::size_t visible_prefix(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && ((text[i] >= ' ' && text[i] <= '~') || text[i] == '\n' || text[i] == '\t')) {
    ++i;
  }
  return i;
}

}  // namespace

/// Appends one character, or its name. False: that depends on bytes that are still to come.
bool VisibleText::character(char32_t c, std::string_view bytes, std::string_view rest, bool is_end,
                            std::string& out) {
  bool seen = !in(kUnseen, c);
  if (c == kJoiner || c == kNonJoiner) {
    const Utf8Part next = rest.empty() ? Utf8Part{Utf8Kind::incomplete, 0} : first_utf8_part(rest);
    if (next.kind == Utf8Kind::incomplete && !is_end) {
      return false;
    }
    const char32_t after = next.kind == Utf8Kind::valid ? decode(rest.substr(0, next.bytes)) : 0;
    seen = joins(c, base_, after);
    base_ = 0;
  } else if (is_selector(c)) {
    seen = base_ == previous_ && has_variant(base_, c);
    base_ = seen ? base_ : 0;
  } else if (!is_skin_tone(c) || !in(kPictures, base_)) {
    base_ = c;
  }
  previous_ = c;
  if (seen) {
    out += bytes;
  } else {
    name(c, out);
  }
  return true;
}

void VisibleText::take(bool is_end, std::string& out) {
  std::size_t at = 0;
  while (at < held_.size()) {
    const std::string_view rest = std::string_view(held_).substr(at);
    if (const std::size_t plain = visible_prefix(rest); plain > 0) {
      out += rest.substr(0, plain);
      base_ = previous_ = static_cast<unsigned char>(rest[plain - 1]);
      at += plain;
      continue;
    }
    const Utf8Part part = first_utf8_part(rest);
    if (part.kind == Utf8Kind::incomplete && !is_end) {
      break;
    }
    const std::string_view bytes = rest.substr(0, part.bytes);
    if (part.kind != Utf8Kind::valid) {
      out += kReplacementCharacter;
      base_ = previous_ = 0xFFFD;
    } else if (!character(decode(bytes), bytes, rest.substr(part.bytes), is_end, out)) {
      break;
    }
    at += part.bytes;
  }
  held_.erase(0, at);
}

void VisibleText::feed(std::string_view text, std::string& out) {
  held_ += text;
  take(false, out);
}

void VisibleText::finish(std::string& out) {
  take(true, out);
  base_ = previous_ = 0;
}

std::string visible_text(std::string_view text) {
  if (visible_prefix(text) == text.size()) {
    return std::string(text);
  }
  std::string out;
  out.reserve(text.size());
  VisibleText visible;
  visible.feed(text, out);
  visible.finish(out);
  return out;
}

}  // namespace terminally
