// Lists a directory, and keeps no more names than were asked for.
#include "files/file_listing.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <set>

#include "base/digests.hpp"
#include "base/error.hpp"
#include "base/worker.hpp"
#include "files/open_file.hpp"

namespace terminally {
namespace {

struct ClosesDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

constexpr std::string_view kCursorBegins = "sha256:";

/// Calls `use` with each name of a directory until it returns false.
template <class Use>
void each_name(DIR* directory, const std::string& said, const Use& use) {
  ::rewinddir(directory);
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(directory);  // NOLINT(concurrency-mt-unsafe): nobody else has this stream
    if (entry == nullptr) {
      if (errno != 0) {
        throw file_error(said, errno);
      }
      return;
    }
    throw_if_abandoned();
    std::string name = entry->d_name;
    if (name != "." && name != ".." && !use(std::move(name))) {
      return;
    }
  }
}

/// The name that `after` gives. Throws where it is a cursor whose name is gone: names would be lost.
std::string name_of(DIR* directory, const std::string& after, const std::string& said) {
  const std::string_view hash = std::string_view(after).substr(std::min(after.size(), kCursorBegins.size()));
  if (!after.starts_with(kCursorBegins) || !is_sha256(hash)) {
    return after;
  }
  std::string found;
  each_name(directory, said, [&](std::string name) {
    const bool is_other = sha256_hex(name) != hash;
    found = is_other ? "" : std::move(name);
    return is_other;
  });
  if (found.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "after: the entry that it stands for is gone; give the name of an entry, or list from the "
                "beginning");
  }
  return found;
}

/// The first `most` names after `after`.
std::set<std::string> names_behind(DIR* directory, const std::string& after, std::size_t most,
                                   const std::string& said) {
  std::set<std::string> names;
  each_name(directory, said, [&](std::string name) {
    if (name > after && (names.size() < most || name < *names.rbegin())) {
      names.insert(std::move(name));
    }
    if (names.size() > most) {
      names.erase(std::prev(names.end()));
    }
    return true;
  });
  return names;
}

}  // namespace

std::string_view file_type(const struct stat& info) {
  switch (info.st_mode & static_cast<mode_t>(S_IFMT)) {
    case S_IFREG:
      return "file";
    case S_IFDIR:
      return "directory";
    case S_IFLNK:
      return "symlink";
    case S_IFIFO:
      return "fifo";
    case S_IFSOCK:
      return "socket";
    default:
      return "device";
  }
}

std::int64_t mtime_ms_of(const struct stat& info) {
  return std::int64_t{info.st_mtim.tv_sec} * 1'000 + info.st_mtim.tv_nsec / 1'000'000;
}

std::string octal_mode(unsigned mode) {
  char text[16];
  std::snprintf(text, sizeof text, "%04o", mode);
  return text;
}

std::string list_cursor(const std::string& name) {
  return std::string(kCursorBegins) + sha256_hex(name);
}

FileList list_entries(const FilePlaceInRoot& place, const ListFiles& request) {
  UniqueFd opened = open_directory(place);
  const std::unique_ptr<DIR, ClosesDirectory> directory(::fdopendir(opened.get()));
  if (!directory) {
    throw file_error(place.said, errno);
  }
  static_cast<void>(opened.release());
  std::set<std::string> names =
      names_behind(directory.get(), name_of(directory.get(), request.after, place.said),
                   request.max_entries + 1, place.said);
  FileList list;
  list.directory = place.absolute;
  list.truncated = names.size() > request.max_entries;
  if (list.truncated) {
    names.erase(std::prev(names.end()));
  }
  for (const std::string& name : names) {
    throw_if_abandoned();
    list.last = name;
    struct stat info{};
    if (::fstatat(::dirfd(directory.get()), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) {  // else it went meanwhile
        list.not_seen = errno;
        list.entries.push_back({name, kUnknownType});
      }
      continue;
    }
    list.entries.push_back({name, file_type(info), static_cast<std::uint64_t>(info.st_size),
                            static_cast<unsigned>(info.st_mode & 07777U), mtime_ms_of(info)});
  }
  return list;
}

}  // namespace terminally
