// How fast a log is searched, beside what memchr takes to look at every byte of it. Prints, judges nothing:
// ./build/release/bench_search
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "log/log_search.hpp"

using namespace terminally;

namespace {

constexpr std::size_t kLogBytes = std::size_t{256} * 1024 * 1024;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The best of three: the others were disturbed.
template <class F>
double best_seconds(F&& work) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, seconds_since(begin));
  }
  return best;
}

std::string build_log(bool coloured, std::size_t line_bytes) {
  std::string log;
  log.reserve(kLogBytes + 8192);
  for (std::size_t i = 0; log.size() < kLogBytes; ++i) {
    const std::size_t begin = log.size();
    log += coloured ? "\x1b[32mINFO\x1b[0m request " : "INFO request ";
    log += std::to_string(i * 7919 % 1'000'003) + " GET /api/v1/items";
    while (log.size() - begin < line_bytes) {
      log += " and so on";
    }
    log += i % 100'000 == 99'999 ? " needle in a haystack\r\n" : "\r\n";
  }
  return log;
}

void bench(const char* what, const PaneLog& log, const char* regex) {
  std::uint64_t matches = 0;
  std::chrono::nanoseconds longest{};
  const double seconds = best_seconds([&] {
    Pattern pattern(regex);
    LogSearch search(log, pattern, 0);
    matches = 0;
    auto step = LogSearch::Step::out_of_time;
    while (step != LogSearch::Step::at_end) {
      const auto begin = Clock::now();
      step = search.next(kLogBytes, begin + Milliseconds(3));
      longest = std::max<std::chrono::nanoseconds>(longest, Clock::now() - begin);
      matches += step == LogSearch::Step::found ? 1 : 0;
    }
  });
  std::printf("  %-24s %-32s %7.0f MB/s  %9llu lines  longest slice %5.1f ms\n", what, regex,
              static_cast<double>(kLogBytes) / 1e6 / seconds, static_cast<unsigned long long>(matches),
              static_cast<double>(longest.count()) / 1e6);
}

void bench_log(const char* what, const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const PaneLog log(path);
  const double floor = best_seconds([&] {
    for (std::uint64_t at = 0; at < kLogBytes;) {
      const PaneLog::Slice slice = log.read(at, 512 * 1024);
      if (slice.bytes.find('\0') != std::string::npos) {
        std::abort();
      }
      at = slice.next;
    }
  });
  std::printf("  %-24s %-32s %7.0f MB/s\n", what, "(read and memchr: the floor)",
              static_cast<double>(kLogBytes) / 1e6 / floor);
  for (const char* regex : {"needle", "needle|thread", "ne+dle$", "^ERROR", "[0-9]{7}", "GET .* POST",
                            "(?i)needle", "(?<=a )hay"}) {
    bench(what, log, regex);
  }
}

}  // namespace

int main() {
  std::string directory = (std::filesystem::temp_directory_path() / "terminally-bench-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) {
    return 1;
  }
  const std::filesystem::path path = std::filesystem::path(directory) / "log";
  bench_log("lines of 80 bytes", path, build_log(false, 80));
  bench_log("with colours", path, build_log(true, 80));
  bench_log("lines of 4 KB", path, build_log(false, 4'000));
  std::filesystem::remove_all(directory);
  return 0;
}
