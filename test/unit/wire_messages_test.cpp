// The bytes that we say on the socket of a tmux server, and what we take of its own.
#include "tmux/wire/wire_messages.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace terminally;
using namespace std::string_literals;

namespace {

std::string number(std::uint32_t value) {
  return {static_cast<char>(value & 0xffU), static_cast<char>(value >> 8U & 0xffU),
          static_cast<char>(value >> 16U & 0xffU), static_cast<char>(value >> 24U)};
}

std::string said(std::uint32_t kind, const std::string& data = "", std::uint32_t version = 8) {
  return number(kind) + number(static_cast<std::uint32_t>(16 + data.size())) + number(version) + number(7) +
         data;
}

constexpr std::uint32_t kExit = 203;
constexpr std::uint32_t kOfNoInterest = 218;

}  // namespace

TEST_CASE("wire: the bytes of an introduction, for tmux 3.2 to 3.5 and for 3.6 (C14)") {
  if constexpr (std::endian::native != std::endian::little) {
    return;
  }
  const std::string version_and_nobody = "\x08\0\0\0\xff\xff\xff\xff"s;
  const std::string before_input = "\x65\0\0\0\x15\0\0\0"s + version_and_nobody + "dumb\0"s +    // terminal
                                   "\x6d\0\0\0\x14\0\0\0"s + version_and_nobody + "\0\0\0\0"s +  // features
                                   "\x66\0\0\0\x13\0\0\0"s + version_and_nobody + "me\0"s +      // its tty
                                   "\x6c\0\0\0\x12\0\0\0"s + version_and_nobody + "/\0"s;    // its directory
  const std::string rest = "\x6b\0\0\0\x14\0\0\0"s + version_and_nobody + "\x02\x01\0\0"s +  // its pid
                           "\x6f\0\0\0\x18\0\0\0"s + version_and_nobody +
                           "\0\x20\x01\0\0\0\0\0"s +                       // in control mode, with UTF-8
                           "\x6a\0\0\0\x10\0\0\0"s + version_and_nobody +  // that is all
                           "\xc8\0\0\0\x1b\0\0\0"s + version_and_nobody + "\x02\0\0\0ab\0cde\0"s;
  for (const WireForm form : {WireForm::flagged, WireForm::marked}) {
    const Introduction all = introduce(form, "me", 0x102, {"ab", "cde"});
    const std::string size = form == WireForm::flagged ? "\x10\0\x01\0"s : "\x10\0\0\x80"s;
    CHECK(all.until_input == before_input + "\x68\0\0\0"s + size + version_and_nobody);
    CHECK(all.until_output == "\x6e\0\0\0"s + size + version_and_nobody);
    CHECK(all.rest == rest);
  }
}

TEST_CASE("wire: what is over is known at every split, and at once (C14)") {
  for (const std::uint32_t kind : {12U, 201U, 202U, kExit, 204U, 210U, 214U, 217U}) {
    CAPTURE(kind);
    const std::string before = said(kOfNoInterest, "12345678") + said(207) + said(kOfNoInterest);
    const std::string last = said(kind, "bye");
    const std::string all = before + last;
    for (std::size_t at = 0; at <= all.size(); ++at) {
      WireReader reader;
      const bool first = reader.feed(std::string_view(all).substr(0, at));
      CHECK(first == (at < before.size() + 16));  // its header is enough
      if (first) {
        CHECK_FALSE(reader.feed(std::string_view(all).substr(at)));
      }
    }
    WireReader bytewise;
    std::size_t taken = 0;
    while (bytewise.feed(std::string_view(all).substr(taken, 1))) {
      ++taken;
    }
    CHECK(taken + 1 == before.size() + 16);
  }
}

TEST_CASE("wire: what is no message of tmux's ends it: a size that cannot be, another protocol (C14)") {
  for (const std::uint32_t size : {0U, 1U, 15U, 16'385U, 0x10010U, 0x80000010U, UINT32_MAX}) {
    CAPTURE(size);
    WireReader reader;
    CHECK_FALSE(reader.feed(number(kOfNoInterest) + number(size) + number(8) + number(0)));
    CHECK(reader.was_spoken_to());
  }
  for (const std::uint32_t version : {0U, 7U, 9U, 0x800U}) {
    CAPTURE(version);
    WireReader reader;
    CHECK_FALSE(reader.feed(said(kOfNoInterest, "", version)));
  }
  WireReader longest;
  CHECK(longest.feed(said(kOfNoInterest, std::string(16'384 - 16, 'x'))));
  CHECK(longest.feed(said(kOfNoInterest)));
  CHECK_FALSE(longest.feed(said(kExit)));
}

TEST_CASE("wire: a thousand messages in one piece, and one that has not come to its end") {
  WireReader reader;
  CHECK_FALSE(reader.was_spoken_to());
  CHECK(reader.feed("\x01"));
  CHECK_FALSE(reader.was_spoken_to());
  WireReader many;
  std::string all;
  for (int i = 0; i < 1'000; ++i) {
    all += said(kOfNoInterest, std::string(static_cast<std::size_t>(i), 'x'));
  }
  const std::string unfinished = said(kOfNoInterest, said(kExit));  // what it holds is no message
  CHECK(many.feed(all + unfinished.substr(0, 20)));
  CHECK(many.feed(unfinished.substr(20)));
  CHECK_FALSE(many.feed(said(kExit)));
}
