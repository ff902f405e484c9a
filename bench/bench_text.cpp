// How fast bytes become text. Prints, judges nothing: ./build/release/bench_text
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tmux/ansi.hpp"
#include "tmux/render.hpp"

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

void bench_render(const char* what, const std::string& input) {
  std::size_t rendered = 0;
  const double seconds = best_seconds([&] { rendered = render(input, 120).size(); });
  std::printf("render, %-48s %5.1f MB to %8zu bytes: %7.2f ms\n", what,
              static_cast<double>(input.size()) / 1e6, rendered, seconds * 1e3);
}

void bench_renders() {
  std::string ascii;
  std::string blocks;
  std::string docker = "1\r\n2\r\n3\r\n";
  for (int i = 0; i < 10'000; ++i) {
    const std::string percent = std::to_string(i / 100) + "%";
    ascii += "\r\x1b[K" + percent + " |" + std::string(static_cast<std::size_t>(i / 200), '#') + "| " +
             std::to_string(i) + "/10000";
    blocks += "\r" + percent + "|";
    for (int block = 0; block < 40; ++block) {
      blocks += block < i / 250 ? "\xE2\x96\x88" : " ";
    }
    blocks += "| " + std::to_string(i) + "/10000 [00:10<00:10, 999.99it/s]";
    docker += "\x1b[3A\r\x1b[2Klayer one " + percent + "\r\n\x1b[2Klayer two " + percent +
              "\r\n\x1b[2Klayer three\r\n";
  }
  bench_render("10,000 updates of a progress bar", ascii);
  bench_render("10,000 updates of a bar beyond ASCII", blocks);
  bench_render("10,000 updates of three lines", docker);
  std::string plain;
  while (plain.size() < 10'000'000) {
    plain += "The quick brown fox jumps over the lazy dog, \x1b[32mok\x1b[0m, again and again\r\n";
  }
  bench_render("plain lines", plain);
}

}  // namespace

int main() {
  bench_strip();
  bench_renders();
  return 0;
}
