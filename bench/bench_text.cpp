// How fast bytes become text. Prints, judges nothing: ./build/release/bench_text
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "secrets/text_guard.hpp"
#include "text/ansi.hpp"
#include "text/render.hpp"
#include "toolkit/shown_text.hpp"

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

/// What a model reads is masked and made visible: in one piece as a result, in the steps of a progress.
void bench_guard(const char* what, const std::string& text) {
  constexpr std::size_t kStep = std::size_t{512} * 1024 / 10;  // the highest rate that is streamed whole
  const auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  secrets->add("KNOWN", "correct horse battery staple");
  std::size_t size = 0;
  const double whole = best_seconds([&] { size = TextGuard(secrets).text(text).size(); });
  double slowest = 0;
  const double streamed = best_seconds([&] {
    ShownText shown(std::make_shared<TextGuard>(secrets), "");
    for (std::size_t at = 0; at < text.size(); at += kStep) {
      const auto start = std::chrono::steady_clock::now();
      shown.feed(std::string_view(text).substr(at, kStep));
      if (!shown.next(ShownText::kStepBytes).empty()) {
        shown.told();
      }
      const auto took = std::chrono::steady_clock::now() - start;
      slowest = std::max(slowest, std::chrono::duration<double>(took).count());
    }
  });
  const double megabytes = static_cast<double>(text.size()) / 1e6;
  std::printf(
      "guard, %-34s %4.0f KB to %7zu bytes: %6.2f ms; in steps of 52 KB %6.1f MB/s, slowest %5.2f ms\n", what,
      megabytes * 1e3, size, whole * 1e3, megabytes / streamed, slowest * 1e3);
}

std::string repeated(const std::string& part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    text += part;
  }
  return text;
}

void bench_guards() {
  constexpr std::size_t kResult = 256 * 1024;
  bench_guard("a build log",
              repeated("[ 37%] Building CXX object src/CMakeFiles/x.dir/key_map.cpp.o\n", kResult));
  bench_guard("a keyword in each line",
              repeated("see https://example.com/token?key=1 for sk- and eyJ\n", kResult));
  bench_guard("a secret in each line",
              repeated("GITHUB_TOKEN=ghp_aB3dE6gH9jK2aB3dE6gH9jK2aB3dE6gH9jK2\n", kResult));
  bench_guard("one line of JSON", repeated("{\"url\":\"https://example.com/a\",\"key\":\"abc\"},", kResult));
  bench_guard("one line, made to be slow", repeated("-eyJ", kResult));
  bench_guard("lines made to be slow", repeated(repeated("sk-eyJ://a:", 2000) + "\n", kResult));
  bench_guard("beyond ASCII", repeated("\xE4\xBD\xA0\xE5\xA5\xBD \xF0\x9F\x91\xA9\n", kResult));
}

}  // namespace

int main() {
  bench_guards();
  bench_strip();
  bench_renders();
  return 0;
}
