#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>

#include "page/instance_feed.hpp"
#include "secrets/secrets.hpp"

namespace terminally {

/// What a tab shows, as text and sequences that draw it on a new terminal, and from which byte of the log on
/// the rest of the output goes there. Bytes that came while tmux was asked may be in both.
struct ScreenAt {
  std::uint64_t at = 0;
  nlohmann::json message;  ///< `screen`, without the channel
};

/// `hidden`: masked in it; null: nothing is. Throws Error where tmux does not say.
[[nodiscard]] Awaitable<ScreenAt> screen_at(InstanceFeed& feed, WindowId window,
                                            std::shared_ptr<const Secrets> hidden);

/// The sequences that draw a screen.
[[nodiscard]] std::string drawn(const TabScreen& screen);

}  // namespace terminally
