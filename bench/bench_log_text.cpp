// What a chunk of a log costs as text: bytes read, and the time of the processor. Prints figures.
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "log/log_text.hpp"
#include "secrets/secrets.hpp"

namespace terminally {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{64} * 1024;
constexpr int kTimes = 50;

std::string colourful_lines(std::size_t bytes) {
  std::string text;
  for (int number = 0; text.size() < bytes; ++number) {
    text += "\x1b[32m[" + std::to_string(number) + "]\x1b[0m compiling some/source/file_" +
            std::to_string(number) + ".cpp with the usual flags\r\n";
  }
  return text;
}

std::uint64_t bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string name;
  std::uint64_t bytes = 0;
  io >> name >> bytes;  // rchar
  return bytes;
}

double processor_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// As stream_logs_from_tab reads it.
std::size_t chunk(const PaneLog& log, std::uint64_t from, const TextView& view) {
  const PaneLog::Slice slice = log.read(from, kChunk + 4'360);
  const std::size_t border = text_border(slice.bytes, kChunk, slice.eof);
  LogPart part =
      log_part(log, slice.bytes.substr(0, border), {from, from + border, 0, log.end(), true}, view.render);
  return fitting_text(std::move(part), view, 120, Keep::beginning, kChunk).text.size();
}

void print(const char* what, const PaneLog& log, const TextView& view) {
  const std::uint64_t read = bytes_read();
  const double begin = processor_ms();
  std::size_t shown = 0;
  for (int i = 0; i < kTimes; ++i) {
    shown = chunk(log, 1'000'000 + static_cast<std::uint64_t>(i) * 7'919, view);
  }
  std::printf("%-28s %7.2f ms  %7.1f KB read  %6zu bytes shown\n", what, (processor_ms() - begin) / kTimes,
              static_cast<double>(bytes_read() - read) / 1024 / kTimes, shown);
}

}  // namespace
}  // namespace terminally

int main() {
  using namespace terminally;
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "bench_log_text.log";
  std::ofstream(path, std::ios::binary) << colourful_lines(4'000'000);
  const PaneLog log(path);
  const auto guard = std::make_shared<TextGuard>(std::make_shared<Secrets>(Secrets::Options{}));
  print("64 KB, strip_ansi", log, {.strip_ansi = true});
  print("64 KB, render", log, {.render = true});
  print("64 KB, strip_ansi, masked", log, {.strip_ansi = true, .guard = guard});
  print("64 KB, render, masked", log, {.render = true, .guard = guard});
  print("64 KB, verbatim, masked", log, {.guard = guard});
  std::filesystem::remove(path);
}
