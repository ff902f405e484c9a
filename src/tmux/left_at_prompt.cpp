#include "tmux/left_at_prompt.hpp"

#include <algorithm>
#include <boost/asio.hpp>

#include "base/error.hpp"
#include "tmux/awaiting_input.hpp"
#include "tmux/foreground.hpp"
#include "tmux/proc.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// A prompt that nothing was added to for so long is whole.
constexpr Milliseconds kQuiet{100};
constexpr int kLooks = 10;

/// The row of the cursor. Without its digits: they may be a clock.
std::string row_at(const Tab& tab) {
  std::string row = unfinished_line(tab.log, tab.cols);
  std::replace_if(row.begin(), row.end(), [](char c) { return c >= '0' && c <= '9'; }, '0');
  return row;
}

bool shows_prompt(const Tab& tab) {
  const Foreground foreground = look_at_foreground(tab.pane_pid);
  return foreground.kind != Foreground::Kind::program && foreground.kind != Foreground::Kind::nothing &&
         prompt_state(foreground, tab.tty) == Prompt::ready;
}

}  // namespace

asio::awaitable<void> remember_prompt(std::shared_ptr<Tab> tab, Clock::time_point ended) {
  std::uint64_t seen = UINT64_MAX;
  for (int look = 0; look < kLooks; ++look) {
    co_await sleep_for(kQuiet);
    if (tab->closed || !is_alive(tab->pane_pid) || tab->last_end != ended) {
      co_return;
    }
    try {
      const std::uint64_t end = tab->log.end();
      if (end == seen && shows_prompt(*tab)) {
        tab->prompt = Tab::ShownPrompt{end, row_at(*tab)};
        co_return;
      }
      seen = end;
    } catch (const Error&) {  // a log that cannot be read
      co_return;
    }
  }
}

bool is_something_left(const Tab& tab) {
  if (!tab.prompt || tab.log.end() == tab.prompt->log_end) {
    return false;
  }
  const std::string last = tab.log.read(tab.log.end() - 1, 1).bytes;
  return last != "\n" && row_at(tab) != tab.prompt->row;
}

}  // namespace terminally
