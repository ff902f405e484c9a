#include "far_page/far_channels.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace terminally {

bool FarChannels::is_watched(const std::string& tab) const {
  return std::ranges::any_of(all_, [&](const auto& one) { return one.second.tab == tab; });
}

void FarChannels::open(std::uint16_t channel, const std::string& tab, nlohmann::json from) {
  if (!has(channel) && all_.size() >= kMost) {
    throw Error(ErrorCode::busy, "a page watches " + std::to_string(kMost) + " tabs at most");
  }
  all_[channel] = {tab, std::move(from)};
}

const FarChannels::Channel& FarChannels::number_anew(std::uint16_t channel) {
  do {
    ++last_;
  } while (last_ == 0 || by_number(last_) != nullptr);
  Channel& watched = all_.at(channel);
  watched.there = last_;
  return watched;
}

FarChannels::All::value_type* FarChannels::by_number(std::uint64_t there) {
  const auto found =
      std::ranges::find_if(all_, [&](const auto& one) { return there != 0 && one.second.there == there; });
  return found == all_.end() ? nullptr : &*found;
}

}  // namespace terminally
