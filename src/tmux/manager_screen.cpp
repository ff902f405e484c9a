// What a person sees in a tab now.

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "tmux/manager_impl.hpp"

namespace terminally {

TmuxManager::Awaitable<std::string> TmuxManager::Impl::screen_text(WindowId window) {
  const TabPtr tab = co_await open_tab(window);
  Argv command;
  for (const std::string& word :
       {std::string("capture-pane"), std::string("-p"), std::string("-t"), to_string(tab->pane)}) {
    command.push_back(word);
  }
  std::string screen;
  bool gone = false;
  try {
    screen = co_await client_.query(std::move(command));
  } catch (const Error& error) {
    gone = error.code() == ErrorCode::not_found;
    if (!gone) {
      throw;
    }
  }
  if (gone) {
    throw Error(ErrorCode::tab_closed, "window_id: tab " + to_string(window) + " is closed");
  }
  co_return to_valid_utf8(screen);
}

}  // namespace terminally
