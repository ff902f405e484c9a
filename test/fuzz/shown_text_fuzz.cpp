// What a stream tells: any split of the stream gives the same text, which is what the guard masks; what is
// held back and what comes out are bounded, and no known value comes through, wherever a piece was told
// early.
#include "toolkit/shown_text.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "oracle.hpp"
#include "secrets/text_guard.hpp"
#include "text/ansi.hpp"
#include "text/visible_text.hpp"

using namespace terminally;
using namespace terminally::fuzz;

namespace {

constexpr std::string_view kKnown = "hunter2-hunter2";

std::shared_ptr<TextGuard> guard() {
  static const std::shared_ptr<Secrets> all = [] {
    auto made = std::make_shared<Secrets>(Secrets::Options{});
    made->add("KNOWN", kKnown);
    return made;
  }();
  return std::make_shared<TextGuard>(all);
}

void take(ShownText& shown, Clock::time_point now, std::string& out) {
  for (std::string_view piece = shown.next(ShownText::kStepBytes, now); !piece.empty();
       piece = shown.next(ShownText::kStepBytes, now)) {
    out += piece;
    shown.told();
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::size_t step = data[0] % 64U + 1U;
  const std::string text = strip_ansi(text_of(data + 1, size - 1));
  if (looks_binary(text)) {
    return 0;
  }
  const std::string masked = guard()->masked(text);
  const std::string whole = visible_text(masked);
  ShownText chunked(guard(), "");
  ShownText released(guard(), "");
  std::string in_chunks;
  std::string early;
  for (std::size_t at = 0; at < text.size(); at += step) {
    const std::string_view chunk = std::string_view(text).substr(at, step);
    if (looks_binary(chunk)) {
      return 0;
    }
    chunked.feed(chunk);
    released.feed(chunk);
    if (at % 3 == 0) {
      take(released, Clock::now() - ShownText::kHeldBack, early);
    } else if (at % 3 == 1) {
      take(released, Clock::now() + ShownText::kHeldBack, early);
    }
  }
  chunked.end(false);
  released.end(false);
  take(chunked, Clock::now(), in_chunks);
  take(released, Clock::now(), early);
  require(in_chunks == whole, "any split gives the text that the guard masks");
  require(whole.find(kKnown) == std::string::npos, "no known value comes through");
  require(early.find(kKnown) == std::string::npos, "no known value is told early");
  constexpr std::size_t kLongestMask = 40;
  require(masked.size() <= text.size() * (kLongestMask / KnownValues::kLeastBytes + 1) + kLongestMask,
          "what comes out is bounded");
  require(guard()->masked(masked) == masked, "masking twice is masking once");
  return 0;
}
