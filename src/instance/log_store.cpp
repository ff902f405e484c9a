// Removes old logs from the state directory, and more of them while there is too little space.
#include "instance/log_store.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <charconv>
#include <map>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"
#include "instance/tab_ids.hpp"
#include "log/log_end.hpp"
#include "log/log_record.hpp"

namespace terminally {
namespace {

namespace fs = std::filesystem;
namespace asio = boost::asio;

constexpr std::uint64_t kDaySeconds = 86'400;
/// How far apart two sweeps without a writer must be: a writer that died is back by then.
constexpr std::uint64_t kSecondLookSeconds = 30;
constexpr std::size_t kLooksAtOnce = 32;
constexpr const char* kClockFile = ".clock";
constexpr const char* kClosedSuffix = ".closed";

struct File {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type changed;
};

/// A pane's log with all that belongs to it.
struct StoredLog {
  fs::path stem;               ///< ".../pane-@3"
  std::vector<File> segments;  ///< rotated, oldest first
  std::vector<File> others;    ///< the live segment, the sidecar, the records
  bool closed = false;
  std::uint64_t closed_for_s = 0;
};

/// "pane-@3" of "pane-@3.log.index", "pane-@3.%7" of "pane-@3.%7.log"; empty: not ours.
std::string stem_of(const std::string& name) {
  if (!name.starts_with("pane-@")) {
    return {};
  }
  std::size_t dot = name.find('.');
  if (dot != std::string::npos && name.compare(dot, 2, ".%") == 0) {
    dot = name.find('.', dot + 1);
  }
  return dot == std::string::npos ? std::string() : name.substr(0, dot);
}

bool is_rotated(const std::string& name, const std::string& stem) {
  const std::string_view rest = std::string_view(name).substr(stem.size());
  return rest.size() == SegmentMark().size() + 4 && rest.ends_with(".log") &&
         std::ranges::all_of(rest.substr(1, SegmentMark().size() - 1),
                             [](char c) { return c >= '0' && c <= '9'; });
}

bool has_writer(const fs::path& stem) {
  return log_writer(stem.native() + ".log") != 0;
}

/// Notes the tab's number, so that no later tab gets it. False: the log must stay.
bool keeps_its_number(const fs::path& stem) {
  const auto tab = tab_of_records(stem.native() + ".commands");
  return !tab || note_used_id(stem.parent_path().parent_path(), *tab);
}

std::optional<std::uint64_t> number_in(const fs::path& path) {
  const std::string text = read_file(path).value_or("");
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::vector<StoredLog> logs_in(const fs::path& directory) {
  std::map<std::string, StoredLog> logs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    const std::string stem = stem_of(name);
    if (stem.empty() || !entry.is_regular_file(error)) {
      continue;
    }
    StoredLog& log = logs[stem];
    log.stem = directory / stem;
    File file{entry.path(), entry.file_size(error), entry.last_write_time(error)};
    if (!error) {
      (is_rotated(name, stem) ? log.segments : log.others).push_back(std::move(file));
    }
  }
  std::vector<StoredLog> result;
  for (auto& [stem, log] : logs) {
    std::ranges::sort(log.segments, {}, &File::path);  // by first offset
    result.push_back(std::move(log));
  }
  return result;
}

/// Writes a note; on a full disk the next sweep writes it.
void note(const fs::path& path, const std::string& text) {
  try {
    replace_file(path, text);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
  }
}

/// Finds out whether a log is closed. A file beside it keeps when it was first seen without a writer.
void look_whether_closed(StoredLog& log, std::uint64_t now_s) {
  const fs::path stamp = log.stem.native() + kClosedSuffix;
  const auto since = number_in(stamp);
  if (has_writer(log.stem)) {
    if (since) {
      remove_file(stamp);
    }
  } else if (!since || *since > now_s) {
    note(stamp, std::to_string(now_s) + "\n");
  } else {
    log.closed_for_s = now_s - *since;
    log.closed = log.closed_for_s >= kSecondLookSeconds;
  }
}

SureTime look_at_clocks() {
  SureTime now;
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  now.boot_s = static_cast<std::uint64_t>(time.tv_sec);
  ::clock_gettime(CLOCK_REALTIME, &time);
  now.wall_s = static_cast<std::uint64_t>(std::max<time_t>(time.tv_sec, 0));
  std::istringstream(read_file("/proc/sys/kernel/random/boot_id").value_or("none")) >> now.boot;
  return now;
}

std::uint64_t sure_seconds(const fs::path& state_root) {
  SureTime last;
  const SureTime now = look_at_clocks();
  const auto text = read_file(state_root / kClockFile);
  if (!text || !(std::istringstream(*text) >> last.boot >> last.boot_s >> last.wall_s >> last.sure_s)) {
    last = now;
  }
  const SureTime then = with_sure_time(last, now);
  note(state_root / kClockFile, then.boot + " " + std::to_string(then.boot_s) + " " +
                                    std::to_string(then.wall_s) + " " + std::to_string(then.sure_s) + "\n");
  return then.sure_s;
}

/// Removes files one by one, and lets the event loop run in between.
class Remover {
 public:
  Remover(const Config& config, std::uint64_t total) : config_(config), total_(total) {}

