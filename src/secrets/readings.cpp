// Reads a text without its blanks and quotes, or as runs of hexadecimal digits.
#include "secrets/readings.hpp"

#include <algorithm>
#include <array>

#include "base/characters.hpp"

namespace terminally {
namespace {

struct ByteClass {
  bool hex_digit = false;
  bool between_hex = false;  ///< may stand between digits
  bool ends_hex = false;     ///< may not stand between digits, nor be a part of 0x
  bool blank = false;
  bool left_out = false;  ///< of a bare text
};

constexpr std::array<ByteClass, 256> kClasses = [] {
  std::array<ByteClass, 256> classes{};
  for (std::size_t byte = 0; byte < classes.size(); ++byte) {
    const char c = static_cast<char>(byte);
    const bool blank = is_one_of(c, " \t\r\n");
    const bool hex_digit = is_one_of(c, "0123456789abcdefABCDEF");
    const bool between_hex = blank || is_one_of(c, ":,'");
    classes.at(byte) = {.hex_digit = hex_digit,
                        .between_hex = between_hex,
                        .ends_hex = !hex_digit && !between_hex && !is_one_of(c, "xX"),
                        .blank = blank,
                        .left_out = blank || byte >= 0x80 || is_one_of(c, "'\"\\")};
  }
  return classes;
}();

void push(Reading& reading, char c, std::size_t at) {
  reading.text += c;
  reading.places.push_back(static_cast<std::uint32_t>(at));
}

char lower(char c) {
  return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Collects runs of digits, and drops runs that are too short.
class HexRuns {
 public:
  explicit HexRuns(std::size_t least) : least_(least) {}

  void digit(char c, std::size_t at) {
    if (at > next_ + kMostWrapBytes) {
      end(next_);
    }
    push(found_, lower(c), at);
    next_ = at + 1;
  }

  /// Takes the 0 of `0x` back: `0x` is no digit, and ends no run.
  void prefix(std::size_t at) {
    found_.text.pop_back();
    found_.places.pop_back();
    next_ = at + 1;
  }

  void end(std::size_t at) {
    if (found_.text.size() - begin_ < least_) {
      found_.text.resize(begin_);
      found_.places.resize(begin_);
    } else {
      push(found_, '\n', at);
    }
    begin_ = found_.text.size();
  }

  [[nodiscard]] bool after_zero(std::size_t at) const {
    return found_.text.size() > begin_ && found_.text.back() == '0' && next_ == at;
  }
  /// Whether no digit stands before the last character of the text.
  [[nodiscard]] static bool alone(std::string_view text) {
    return text.size() > 1 && !kClasses[static_cast<unsigned char>(text[text.size() - 2])].hex_digit;
  }
  [[nodiscard]] bool open() const { return found_.text.size() > begin_; }
  [[nodiscard]] Reading take() { return std::move(found_); }

 private:
  const std::size_t least_;
  Reading found_;
  std::size_t begin_ = 0;  ///< where the run begins in found_
  std::size_t next_ = 0;   ///< after the last digit
};

/// The next place where `least` digits may begin: as many bytes in a row that do not end a run.
std::size_t next_run(std::string_view text, std::size_t at, std::size_t least) {
  while (at + least <= text.size()) {
    std::size_t last = at + least;
    while (last > at && !kClasses[static_cast<unsigned char>(text[last - 1])].ends_hex) {
      --last;
    }
    if (last == at) {
      return at;
    }
    at = last;
  }
  return text.size();
}

}  // namespace

bool is_letter(char c) {
  const ByteClass is = kClasses[static_cast<unsigned char>(c)];
  return !is.left_out && !is.between_hex;
}

Reading bare(std::string_view text) {
  Reading reading{std::string(text.size(), '\0'), std::vector<std::uint32_t>(text.size())};
  std::size_t size = 0;
  std::size_t blanks = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const ByteClass is = kClasses[static_cast<unsigned char>(text[at])];
    if (is.left_out) {
      blanks += is.blank ? 1 : 0;
      continue;
    }
    // The text has room for it: many bytes were left out.
    if (blanks > kMostWrapBytes) {
      reading.text[size] = '\n';
      reading.places[size++] = static_cast<std::uint32_t>(at - 1);
    }
    blanks = 0;
    reading.text[size] = text[at];
    reading.places[size++] = static_cast<std::uint32_t>(at);
  }
  reading.text.resize(size);
  reading.places.resize(size);
  return reading;
}

Reading hex_digits(std::string_view text, std::size_t least, bool goes_on) {
  HexRuns runs(least);
  for (std::size_t at = next_run(text, 0, least); at < text.size(); ++at) {
    const char c = text[at];
    const ByteClass is = kClasses[static_cast<unsigned char>(c)];
    if (is.hex_digit) {
      runs.digit(c, at);
    } else if (!is.between_hex && runs.open()) {
      (c == 'x' || c == 'X') && runs.after_zero(at) ? runs.prefix(at) : runs.end(at);
    }
    if (is.ends_hex) {
      at = next_run(text, at + 1, least) - 1;
    }
  }
  if (!goes_on) {
    runs.end(text.size());
  } else if (runs.after_zero(text.size()) && HexRuns::alone(text)) {
    runs.prefix(text.size());  // half of `0x`
  }
  return runs.take();
}

}  // namespace terminally
