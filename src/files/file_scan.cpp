// Reads a file in slices of 1 MiB, hashes it, and keeps the range that was asked for.
#include "files/file_scan.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/utf8.hpp"

namespace terminally {
namespace {

constexpr std::uint64_t kSlice = std::uint64_t{1} << 20U;

}  // namespace

std::string read_range(const OpenFile& file, std::uint64_t offset, std::uint64_t most,
                       const std::string& said) {
  std::string bytes(most, '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t count =
        ::pread(file.fd.get(), bytes.data() + got, bytes.size() - got, static_cast<off_t>(offset + got));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      throw file_error(said, errno);
    }
    if (count == 0) {
      break;
    }
    got += static_cast<std::size_t>(count);
  }
  bytes.resize(got);
  return bytes;
}

bool FileScan::step() {
  const std::string slice = read_range(file_, at_, kSlice, said_);
  sum_.update(slice);
  const std::uint64_t begin = std::max(at_, keep_from_);
  const std::uint64_t end = std::min(at_ + slice.size(), keep_from_ + keep_bytes_);
  if (begin < end) {
    kept_.append(slice, begin - at_, end - begin);
  }
  at_ += slice.size();
  return slice.size() == kSlice;
}

std::string text_of(std::string bytes, std::uint64_t offset, bool goes_on) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    at += ascii_prefix(std::string_view(bytes).substr(at));
    if (at == bytes.size()) {
      break;
    }
    const Utf8Part part = first_utf8_part(std::string_view(bytes).substr(at));
    if (part.kind == Utf8Kind::incomplete && goes_on && at > 0) {
      bytes.resize(at);
      break;
    }
    if (part.kind != Utf8Kind::valid) {
      throw Error(ErrorCode::invalid_argument,
                  "encoding: byte " + std::to_string(offset + at) +
                      " of the file is no UTF-8; encoding: \"base64\" gives the exact bytes");
    }
    at += part.bytes;
  }
  return bytes;
}

}  // namespace terminally