  [[nodiscard]] bool too_much() const { return total_ > config_.log_total_bytes; }
  [[nodiscard]] bool too_little_free() const {
    struct statvfs status{};
    return config_.min_free_bytes > 0 && ::statvfs(config_.state_root.c_str(), &status) == 0 &&
           std::uint64_t{status.f_bavail} * status.f_frsize < config_.min_free_bytes;
  }
  asio::awaitable<void> remove(const File& file) {
    remove_file(file.path);
    total_ -= std::min(total_, file.bytes);
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
  }
  asio::awaitable<void> remove(StoredLog& log) {
    if (has_writer(log.stem) || !keeps_its_number(log.stem)) {
      co_return;  // it has got a writer since
    }
    for (const File& file : log.segments) {
      co_await remove(file);
    }
    for (const File& file : log.others) {
      co_await remove(file);
    }
    remove_file(log.stem.native() + kClosedSuffix);
    log.segments.clear();
    log.others.clear();
  }

 private:
  const Config& config_;
  std::uint64_t total_;
};

/// Removes rotated segments of open tabs, oldest first; each tab's newest last, and not for free space alone.
asio::awaitable<void> remove_from_open_logs(const std::vector<StoredLog>& logs, Remover& remover) {
  std::vector<File> older;
  std::vector<File> newest;
  for (const StoredLog& log : logs) {
    if (!log.closed && !log.segments.empty()) {
      older.insert(older.end(), log.segments.begin(), std::prev(log.segments.end()));
      newest.push_back(log.segments.back());
    }
  }
  std::ranges::sort(older, {}, &File::changed);
  std::ranges::sort(newest, {}, &File::changed);
  for (const File& file : older) {
    if (remover.too_much() || remover.too_little_free()) {
      co_await remover.remove(file);
    }
  }
  for (const File& file : newest) {
    if (remover.too_much()) {
      co_await remover.remove(file);
    }
  }
}

/// Removes the state directory of an unnamed instance whose last log is gone.
void remove_if_empty(const Config& config, const fs::path& instance) {
  std::error_code error;
  if (!fs::exists(instance / "unnamed", error) ||
      fs::exists(config.runtime_root / instance.filename(), error)) {
    return;
  }
  for (const auto& entry : fs::directory_iterator(instance, error)) {
    if (entry.is_directory(error) && !fs::remove(entry.path(), error)) {
      return;  // not empty
    }
  }
  remove_file(instance / "unnamed");
  remove_file(instance / "ids");
  fs::remove(instance, error);
}

}  // namespace

SureTime with_sure_time(const SureTime& last, SureTime now) {
  const std::uint64_t passed = last.boot == now.boot
                                   ? now.boot_s - std::min(last.boot_s, now.boot_s)
                                   : std::min(now.wall_s - std::min(last.wall_s, now.wall_s), kDaySeconds);
  now.sure_s = last.sure_s + passed;
  return now;
}

asio::awaitable<void> sweep_logs(Config config) {
  const FileLock alone = FileLock::try_lock(config.state_root / ".sweep.lock");
  if (!alone) {
    co_return;  // another server does it
  }
  const std::uint64_t now_s = sure_seconds(config.state_root);
  std::vector<StoredLog> logs;
  std::vector<fs::path> instances;
  std::uint64_t total = 0;
  std::error_code error;
  for (const auto& instance : fs::directory_iterator(config.state_root, error)) {
    if (!instance.is_directory(error)) {
      continue;
    }
    instances.push_back(instance.path());
    for (const auto& generation : fs::directory_iterator(instance.path(), error)) {
      for (StoredLog& log : logs_in(generation.path())) {
        if (logs.size() % kLooksAtOnce == 0) {
          co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
        }
        look_whether_closed(log, now_s);
        for (const auto* files : {&log.segments, &log.others}) {
          for (const File& file : *files) {
            total += file.bytes;
          }
        }
        logs.push_back(std::move(log));
      }
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    }
  }
  Remover remover(config, total);
  // The longest closed first.
  std::ranges::sort(logs, [](const StoredLog& a, const StoredLog& b) {
    return a.closed_for_s != b.closed_for_s ? a.closed_for_s > b.closed_for_s : a.stem < b.stem;
  });
  for (StoredLog& log : logs) {
    if (log.closed && log.closed_for_s >= config.log_keep_days * kDaySeconds) {
      co_await remover.remove(log);
    }
  }
  for (StoredLog& log : logs) {
    while (log.closed && !log.segments.empty() && (remover.too_much() || remover.too_little_free())) {
      co_await remover.remove(log.segments.front());
      log.segments.erase(log.segments.begin());
    }
  }
  for (StoredLog& log : logs) {
    if (log.closed && remover.too_much()) {
      co_await remover.remove(log);
    }
  }
  co_await remove_from_open_logs(logs, remover);
  for (const fs::path& instance : instances) {
    remove_if_empty(config, instance);
  }
}

}  // namespace terminally
