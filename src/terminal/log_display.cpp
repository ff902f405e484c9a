// Shows a log on stdout: filters what a terminal would act on, and leaves the terminal as it was.
#include "terminal/log_display.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

#include "terminal/print.hpp"

namespace terminally {
namespace {

constexpr int kRowsAtMost = 1'000;  // for a terminal that does not tell its size

}  // namespace

LogDisplay::LogDisplay() {
  if (::isatty(STDOUT_FILENO) != 0) {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    screen_.emplace(known ? size.ws_row : kRowsAtMost);
  }
}

LogDisplay::~LogDisplay() {
  try {
    std::string rest;
    filter_.finish(rest);
    if (screen_) {
      std::string drawn;
      screen_->feed(rest, drawn);
      screen_->finish(drawn);
      rest = std::move(drawn);
    }
    print(rest);
  } catch (...) {  // NOLINT(bugprone-empty-catch): the terminal is gone
  }
}

void LogDisplay::show(std::string_view bytes) {
  std::string text;
  filter_.feed(bytes, text);
  if (screen_) {
    std::string drawn;
    screen_->feed(text, drawn);
    text = std::move(drawn);
  }
  print(text);
}

}  // namespace terminally
