#pragma once

#include <string>
#include <string_view>

#include "tmux/requests.hpp"

namespace terminally {

/// The commands of tmux that say what a pane shows. The rows above those that were asked for come as well:
/// they decide on what is secret in the first of them.
[[nodiscard]] std::string screen_query(std::string_view pane, const ReadScreen& request);

/// What their answer says: masked, and then cut to `most_bytes` from above, by whole rows. Pure but for
/// the guard's counts, and may be called from any thread; masking does 50 MB a second.
[[nodiscard]] TabScreen read_screen_answer(std::string_view answer, const ReadScreen& request);

}  // namespace terminally
