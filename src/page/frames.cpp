#include "page/frames.hpp"

#include <cstddef>

#include "page/flow.hpp"

namespace terminally {
namespace {

constexpr char kLogFrame = 1;

/// The low byte first.
void append_number(std::string& out, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    out += static_cast<char>(number >> (8 * i) & 0xFFU);
  }
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return number;
}

}  // namespace

std::string log_frame(FrameFlags flags, std::uint16_t channel, std::uint64_t offset, std::string_view bytes) {
  std::string frame;
  frame.reserve(kFrameHeaderBytes + bytes.size());
  frame += kLogFrame;
  append_number(frame, (flags.is_current ? 1U : 0U) | (flags.is_last ? 2U : 0U), 1);
  append_number(frame, channel, 2);
  append_number(frame, 0, 4);
  append_number(frame, offset, 8);
  frame += bytes;
  return frame;
}

std::optional<LogFrame> read_log_frame(std::string_view frame) {
  if (frame.size() < kFrameHeaderBytes || frame.size() > kFrameHeaderBytes + Flow::kFrame ||
      frame.front() != kLogFrame) {
    return std::nullopt;
  }
  const std::uint64_t flags = number_at(frame, 1, 1);
  LogFrame read;
  read.flags.is_current = (flags & 1U) != 0;
  read.flags.is_last = (flags & 2U) != 0;
  read.channel = static_cast<std::uint16_t>(number_at(frame, 2, 2));
  read.offset = number_at(frame, 8, 8);
  read.bytes = frame.substr(kFrameHeaderBytes);
  return read;
}

}  // namespace terminally
