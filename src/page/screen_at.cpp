#include "page/screen_at.hpp"

#include <utility>

#include "page/wire.hpp"

namespace terminally {
namespace {

/// While output comes, no moment is the same in tmux and in the log: then a few are tried.
constexpr int kTries = 3;
constexpr Milliseconds kQuiet{20};

}  // namespace

std::string drawn(const TabScreen& screen) {
  std::string ansi = screen.alternate_screen ? "\x1b[?1049h" : "";
  ansi += "\x1b[0m\x1b[H\x1b[2J";
  for (const char c : screen.text) {
    ansi += c == '\n' ? "\r\n" : std::string(1, c);
  }
  ansi += "\x1b[0m\x1b[" + std::to_string(screen.cursor_row + 1) + ";" +
          std::to_string(screen.cursor_col + 1) + "H";
  return ansi;
}

Awaitable<ScreenAt> screen_at(InstanceFeed& feed, WindowId window, std::shared_ptr<const Secrets> hidden) {
  const PaneLog log = feed.board().tab(window).log;
  ScreenAt result;
  TabScreen screen;
  for (int tries = 0; tries < kTries; ++tries) {
    ReadScreen request;
    request.window_id = window;
    request.strip_ansi = false;
    if (hidden) {
      request.guard = std::make_shared<TextGuard>(hidden);
    }
    result.at = log.end();
    screen = co_await feed.manager().output().read_screen(std::move(request));
    co_await sleep_for(kQuiet);  // tmux passes on to the log what it has drawn
    if (log.end() == result.at) {
      break;
    }
  }
  nlohmann::json message;
  message["t"] = "screen";
  message["at"] = result.at;
  message["cols"] = screen.cols;
  message["rows"] = screen.rows;
  message["alternate"] = screen.alternate_screen;
  message["cursor"] = {{"row", screen.cursor_row}, {"col", screen.cursor_col}};
  message["ansi"] = drawn(screen);
  result.message = std::move(message);
  co_return result;
}

}  // namespace terminally
