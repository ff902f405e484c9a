// Lists, reads and writes files on a worker thread, each call within a time limit.
#include "files/file_access.hpp"

#include <algorithm>
#include <utility>

#include "base/digests.hpp"
#include "base/error.hpp"
#include "files/file_listing.hpp"
#include "files/file_scan.hpp"
#include "files/file_uri.hpp"

namespace terminally {
namespace {

/// How long a write waits for a lock that another program has on the file: with expected_sha256, then it
/// fails; without, then it goes on, because the lock may be held for hours (`flock file make`). For a writer
/// of ours it waits without a limit of its own.
constexpr Milliseconds kWaitsForLock{10'000};
constexpr Milliseconds kWouldLikeLock{1'000};
constexpr Milliseconds kBetweenTries{5};
/// How long a read waits for the writes of its path that came before it.
constexpr Milliseconds kReadWaits{3'000};
/// A write waits as long as its call does.
constexpr Milliseconds kForEver = std::chrono::hours(24);
/// The cost of one step of long work, in bytes: less than any whole piece of work.
constexpr std::uint64_t kStepCost = 1;
/// What all calls do first, and so in the order in which they came.
constexpr std::uint64_t kFirst = 0;

FilePart known_of(const OpenFile& file) {
  FilePart part;
  part.size = static_cast<std::uint64_t>(file.info.st_size);
  part.mode = file.info.st_mode & 07777U;
  part.mtime_ms = mtime_ms_of(file.info);
  return part;
}

/// The name that `after` gives: a name, a cursor, or the URI of an entry; a directory's may end in a slash.
std::string name_behind(std::string after) {
  after.erase(after.find_last_not_of('/') + 1);
  if (!is_file_uri(after)) {
    return after;
  }
  const std::string path = path_of_file_uri(after).value_or("");
  return path.substr(path.rfind('/') + 1);
}

/// What a write that timed out has done.
std::string state_after(const WriteFile& request) {
  if (!request.piece || request.piece == FilePiece::last) {
    return "; the write may still complete: read the file before you repeat it";
  }
  return request.content.empty() ? "" : "; nothing of this part is kept: send it again";
}

Error not_that_whole(const WriteFile& request) {
  return {ErrorCode::invalid_argument,
          "sha256: what was written to \"" + request.path +
              "\" hashes to something else: its source changed meanwhile, or another call wrote parts of it; "
              "nothing was replaced. Send all of it again"};
}

}  // namespace

FileAccess::FileAccess(FileRoots roots, Milliseconds patience)
    : roots_(std::move(roots)), patience_(patience) {}

Awaitable<bool> FileAccess::beside(Clock::time_point by, std::uint64_t bytes, std::function<void()> work) {
  Awaitable<void> done = contents_.run(bytes, std::move(work));
  co_return co_await run_until(by, std::move(done));
}

Awaitable<void> FileAccess::give_time(std::string said, Awaitable<void> work) {
  const bool in_time = co_await run_until(ends_by(), std::move(work));  // not in an if: CONTRIBUTING.md
  if (!in_time) {
    throw timed_out(said, "");
  }
}

Error FileAccess::timed_out(const std::string& said, const std::string& and_so) const {
  return {ErrorCode::io, "path: \"" + said + "\": timed out after " + std::to_string(patience_.count()) +
                             " ms: the file system hangs or the file is very large" + and_so};
}

Awaitable<FileList> FileAccess::list(ListFiles request) {
  FilePlaceInRoot place = roots_.find(request.path);
  const auto list = std::make_shared<FileList>();
  std::string said = request.path;
  request.after = name_behind(request.after);
  Awaitable<void> work = do_list(std::move(place), std::move(request), list);
  co_await give_time(std::move(said), std::move(work));
  co_return std::move(*list);
}

Awaitable<void> FileAccess::do_list(FilePlaceInRoot place, ListFiles request,
                                    std::shared_ptr<FileList> list) {
  std::function<void()> work = [place = std::move(place), request = std::move(request), list] {
    *list = list_entries(place, request);
  };
  co_await worker_.run(kStepCost, std::move(work));
}

Awaitable<bool> FileAccess::is_directory(std::string path) {
  ListFiles request;
  request.path = std::move(path);
  request.max_entries = 1;
  try {
    static_cast<void>(co_await list(std::move(request)));
  } catch (const Error&) {
    co_return false;
  }
  co_return true;
}

Awaitable<FilePart> FileAccess::read(ReadFile request) {
  FilePlaceInRoot place = roots_.find(request.path);
  const auto part = std::make_shared<FilePart>();
  std::string said = request.path;
  Awaitable<void> work = do_read(std::move(place), std::move(request), part);
  co_await give_time(std::move(said), std::move(work));
  co_return std::move(*part);
}

Awaitable<void> FileAccess::do_read(FilePlaceInRoot place, ReadFile request, std::shared_ptr<FilePart> part) {
  const auto file = worker_.own<OpenFile>();
  std::function<void()> open = [place, file] { *file = open_file_to_read(place); };
  {
    std::string name = co_await name_of(place);
    const Turns turns = co_await turns_by(std::move(name), place.one_for_all, kReadWaits);
    co_await worker_.run(kStepCost, std::move(open));
  }
  *part = known_of(*file);
  part->path = place.absolute;
  if (request.lines) {
    const auto search = std::make_shared<LineSearch>(file, *request.lines, request.max_bytes, place.said);
    co_await step_to_end(search);
    request.offset = search->begin();
    part->lines_end = search->end();
    request.max_bytes = std::min(request.max_bytes, search->end() - search->begin());
  }
  part->offset = request.offset;
  if (part->size <= kHashedAtEachRead || request.max_bytes == 0) {
    const auto scan = worker_.own<FileScan>(std::move(*file), place.said, request.offset, request.max_bytes);
    co_await step_to_end(scan);
    part->size = scan->size();
    part->sha256 = scan->sha256();
    part->content = scan->kept();
  } else {
    std::function<void()> read = [file, request, part, said = place.said] {
      part->content = read_range(*file, request.offset, request.max_bytes, said);
    };
    co_await worker_.run(kStepCost, std::move(read));
  }
  const std::uint64_t read_to = request.offset + part->content.size();
  if (request.text) {
    part->content = text_of(std::move(part->content), request.offset, read_to < part->size);
  }
  part->next_offset = request.offset + part->content.size();
  part->eof = part->next_offset >= part->size;
}

Awaitable<WrittenFile> FileAccess::write(WriteFile request) {
  FilePlaceInRoot place = roots_.find(request.path);
  const auto result = std::make_shared<std::optional<WrittenFile>>();
  const std::string said = request.path;
  const std::string state = state_after(request);
  Awaitable<void> work = write_in_turn(std::move(place), std::move(request), result);
  static_cast<void>(co_await run_until(ends_by(), std::move(work)));
  if (!*result) {  // it may have been done in the moment in which its time was over
    throw timed_out(said, state);
  }
  co_return std::move(**result);
}

/// A directory that cannot be reached, or is yet to be made, leaves the path alone.
Awaitable<std::string> FileAccess::name_of(FilePlaceInRoot place) {
  const auto name = std::make_shared<std::string>();
  std::function<void()> look = [place, name] { *name = name_by_every_path(place); };
  co_await worker_.run(kFirst, std::move(look));
  co_return name->empty() ? place.one_for_all : *name;
}

/// The turn of the name is the first: who has that of a path waits for no other, and so nobody waits for
/// ever.
Awaitable<FileAccess::Turns> FileAccess::turns_by(std::string name, std::string path, Milliseconds patience) {
  const auto by = Clock::now() + patience;
  Turns turns;
  if (name != path) {
    auto turn = co_await turns_.lock_by(name, by);
    turns.of_name = std::move(turn.guard);
  }
  auto turn = co_await turns_.lock_by(path, by);
  turns.of_path = std::move(turn.guard);
  co_return turns;
}

/// In the order in which the calls of one file came. While a part is missing, because it failed, no other
/// part takes its place, were it sent before the failure was known or after it.
Awaitable<void> FileAccess::write_in_turn(FilePlaceInRoot place, WriteFile request,
                                          std::shared_ptr<std::optional<WrittenFile>> result) {
  std::string path = place.one_for_all;
  const std::uint64_t failed_before = failures_;
  const bool is_part = request.piece && !request.content.empty();
  const std::size_t hash = is_part ? std::hash<std::string>()(request.content) : 0;
  Turns turns;
  try {
    path = co_await name_of(place);
    turns = co_await turns_by(path, place.one_for_all, kForEver);
  } catch (...) {  // given up: a part that has not had its turn is missing as well
    if (is_part) {
      missing_parts_[path] = {++failures_, hash};
    }
    throw;
  }
  take_over(place.one_for_all, path);
  const auto missing = missing_parts_.find(path);
  if (request.piece == FilePiece::first) {
    missing_parts_.erase(path);
  } else if (missing != missing_parts_.end() && (request.piece == FilePiece::last || is_part) &&
             (missing->second.failure > failed_before || missing->second.hash != hash)) {
    throw Error(ErrorCode::invalid_argument,
                "part: an earlier part failed and is missing; nothing of this one was kept. Send that part "
                "again, or begin with part \"first\"");
  }
  gather_terms(path, request);
  const auto known = parts_.find(path);
  const auto written = std::make_shared<WrittenFile>();
  written->path = place.absolute;
  auto fresh = worker_.own<FreshFile>(
      std::move(place), request,
      request.piece && known != parts_.end() ? std::optional(known->second) : std::nullopt);
  const bool ends_here = request.piece && request.piece != FilePiece::last;
  written->bytes_written = request.content.size();
  std::exception_ptr failure;
  try {
    co_await do_write(fresh, request, written);
  } catch (...) {
    failure = std::current_exception();
  }
  if (!failure || !fresh->abandon()) {
    failure = nullptr;
    note_parts(path, request, fresh->part());
    written->part_bytes = fresh->part() ? fresh->part()->bytes : 0;
    written->part_path = ends_here ? fresh->part_path() : "";
    written->notes = fresh->notes();
    *result = *written;
  }
  if (failure && is_part && fresh->has_parts()) {
    missing_parts_[path] = {++failures_, hash};
  } else if (!failure && is_part) {
    missing_parts_.erase(path);
  }
  fresh.reset();
  co_await worker_.run(kStepCost, [] {});  // nothing is open, and nothing is left, before the turn is over
  if (failure) {
    std::rethrow_exception(failure);
  }
}

/// What is known of a file by its path, from when its name could not be told, counts for its name.
void FileAccess::take_over(const std::string& path, const std::string& name) {
  if (path == name) {
    return;
  }
  const auto move = [&](auto& by_name) {
    if (auto known = by_name.extract(path)) {
      by_name.insert_or_assign(name, std::move(known.mapped()));
    }
  };
  move(missing_parts_);
  move(parts_);
  move(terms_);
}

/// The first part begins anew; what is given last counts.
void FileAccess::gather_terms(const std::string& path, WriteFile& request) {
  if (request.piece == FilePiece::first) {
    terms_.erase(path);
  }
  if (request.piece && (request.mode || !request.expected_sha256.empty() || !request.sha256.empty())) {
    PartTerms& terms = terms_[path];
    terms.mode = request.mode ? request.mode : terms.mode;
    terms.expected_sha256 = request.expected_sha256.empty() ? terms.expected_sha256 : request.expected_sha256;
    terms.sha256 = request.sha256.empty() ? terms.sha256 : request.sha256;
  }
  const auto given = terms_.find(path);
  if (request.piece == FilePiece::last && given != terms_.end()) {
    request.mode = given->second.mode;
    request.expected_sha256 = given->second.expected_sha256;
    request.sha256 = given->second.sha256;
  }
}

/// Asking takes parts for ours where we know of none; parts that others wrote after ours stay theirs.
void FileAccess::note_parts(const std::string& path, const WriteFile& request,
                            const std::optional<PartFile>& part) {
  if (request.piece == FilePiece::last) {
    parts_.erase(path);
    terms_.erase(path);
  } else if (request.piece && part) {
    const bool only_asks = request.piece == FilePiece::next && request.content.empty();
    only_asks ? parts_.try_emplace(path, *part) : parts_.insert_or_assign(path, *part);
  }
}

Awaitable<void> FileAccess::do_write(std::shared_ptr<FreshFile> fresh, WriteFile request,
                                     std::shared_ptr<WrittenFile> written) {
  std::function<void()> write = [fresh, written, whole = !request.piece, content = request.content] {
    fresh->write();
    if (whole) {
      written->sha256 = sha256_hex(content);
    }
  };
  co_await worker_.run(request.content.size(), std::move(write));
  if (request.piece) {
    if (request.piece != FilePiece::last) {
      co_return;
    }
    if (fresh->part()->bytes <= kHashedAtEachRead || !request.sha256.empty()) {
      const auto whole = worker_.own<FileScan>(fresh->scan());
      co_await step_to_end(whole);
      written->sha256 = whole->sha256();
    }
  }
  if (!request.sha256.empty() && written->sha256 != request.sha256) {
    throw not_that_whole(request);
  }
  const auto placed = std::make_shared<bool>(false);
  while (!*placed) {
    co_await replace(fresh, !request.expected_sha256.empty(), placed);
  }
}

/// One try: where the name was free and is taken meanwhile, there is a file to be locked and compared.
Awaitable<void> FileAccess::replace(std::shared_ptr<FreshFile> fresh, bool compares,
                                    std::shared_ptr<bool> placed) {
  co_await lock(fresh, compares);
  const auto old = worker_.own<std::optional<FileScan>>();
  std::function<void()> look = [fresh, old] { *old = fresh->replaced(); };
  co_await worker_.run(kStepCost, std::move(look));
  std::string there;
  if (*old) {
    const auto scan = worker_.own<FileScan>(std::move(**old));
    co_await step_to_end(scan);
    there = scan->sha256();
  }
  std::function<void()> put = [fresh, there, placed] {
    fresh->compare(there);
    *placed = fresh->put_in_place();
  };
  co_await worker_.run(kStepCost, std::move(put));
}

/// Works in steps, so that others get their turn on the thread.
template <class Steps>
Awaitable<void> FileAccess::step_to_end(std::shared_ptr<Steps> work) {
  const auto more = std::make_shared<bool>(true);
  while (*more) {
    std::function<void()> step = [work, more] { *more = work->step(); };
    co_await worker_.run(kStepCost, std::move(step));
  }
}

/// Tries the lock again and again: waiting for it would block the thread for all others.
Awaitable<void> FileAccess::lock(std::shared_ptr<FreshFile> fresh, bool must) {
  Clock::time_point give_up = Clock::now() + (must ? kWaitsForLock : kWouldLikeLock);
  const auto got = std::make_shared<FreshFile::Lock>(FreshFile::Lock::of_others);
  for (;;) {
    std::function<void()> attempt = [fresh, got] { *got = fresh->try_lock(); };
    co_await worker_.run(kStepCost, std::move(attempt));
    if (*got == FreshFile::Lock::none && must) {
      throw Error(ErrorCode::io, "expected_sha256: the file's file system has no locks; nothing was written");
    }
    if (*got == FreshFile::Lock::held || *got == FreshFile::Lock::none) {
      co_return;
    }
    if (*got == FreshFile::Lock::of_ours) {
      give_up = Clock::now() + (must ? kWaitsForLock : kWouldLikeLock);
    } else if (Clock::now() >= give_up) {
      if (must) {
        throw Error(ErrorCode::busy,
                    "expected_sha256: another program holds a lock on the file for over 10 s; nothing was "
                    "written");
      }
      co_return;
    }
    co_await sleep_for(kBetweenTries);
  }
}

}  // namespace terminally
