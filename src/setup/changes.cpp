// Plans, shows and carries out a change of a person's file.
#include "setup/changes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <vector>

#include "base/digests.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/spawned.hpp"
#include "files/file_access.hpp"
#include "files/project.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kWritesWithin{20'000};

/// The file that a path leads to, be it there or not: without a link or ".." in it.
std::filesystem::path target_of(const std::filesystem::path& path) {
  constexpr int kMostLinks = 40;
  std::filesystem::path target = std::filesystem::absolute(path);
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(target); ++links) {
    target = target.parent_path() / std::filesystem::read_symlink(target);
  }
  std::error_code error;
  target = std::filesystem::weakly_canonical(target, error);
  if (error) {
    throw Error(ErrorCode::io, "it leads nowhere: " + error.message());
  }
  return target;
}

void refuse_outside(const std::filesystem::path& project, const std::filesystem::path& target) {
  if (!project.empty() && !has_within(project, target)) {
    throw Error(ErrorCode::invalid_argument,
                "it leads to " + target.string() + ", out of the project; change that file yourself");
  }
}

ConfigText read_target(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) ? read_if_there(path) : std::nullopt;
}

/// `needed`: what `path` leads to, or its directory. The mode counts for the superuser, too: who took the
/// right to write away meant it.
void refuse_read_only(const std::filesystem::path& path, const std::filesystem::path& needed) {
  struct stat info{};
  if (::stat(needed.c_str(), &info) != 0) {
    return;
  }
  constexpr mode_t kAnyWrite = 0222;
  if ((info.st_mode & kAnyWrite) == 0 || ::access(needed.c_str(), W_OK) != 0) {
    throw Error(ErrorCode::io, "cannot write " + path.string() + ": " + needed.string() +
                                   " is read-only; make it writable, or add what --print prints by hand");
  }
}

std::filesystem::path nearest_directory_of(std::filesystem::path path) {
  std::error_code error;
  do {
    path = path.parent_path();
  } while (!path.empty() && path != path.root_path() && !std::filesystem::exists(path, error));
  return path;
}

/// What the owner may do with it stays.
std::optional<unsigned> private_mode(const std::filesystem::path& target) {
  struct stat info{};
  return ::stat(target.c_str(), &info) == 0 ? info.st_mode & S_IRWXU
                                            : static_cast<unsigned>(S_IRUSR | S_IWUSR);
}

void write_target(const std::filesystem::path& target, const FileChange& change) {
  WriteFile request;
  request.path = target.string();
  request.content = *change.after;
  request.expected_sha256 = change.before ? sha256_hex(*change.before) : std::string(kAbsent);
  request.create_parents = true;
  request.mode = change.is_private ? private_mode(target) : std::nullopt;
  boost::asio::io_context io(1);
  FileAccess files(FileRoots::all(), kWritesWithin);
  const Spawned<WrittenFile> writing(io.get_executor(), files.write(std::move(request)));
  while (!writing.is_over() && io.run_one() > 0) {
  }
  static_cast<void>(writing.result());
}

std::string time_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// Made by this call: nothing that was kept before is in it, nor a link that somebody has put there.
std::filesystem::path new_directory_of_time(const std::filesystem::path& copies) {
  make_private_directory(copies.parent_path());
  make_private_directory(copies);
  const std::string time = time_now();
  for (int number = 1;; ++number) {
    std::filesystem::path directory = copies / (time + (number == 1 ? "" : "-" + std::to_string(number)));
    if (::mkdir(directory.c_str(), S_IRWXU) == 0) {
      return directory;
    }
    if (errno != EEXIST) {
      throw io_error("cannot make " + directory.string(), errno);
    }
  }
}

/// Under its own path below a directory of the time.
std::filesystem::path keep_copy(const std::filesystem::path& target, const std::string& content,
                                const std::filesystem::path& copies) {
  try {
    const std::filesystem::path copy = new_directory_of_time(copies) / target.relative_path();
    std::filesystem::create_directories(copy.parent_path());
    write_file(copy, content);
    return copy;
  } catch (const std::runtime_error& error) {
    throw Error(ErrorCode::io, target.string() + " was not changed, as no copy of it can be kept: " +
                                   error.what() + "; --state-dir names another place for copies");
  }
}

/// Without their ends, to be shown.
std::vector<std::string> lines_of(const ConfigText& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.value_or("").size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const bool has_return = end > at && (*text)[end - 1] == '\r';
    lines.push_back(text->substr(at, end - at - (has_return ? 1 : 0)));
    at = end + 1;
  }
  return lines;
}

}  // namespace

FileChange planned(const std::filesystem::path& path, const std::filesystem::path& project,
                   const std::function<ConfigText(const ConfigText&)>& edit) {
  try {
    FileChange change;
    change.path = path;
    change.target = target_of(path);
    refuse_outside(project, change.target);
    change.before = read_target(change.target);
    change.after = edit(change.before);
    return change;
  } catch (const Error& error) {
    throw Error(error.code(), path.string() + ": " + error.what() + ". This file was not changed");
  }
}

std::string name_of(const FileChange& change) {
  const std::string name = change.path.string();
  return change.target == std::filesystem::absolute(change.path)
             ? name
             : name + " (it leads to " + change.target.string() + ")";
}

std::string shown(const FileChange& change) {
  constexpr std::size_t kAround = 2;
  const std::vector<std::string> before = lines_of(change.before);
  const std::vector<std::string> after = lines_of(change.after);
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t first = 0;
  while (first < shorter && before[first] == after[first]) {
    ++first;
  }
  std::size_t same = 0;
  while (same < shorter - first && before[before.size() - 1 - same] == after[after.size() - 1 - same]) {
    ++same;
  }
  std::string text;
  const auto add = [&text](const char* mark, const std::vector<std::string>& lines, std::size_t from,
                           std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      text += mark + lines[i] + "\n";
    }
  };
  add("  ", before, first - std::min(first, kAround), first);
  add("- ", before, first, before.size() - same);
  add("+ ", after, first, after.size() - same);
  add("  ", before, before.size() - same, before.size() - same + std::min(same, kAround));
  return text;
}

std::filesystem::path carry_out(const FileChange& change, const std::filesystem::path& copies) {
  const std::filesystem::path& target = change.target;
  refuse_read_only(change.path, target);
  refuse_read_only(change.path, nearest_directory_of(target));
  if (target_of(change.path) != target || read_target(target) != change.before) {
    throw Error(ErrorCode::io, target.string() + " was changed by another program meanwhile; try again");
  }
  std::filesystem::path copy;
  if (change.before) {
    copy = keep_copy(target, *change.before, copies);
  }
  if (change.after) {
    write_target(target, change);
  } else if (::unlink(target.c_str()) != 0) {
    throw io_error("cannot remove " + target.string(), errno);
  }
  return copy;
}

}  // namespace terminally
