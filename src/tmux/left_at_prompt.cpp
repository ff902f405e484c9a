#include "tmux/left_at_prompt.hpp"

#include <algorithm>
#include <boost/asio.hpp>

#include "base/error.hpp"
#include "tmux/awaiting_input.hpp"
#include "tmux/foreground.hpp"
#include "tmux/proc.hpp"
#include "tmux/prompt.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// A prompt that nothing was added to for so long is whole.
constexpr Milliseconds kQuiet{100};

/// The row of the cursor. Without its digits: they may be a clock.
std::string row_at(const Tab& tab) {
  std::string row = unfinished_line(tab.log, tab.cols);
  std::replace_if(row.begin(), row.end(), [](char c) { return c >= '0' && c <= '9'; }, '0');
  return row;
}

bool shows_prompt(const Tab& tab, const Foreground& foreground) {
  return (foreground.kind == Foreground::Kind::shell || foreground.kind == Foreground::Kind::nested) &&
         prompt_state(foreground, tab.tty) == Prompt::ready;
}

}  // namespace

asio::awaitable<void> remember_prompt(std::shared_ptr<Tab> tab, std::uint64_t turn) {
  const auto give_up_at = Clock::now() + kPromptAfterCommand;
  std::uint64_t seen = UINT64_MAX;
  while (Clock::now() < give_up_at) {
    co_await sleep_for(kQuiet);
    if (tab->closed || !is_alive(tab->pane_pid) || tab->prompt_turn != turn) {
      co_return;
    }
    try {
      const std::uint64_t end = tab->log.end();
      const Foreground foreground = look_at_foreground(tab->pane_pid);
      if (end == seen && shows_prompt(*tab, foreground)) {
        tab->prompt = Tab::ShownPrompt{end, row_at(*tab), process_cwd(foreground.pid)};
        co_return;
      }
      seen = end;
    } catch (const Error&) {  // a log that cannot be read
      co_return;
    }
  }
}

bool is_something_left(const Tab& tab, const Foreground& foreground) {
  if (!tab.prompt || tab.log.end() == tab.prompt->log_end || !shows_prompt(tab, foreground) ||
      process_cwd(foreground.pid) != tab.prompt->cwd) {
    return false;
  }
  const std::string last = tab.log.read(tab.log.end() - 1, 1).bytes;
  return last != "\n" && row_at(tab) != tab.prompt->row;
}

}  // namespace terminally
