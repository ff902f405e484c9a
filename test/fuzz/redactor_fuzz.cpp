// The redactor: any split of the stream gives the same text, masking twice is masking once, what is held back
// and what comes out are bounded, and no known value comes through.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "oracle.hpp"
#include "secrets/redactor.hpp"
#include "secrets/text_guard.hpp"

using namespace terminally;
using namespace terminally::fuzz;

namespace {

constexpr std::string_view kKnown = "hunter2-hunter2";

const std::shared_ptr<Secrets>& secrets() {
  static const std::shared_ptr<Secrets> all = [] {
    auto made = std::make_shared<Secrets>(Secrets::Options{});
    made->add("KNOWN", kKnown);
    return made;
  }();
  return all;
}

std::string in_one(std::string_view text) {
  Redactor redactor(secrets());
  std::string out;
  redactor.feed(text, out);
  redactor.finish(out);
  return out;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::size_t step = data[0] % 64U + 1U;
  const std::string text = to_valid_utf8(text_of(data + 1, size - 1));
  const std::string whole = in_one(text);
  Redactor chunked(secrets());
  Redactor released(secrets());
  std::string in_chunks;
  std::string early;
  for (std::size_t at = 0; at < text.size(); at += step) {
    const std::string_view chunk = std::string_view(text).substr(at, step);
    chunked.feed(chunk, in_chunks);
    released.feed(chunk, early);
    if (at % 3 == 0) {
      released.release(early);
    } else if (at % 3 == 1) {
      released.release_all(early);
    }
  }
  chunked.finish(in_chunks);
  released.finish(early);
  require(in_chunks == whole, "any split gives the same text");
  require(whole.find(kKnown) == std::string::npos, "no known value comes through");
  require(early.find(kKnown) == std::string::npos, "no known value is released early");
  constexpr std::size_t kLongestMask = 40;
  require(whole.size() <= text.size() * (kLongestMask / KnownValues::kLeastBytes + 1) + kLongestMask,
          "what comes out is bounded");
  if (text.size() < Secrets::kMostLineBytes) {
    require(TextGuard(secrets()).masked(text) == whole, "the guard masks the same");
    require(in_one(whole) == whole, "masking twice is masking once");
  }
  return 0;
}
