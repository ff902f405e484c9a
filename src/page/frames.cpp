#include "page/frames.hpp"

#include <cstddef>

namespace terminally {
namespace {

constexpr char kLogFrame = 1;

/// The low byte first.
void append_number(std::string& out, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    out += static_cast<char>(number >> (8 * i) & 0xFFU);
  }
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

}  // namespace terminally
