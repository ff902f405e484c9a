// Copies a file in parts of 1 MiB from one place to another, and checks the hash at the end.
#include "files/copy_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace terminally {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20U;

ReadFile asked(const std::string& path, std::uint64_t offset, std::uint64_t most) {
  ReadFile request;
  request.path = path;
  request.offset = offset;
  request.max_bytes = most;
  return request;
}

WriteFile piece(const std::string& path, FilePiece which, std::string content) {
  WriteFile request;
  request.path = path;
  request.piece = which;
  request.content = std::move(content);
  return request;
}

/// Copies the parts from `at` on. Stops early when another copy writes parts to the destination, too.
Awaitable<void> fill_parts(const CopyFile& copy, std::uint64_t size, std::uint64_t at) {
  WriteFile none = piece(copy.to_path, at == 0 ? FilePiece::first : FilePiece::next, "");
  WrittenFile written = co_await copy.to.write(std::move(none));
  while (at < size && written.part_bytes == at) {
    ReadFile request = asked(copy.from_path, at, std::min(kPieceBytes, size - at));
    FilePart part = co_await copy.from.read(std::move(request));
    if (part.content.empty()) {
      throw Error(ErrorCode::io, copy.from_path + " became shorter while it was copied; copy it again");
    }
    at += part.content.size();
    WriteFile next = piece(copy.to_path, FilePiece::next, std::move(part.content));
    written = co_await copy.to.write(std::move(next));
    if (copy.on_progress) {
      copy.on_progress(at, size);
    }
  }
}

/// The mode of the copy: the source's, which lets nobody read or write who could not at the destination.
Awaitable<unsigned> mode_of_copy(const CopyFile& copy, unsigned source) {
  constexpr unsigned kOthersReadOrWrite = 0066;
  ReadFile request = asked(copy.to_path, 0, 1);
  try {
    const FilePart there = co_await copy.to.read(std::move(request));
    co_return source&(there.mode | ~kOthersReadOrWrite) & 0777U;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found) {
      throw;
    }
  }
  co_return source & 0777U & ~copy.umask;
}

}  // namespace

unsigned current_umask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

Awaitable<CopiedFile> copy_file(CopyFile copy) {
  const bool into = co_await copy.to.is_directory(copy.to_path);
  if (!into && copy.to_path.ends_with('/')) {
    throw Error(ErrorCode::invalid_argument, "there is no directory " + copy.to_path);
  }
  if (into) {
    copy.to_path += "/" + copy.from_path.substr(copy.from_path.rfind('/') + 1);
  }
  ReadFile whole = asked(copy.from_path, 0, 0);
  const FilePart source = co_await copy.from.read(std::move(whole));
  WriteFile nothing = piece(copy.to_path, FilePiece::next, "");
  const WrittenFile before = co_await copy.to.write(std::move(nothing));
  CopiedFile copied{copy.to_path, source.size, before.part_bytes <= source.size ? before.part_bytes : 0, {}};
  const unsigned mode = co_await mode_of_copy(copy, source.mode);
  for (;;) {
    WriteFile last = piece(copy.to_path, FilePiece::last, "");
    last.mode = mode;
    last.sha256 = source.sha256.value_or("");
    try {
      co_await fill_parts(copy, source.size, copied.resumed_at);
      WrittenFile written = co_await copy.to.write(std::move(last));
      copied.notes = std::move(written.notes);
      co_return copied;
    } catch (const Error& error) {
      if (copied.resumed_at == 0 || error.code() != ErrorCode::invalid_argument) {
        throw;
      }
    }
    copied.resumed_at = 0;  // the parts were of another file
  }
}

}  // namespace terminally
