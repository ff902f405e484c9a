#include "tmux/records.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/utf8.hpp"
#include "tmux/backward_lines.hpp"

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// A longer command is kept by its beginning: the record is for people and for `verbose`, not for running it
/// again.
constexpr std::size_t kKeptCommandBytes = 4096;

template <typename Enum>
Enum enum_from(std::string_view text, std::initializer_list<Enum> all, Enum otherwise) {
  for (const Enum value : all) {
    if (to_string(value) == text) {
      return value;
    }
  }
  return otherwise;
}

/// How long another process may take to rewrite the file before we append all the same.
constexpr int kLockTries = 50;
constexpr std::chrono::milliseconds kLockPause{1};

/// The id of a line, by its spelling: within a JSON string the quotes would be escaped.
std::string_view id_of(std::string_view line) {
  static constexpr std::string_view kBefore = R"("id":")";
  const std::size_t begin = line.find(kBefore);
  const std::size_t end = begin == std::string_view::npos ? begin : line.find('"', begin + kBefore.size());
  return end == std::string_view::npos ? std::string_view()
                                       : line.substr(begin + kBefore.size(), end - begin - kBefore.size());
}

bool is_whole(std::string_view line) {
  return line.starts_with('{') && line.ends_with('}') && !id_of(line).empty();
}

/// The file as it is called now, locked against being rewritten. Whoever rewrote it put another in its place
/// while we waited.
UniqueFd open_locked(const std::filesystem::path& path) {
  for (int attempt = 0;; ++attempt) {
    UniqueFd fd(
        ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!fd) {
      throw io_error("cannot open " + path.string() + " for writing", errno);
    }
    const bool last = attempt >= kLockTries;  // a stopped process must not stop us
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && !last) {
      std::this_thread::sleep_for(kLockPause);
      continue;
    }
    struct stat ours{};
    struct stat named{};
    if (last || (::fstat(fd.get(), &ours) == 0 && ::stat(path.c_str(), &named) == 0 &&
                 ours.st_ino == named.st_ino && ours.st_dev == named.st_dev)) {
      return fd;
    }
  }
}

void write_whole(int fd, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      throw io_error("cannot write " + path.string(), errno);
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

/// The last line of each of the last commands, oldest first. Nothing is parsed: a few milliseconds.
void rewrite(const std::filesystem::path& path) {
  std::vector<std::string> kept;
  std::set<std::string, std::less<>> seen;
  std::size_t bytes = 0;
  BackwardLines lines(path);
  while (kept.size() < CommandRecords::kKeptCommands) {
    const auto line = lines.next();
    if (!line) {
      break;
    }
    if (is_whole(*line) && seen.emplace(id_of(*line)).second) {
      bytes += line->size() + 1;
      if (bytes > CommandRecords::kKeptBytes) {
        break;
      }
      kept.emplace_back(*line);
    }
  }
  std::string content;
  content.reserve(bytes);
  for (const std::string& line : std::views::reverse(kept)) {
    content += line + "\n";
  }
  replace_file(path, content);
}

}  // namespace

std::string first_words(const std::string& command) {
  std::string name;
  for (const char c : whole_words(command, 40)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      break;
    }
    name += c;
  }
  return name.empty() ? "command" : name;
}

