#include "page/flow.hpp"

#include <algorithm>

namespace terminally {

std::size_t Flow::room() const {
  const std::uint64_t left = kWindow - std::min(kWindow, in_flight_);
  return static_cast<std::size_t>(std::min<std::uint64_t>(left, kFrame));
}

void Flow::sent(std::uint64_t from, std::size_t bytes) {
  if (bytes == 0) {
    return;
  }
  if (!runs_.empty() && runs_.back().end == from) {
    runs_.back().end += bytes;
  } else {
    runs_.push_back({from, from + bytes});
  }
  in_flight_ += bytes;
}

void Flow::acknowledge(std::uint64_t to) {
  while (!runs_.empty() && runs_.front().begin < to) {
    Run& first = runs_.front();
    const std::uint64_t end = std::min(first.end, to);
    in_flight_ -= end - first.begin;
    first.begin = end;
    if (first.begin < first.end) {
      return;
    }
    runs_.pop_front();
  }
}

}  // namespace terminally
