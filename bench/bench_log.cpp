// What reading the end of a log costs, whatever its length, and what the writer costs. Prints figures.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/descriptors.hpp"
#include "log/pane_log.hpp"

namespace terminally {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMega = 1'000'000;
constexpr std::uint64_t kGiga = 1'000'000'000;
constexpr std::size_t kAnswerBytes = std::size_t{256} * 1024;

double us_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

std::string real_lines(std::size_t bytes) {
  std::string text;
  for (int number = 0; text.size() < bytes; ++number) {
    text += "[" + std::to_string(number) + "] compiling some/source/file_" + std::to_string(number) +
            ".cpp with the usual flags\r\n";
  }
  return text;
}

void append_to(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string status_of(pid_t pid, const std::string& field) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) {
      return line.substr(line.find_first_not_of(" \t", field.size()));
    }
  }
  return "0";
}

long peak_kilobytes() {
  return std::stol(status_of(::getpid(), "VmHWM:"));
}

void forget_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

struct Cost {
  double median_us;
  long extra_kilobytes;
};

Cost last_500_lines(const fs::path& path) {
  forget_peak();
  const long before = peak_kilobytes();
  const PaneLog log(path);
  std::vector<double> times;
  for (int i = 0; i < 201; ++i) {
    const auto begin = Clock::now();
    const PaneLog::Tail tail = log.last_lines(500, kAnswerBytes);
    times.push_back(us_since(begin));
    if (tail.bytes.empty()) {
      std::abort();
    }
  }
  std::ranges::sort(times);
  return {.median_us = times[times.size() / 2], .extra_kilobytes = peak_kilobytes() - before};
}

void bench_reader(const fs::path& dir) {
  const std::string lines = real_lines(10 * kMega);
  append_to(dir / "small", lines);
  append_to(dir / "large", "begin\n");
  fs::resize_file(dir / "large", 10 * kGiga - lines.size());
  append_to(dir / "large", "\n" + lines);
  append_to(dir / "line", "begin\n");
  fs::resize_file(dir / "line", kGiga);

  const Cost small = last_500_lines(dir / "small");
  const Cost large = last_500_lines(dir / "large");
  const Cost line = last_500_lines(dir / "line");
  std::printf("last 500 lines of 10 MB          %8.1f us, %ld KB more resident at the peak\n",
              small.median_us, small.extra_kilobytes);
  std::printf("last 500 lines of 10 GB (sparse) %8.1f us, %ld KB more, %.2f times the 10 MB log\n",
              large.median_us, large.extra_kilobytes, large.median_us / small.median_us);
  std::printf("last 256 KB of a line of 1 GB    %8.1f us, %ld KB more\n", line.median_us,
              line.extra_kilobytes);
}

struct Writer {
  pid_t pid = 0;
  UniqueFd input;

  explicit Writer(std::string log_path) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      std::abort();
    }
    const UniqueFd output(ends[0]);
    input.reset(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, output.get(), STDIN_FILENO);
    std::string program = TERMINALLY_LOG_PATH;
    std::array<char*, 3> argv{program.data(), log_path.data(), nullptr};
    if (::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ) != 0) {
      std::abort();
    }
    ::posix_spawn_file_actions_destroy(&actions);
  }

  void print(const std::string& bytes) const {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = ::write(input.get(), bytes.data() + done, bytes.size() - done);
      if (count <= 0) {
        std::abort();
      }
      done += static_cast<std::size_t>(count);
    }
  }

  [[nodiscard]] std::string resident() const { return status_of(pid, "VmRSS:"); }
};

// From the byte in the pipe to the reader's wake-up by inotify.
void bench_latency(const Writer& writer, const fs::path& path) {
  const UniqueFd watch(::inotify_init1(IN_CLOEXEC));
  ::inotify_add_watch(watch.get(), path.c_str(), IN_MODIFY);
  std::array<char, 4096> events{};
  std::vector<double> times;
  for (int i = 0; i < 2001; ++i) {
    const auto begin = Clock::now();
    writer.print("x");
    if (::read(watch.get(), events.data(), events.size()) <= 0) {
      std::abort();
    }
    times.push_back(us_since(begin));
    ::poll(nullptr, 0, 1);
  }
  std::ranges::sort(times);
  std::printf("a byte to the reader's wake-up   %8.1f us median, %.1f us p99, %.1f us worst\n",
              times[times.size() / 2], times[times.size() * 99 / 100], times.back());
}

void bench_writer(const fs::path& dir) {
  Writer writer((dir / "written").string());
  writer.print("first\n");
  while (!fs::exists(dir / "written") || fs::file_size(dir / "written") == 0) {
    ::poll(nullptr, 0, 1);
  }
  std::printf("writer, idle                     %s resident\n", writer.resident().c_str());
  bench_latency(writer, dir / "written");
  const std::string bytes = real_lines(200 * kMega);
  const auto begin = Clock::now();
  writer.print(bytes);
  const std::string busy = writer.resident();
  writer.input.reset();
  ::waitpid(writer.pid, nullptr, 0);
  const double seconds = us_since(begin) / 1e6;
  std::printf("writer, 200 MB                   %s resident, %.0f MB/s with the sync at the end\n",
              busy.c_str(), 200 / seconds);
}

}  // namespace
}  // namespace terminally

int main() {
  std::string name = (std::filesystem::temp_directory_path() / "terminally-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    return 1;
  }
  terminally::bench_reader(name);
  terminally::bench_writer(name);
  std::filesystem::remove_all(name);
  return 0;
}
