// Passes on text and the sequences that draw, and drops what else acts on a terminal.
#include "text/playback.hpp"

#include "base/characters.hpp"

namespace terminally {
namespace {

/// Whether a CSI sequence draws or sets how to draw, by its leader and its intermediate byte.
bool draws(std::string_view parameters, char final) {
  const char leader = parameters.empty() || parameters.front() < '<' ? '\0' : parameters.front();
  const char intermediate = !parameters.empty() && parameters.back() < '0' ? parameters.back() : '\0';
  if (leader == '?') {
    return intermediate == '\0' && is_one_of(final, "hlJK");
  }
  if (leader != '\0') {
    return false;  // private: how keys are reported, and queries
  }
  switch (intermediate) {
    case '\0':
      return is_one_of(final, "@ABCDEFGHIJKLMPSTXZ`abdefghlmrsu");
    case '!':
      return final == 'p';  // soft reset
    case ' ':
      return final == 'q';  // shape of the cursor
    default:
      return false;
  }
}

}  // namespace

void PlaybackFilter::Player::control(char c) const {
  if (is_one_of(c, "\a\b\v\f\r\x0e\x0f")) {
    out += c;
  }
}

void PlaybackFilter::Player::escape(char intermediate, char final) const {
  const bool plain = intermediate == '\0' && is_one_of(final, "78DEHM=>cNOno|}~");
  if (plain) {
    out += {kEscape, final};
  } else if (intermediate != '\0' && is_one_of(intermediate, "()*+#")) {
    out += {kEscape, intermediate, final};
  }
}

void PlaybackFilter::Player::csi(std::string_view parameters, char final) const {
  if (draws(parameters, final)) {
    out += {kEscape, '['};
    out += parameters;
    out += final;
  }
}

void PlaybackFilter::feed(std::string_view bytes, std::string& out) {
  Player player{out};
  parser_.feed(bytes, player);
}

void PlaybackFilter::finish(std::string& out) {
  Player player{out};
  parser_.finish(player);
}

}  // namespace terminally
