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

LineSearch::LineSearch(std::shared_ptr<const OpenFile> file, LineRange lines, std::uint64_t most,
                       std::string said)
    : file_(std::move(file)),
      said_(std::move(said)),
      from_end_(lines.from_end),
      to_end_(lines.count == UINT64_MAX),
      most_(most),
      skip_(lines.first - 1),
      left_(lines.count),
      at_(0),
      begin_(0),
      end_(static_cast<std::uint64_t>(file_->info.st_size)) {}

bool LineSearch::step() {
  if (!end_known_ && !finds_end()) {
    return true;
  }
  return from_end_ ? step_back() : step_forward();
}

/// A size is no length where it is 0, or its last byte is not there.
bool LineSearch::finds_end() {
  if (at_ == 0 && end_ > 0) {
    end_known_ = !read_range(*file_, end_ - 1, 1, said_).empty();
  }
  if (!end_known_) {
    const std::uint64_t got = read_range(*file_, at_, kSlice, said_).size();
    at_ += got;
    end_known_ = got < kSlice;
    end_ = at_;
  }
  at_ = !end_known_ ? at_ : from_end_ ? end_ : 0;
  return end_known_;
}

bool LineSearch::step_forward() {
  if (to_end_ && skip_ == 0) {
    return false;
  }
  const std::string slice = read_range(*file_, at_, kSlice, said_);
  for (std::size_t at = slice.find('\n'); at != std::string::npos; at = slice.find('\n', at + 1)) {
    std::uint64_t& counted = skip_ > 0 ? skip_ : left_;
    if (--counted > 0) {
      continue;
    }
    if (&counted == &left_) {
      end_ = at_ + at + 1;
      return false;
    }
    begin_ = at_ + at + 1;
    if (to_end_) {
      end_ = std::max(end_, begin_);
      return false;
    }
  }
  at_ += slice.size();
  const bool is_enough = skip_ == 0 && at_ - begin_ > most_;
  if (slice.size() == kSlice && !is_enough) {
    return true;
  }
  end_ = at_;
  begin_ = skip_ > 0 ? end_ : begin_;  // the file has fewer lines
  return false;
}

/// The end of the file's last line ends no line before it.
bool LineSearch::step_back() {
  const std::uint64_t from = at_ - std::min(at_, kSlice);
  const std::string slice = read_range(*file_, from, at_ - from, said_);
  for (std::size_t at = slice.size(); at-- > 0;) {
    if (slice[at] == '\n' && from + at + 1 != end_ && --left_ == 0) {
      begin_ = from + at + 1;
      return false;
    }
  }
  at_ = from;
  return from > 0;
}

std::string text_of(std::string bytes, std::uint64_t offset, bool goes_on) {
  if (const std::size_t nul = bytes.find('\0'); nul != std::string::npos) {
    throw Error(ErrorCode::invalid_argument,
                "encoding: byte " + std::to_string(offset + nul) +
                    " of the file is NUL: the file is binary; encoding: \"base64\" gives the exact bytes");
  }
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