std::string encode_record(const CommandRecord& record) {
  ordered_json line = {
      {"id", record.id},
      {"nonce", record.nonce},
      {"command", record.command.substr(0, kKeptCommandBytes)},
      {"who", record.who},
      {"state", to_string(record.state)},
      {"reason", to_string(record.reason)},
      {"exit_code", record.exit_code ? ordered_json(*record.exit_code) : ordered_json(nullptr)},
      {"timed_out", record.timed_out},
      {"typed_byte", record.typed_byte},
      {"start_byte", record.start_byte},
      {"end_byte", record.end_byte},
      {"started_at_ms", record.started_at_ms},
      {"started_steady_ms", record.started_steady_ms},
      {"deadline_steady_ms", record.deadline_steady_ms},
      {"started_ticks", record.started_ticks},
      {"shell_pid", record.shell_pid},
      {"older_jobs", record.older_jobs},
      {"duration_ms", record.duration_ms},
      {"cwd", record.cwd},
  };
  if (!record.notes.empty()) {
    line["notes"] = record.notes;
  }
  if (record.unread_from != 0) {
    line["unread_from"] = record.unread_from;
  }
  if (record.signalled) {
    line["signalled"] = true;
  }
  if (record.withdrawn) {
    line["withdrawn"] = true;
  }
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::optional<CommandRecord> decode_record(std::string_view text) {
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object()) {
    return std::nullopt;
  }
  try {
    CommandRecord record;
    record.id = line.at("id");
    record.nonce = line.at("nonce");
    record.command = line.at("command");
    record.who = line.value("who", "");
    record.state = enum_from(
        line.at("state").get<std::string>(),
        {CommandState::running, CommandState::completed, CommandState::cancelled, CommandState::failed},
        CommandState::failed);
    record.reason = enum_from(line.at("reason").get<std::string>(),
                              {Reason::timeout, Reason::cancelled_by_client, Reason::interrupted_in_tab,
                               Reason::shell_exited, Reason::tab_closed, Reason::tmux_server_lost,
                               Reason::no_shell_answered, Reason::handed_over, Reason::awaiting_input},
                              Reason::none);
    if (line.at("exit_code").is_number_integer()) {
      record.exit_code = line.at("exit_code").get<int>();
    }
    record.timed_out = line.at("timed_out");
    record.typed_byte = line.at("typed_byte");
    record.start_byte = line.at("start_byte");
    record.end_byte = line.at("end_byte");
    record.unread_from = line.value("unread_from", std::uint64_t{0});
    record.started_at_ms = line.at("started_at_ms");
    record.started_steady_ms = line.value("started_steady_ms", std::int64_t{0});
    record.deadline_steady_ms = line.value("deadline_steady_ms", std::int64_t{0});
    record.started_ticks = line.value("started_ticks", std::uint64_t{0});
    record.shell_pid = line.value("shell_pid", 0);
    record.older_jobs = line.value("older_jobs", std::vector<int>());
    record.duration_ms = line.at("duration_ms");
    record.cwd = line.at("cwd");
    record.notes = line.value("notes", std::vector<std::string>());
    record.signalled = line.value("signalled", false);
    record.withdrawn = line.value("withdrawn", false);
    return record;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

void CommandRecords::append(const CommandRecord& record) const {
  const UniqueFd fd = open_locked(path_);
  struct stat info{};
  char last = '\n';
  if (::fstat(fd.get(), &info) == 0 && info.st_size > 0) {
    (void)!::pread(fd.get(), &last, 1, info.st_size - 1);
  }
  // A line that was torn by a full disk or a power loss stays alone.
  write_whole(fd.get(), (last == '\n' ? "" : "\n") + encode_record(record), path_);
  if (static_cast<std::size_t>(info.st_size) > kRewriteBytes) {
    try {
      rewrite(path_);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the next one tries again; the line is written
    }
  }
  ::flock(fd.get(), LOCK_UN);  // not by closing alone: a child that is being spawned has a copy
}

std::vector<CommandRecord> CommandRecords::load(std::size_t most) const {
  std::vector<CommandRecord> records;
  std::set<std::string, std::less<>> seen;
  BackwardLines lines(path_);
  while (records.size() < most) {
    const auto line = lines.next();
    if (!line) {
      break;
    }
    if (is_whole(*line) && !seen.contains(id_of(*line))) {
      if (auto record = decode_record(*line)) {
        seen.insert(record->id);
        if (!record->withdrawn) {
          records.push_back(std::move(*record));
        }
      }
    }
  }
  std::reverse(records.begin(), records.end());
  return records;
}

std::optional<CommandRecord> CommandRecords::latest() const {
  auto records = load(1);
  return records.empty() ? std::nullopt : std::optional(std::move(records.back()));
}

std::optional<CommandRecord> CommandRecords::find(std::string_view id) const {
  BackwardLines lines(path_);
  while (const auto line = lines.next()) {
    if (id_of(*line) == id) {
      if (auto record = decode_record(*line)) {
        return record->withdrawn ? std::nullopt : std::move(record);
      }
    }
  }
  return std::nullopt;
}

}  // namespace terminally
