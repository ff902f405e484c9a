// How fast bytes become text. Prints, judges nothing: ./build/release/bench_text
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tmux/ansi.hpp"

using namespace terminally;

namespace {

/// The best of several runs, in seconds: the others were disturbed.
template <class F>
double best_seconds(F&& work) {
  double best = 1e9;
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

/// Lines of 80 columns with a colour sequence after each `every` bytes of text.
std::string coloured(std::size_t bytes, std::size_t every) {
  std::string text;
  std::size_t since = 0;
  for (std::size_t i = 0; text.size() < bytes; ++i) {
    text += i % 80 == 79 ? '\n' : static_cast<char>('a' + i % 26);
    if (++since == every) {
      text += i % 2 == 0 ? "\x1b[0m" : "\x1b[32m";
      since = 0;
    }
  }
  return text;
}

void bench_strip() {
  for (const std::size_t every : {20U, 80U, 1000U}) {
    const std::string input = coloured(100'000'000, every);
    const double gigabytes = static_cast<double>(input.size()) / 1e9;
    const double copy = best_seconds([&] {
      std::string out;
      out.reserve(input.size());
      out.append(input);
    });
    const double strip = best_seconds([&] { (void)strip_ansi(input); });
    std::printf("strip, an escape each %4zu bytes: %5.2f GB/s, memcpy %5.2f GB/s, ratio %.2f\n", every,
                gigabytes / strip, gigabytes / copy, copy / strip);
  }
}

}  // namespace

int main() {
  bench_strip();
  return 0;
}
