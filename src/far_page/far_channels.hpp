#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace terminally {

/// The channels of a page that one host fills. The host knows each by a number of ours, another for each
/// watch: what is on its way for an earlier one is of none. Pure.
class FarChannels {
 public:
  static constexpr std::size_t kMost = 64;

  struct Channel {
    std::string tab;  ///< as the host names it
    /// Where a next link goes on: the page's word, or the byte behind the last that came.
    nlohmann::json from;
    std::uint16_t there = 0;  ///< its number there; 0: none yet
  };
  using All = std::map<std::uint16_t, Channel>;

  [[nodiscard]] const All& all() const { return all_; }
  [[nodiscard]] bool has(std::uint16_t channel) const { return all_.contains(channel); }
  [[nodiscard]] bool is_watched(const std::string& tab) const;

  /// In place of what it was before. Throws Error(busy) where the page has too many.
  void open(std::uint16_t channel, const std::string& tab, nlohmann::json from);
  void close(std::uint16_t channel) { all_.erase(channel); }
  /// It is to be watched (anew). It is open.
  const Channel& number_anew(std::uint16_t channel);
  /// The channel that has this number there; null: none has.
  [[nodiscard]] All::value_type* by_number(std::uint64_t there);

 private:
  All all_;
  std::uint16_t last_ = 0;
};

}  // namespace terminally
