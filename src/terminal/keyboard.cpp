#include "terminal/keyboard.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <csignal>
#include <utility>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "terminal/print.hpp"
#include "text/typed_text.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How soon we look again whether keys that are held can go: soon, then seldom.
constexpr Milliseconds kLookAgainSoon{2};
constexpr Milliseconds kLookForTaker{20};
/// How long tmux may take, once the command has ended, to say what it typed.
constexpr Milliseconds kOfferEnds{1'000};
/// How soon we look again whether we have the terminal.
constexpr Milliseconds kLookForTerminal{300};
/// Keys that are held for so long are told of.
constexpr Milliseconds kTellAfter{1'500};
/// A key of which only a part has come is whole by then, or is what has come.
constexpr Milliseconds kKeyComes{50};

bool is_readable() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) > 0;
}

bool have_terminal() {
  return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

std::string bytes_in_words(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::size_t unread_bytes() {
  int unread = 0;
  return ::ioctl(STDIN_FILENO, FIONREAD, &unread) == 0 && unread > 0 ? static_cast<std::size_t>(unread) : 0;
}

}  // namespace

bool OwnTerminal::is_there() {
  struct stat output{};
  const bool piped =
      ::fstat(STDOUT_FILENO, &output) == 0 && (S_ISFIFO(output.st_mode) || S_ISSOCK(output.st_mode));
  return ::isatty(STDIN_FILENO) != 0 && !piped;
}

bool OwnTerminal::take() {
  termios modes{};
  if (is_taken() || !have_terminal() || ::tcgetattr(STDIN_FILENO, &modes) != 0) {
    return is_taken();
  }
  const termios before = modes;
  modes.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ECHONL | IEXTEN);
  modes.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR | IXON);
  modes.c_cc[VQUIT] = _POSIX_VDISABLE;
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) == 0) {
    before_ = before;
  }
  return is_taken();
}

std::size_t OwnTerminal::give_back() {
  if (!is_taken()) {
    return 0;
  }
  const std::size_t dropped = have_terminal() ? unread_bytes() : 0;
  if (have_terminal()) {
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &*before_);
  }
  before_.reset();
  return dropped;
}

Keyboard::Keyboard(asio::io_context& io, TmuxManager& manager)
    : io_(io), manager_(manager), input_(io), timer_(io), offer_is_over_(io) {}

void Keyboard::begin() {
  if (!OwnTerminal::is_there()) {
    over_ = true;
    return;
  }
  std::signal(SIGTTIN, SIG_IGN);  // in the background we read nothing, and are not stopped for it
  input_.assign(::dup(STDIN_FILENO));
  terminal_.take();
}

void Keyboard::pass_on_to(WindowId tab) {
  if (!over_) {
    asio::co_spawn(io_, pass_on(tab), asio::detached);
  }
}

void Keyboard::stop_process() {
  terminal_.give_back();
  ::raise(SIGSTOP);
  if (!over_) {
    terminal_.take();
  }
}

asio::awaitable<void> Keyboard::end() {
  const bool had_terminal = terminal_.is_taken();
  over_ = true;
  timer_.cancel();
  boost::system::error_code ignored;
  input_.close(ignored);
  if (offering_) {
    offer_is_over_.expires_after(kOfferEnds);
    co_await offer_is_over_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  const std::size_t unread = terminal_.give_back();
  if (had_terminal) {
    tell_what_is_dropped(unread);
  }
}

void Keyboard::tell_what_is_dropped(std::size_t unread) const {
  const std::size_t dropped = held_.size() + raw_.size() + unread;
  if (dropped == 0) {
    return;
  }
  complain((offering_ ? "discarded typed input, of which the tab may have taken the first line or key: "
                      : "discarded typed input that no program read: ") +
           bytes_in_words(dropped));
}

asio::awaitable<void> Keyboard::pause(Milliseconds time) {
  timer_.expires_after(time);
  boost::system::error_code ignored;
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

asio::awaitable<void> Keyboard::wait_for_keys() {
  boost::system::error_code failed;
  co_await input_.async_wait(asio::posix::stream_descriptor::wait_read,
                             asio::redirect_error(asio::use_awaitable, failed));
}

/// What has come, as keys. What our terminal answered to a program's question is left out: the tab's own
/// terminal has answered it.
void Keyboard::read_keys() {
  std::array<char, 4'096> bytes;
  const ssize_t size = is_readable() ? ::read(STDIN_FILENO, bytes.data(), bytes.size()) : 0;
  raw_.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  while (!raw_.empty()) {
    const TypedKey key = first_key(raw_);
    if (key.bytes == 0) {
      break;
    }
    held_ += key.answer ? std::string() : raw_.substr(0, key.bytes);
    raw_.erase(0, key.bytes);
  }
}

void Keyboard::tell_that_it_is_held() {
  const auto now = std::chrono::steady_clock::now();
  held_since_ = held_since_.value_or(now);
  if (!told_ && now - *held_since_ > kTellAfter) {
    told_ = true;
    complain(
        "nothing in the tab waits for the keyboard: what you type is held until something does (C-c "
        "interrupts the command)");
  }
}

asio::awaitable<void> Keyboard::pass_on(WindowId tab) {
  Milliseconds look_again{0};
  while (!over_) {
    if (!terminal_.take()) {
      co_await pause(kLookForTerminal);
      continue;
    }
    if (held_.empty()) {
      held_since_.reset();
      co_await wait_for_keys();
    }
    if (over_) {
      co_return;
    }
    if (!have_terminal()) {
      terminal_.give_back();
      continue;
    }
    read_keys();
    if (held_.empty()) {
      co_await pause(kKeyComes);  // part of a key, or a terminal that has gone
      held_ += is_readable() ? std::string() : std::exchange(raw_, std::string());
      continue;
    }
    const bool went = co_await offer(tab);
    look_again = went ? kLookAgainSoon : std::min(look_again * 2 + kLookAgainSoon, kLookForTaker);
    if (!over_ && !held_.empty()) {
      co_await pause(look_again);
    }
  }
}

/// Offers what is held. Whether some of it has gone: what may have been typed is never offered again.
asio::awaitable<bool> Keyboard::offer(WindowId tab) {
  offering_ = true;
  OfferedKeys offered;
  try {
    offered = co_await manager_.input().offer_keys(tab, held_);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): nothing was typed
  }
  offering_ = false;
  offer_is_over_.cancel();
  held_.erase(0, offered.bytes);
  if (offered.fate == OfferedKeys::Fate::held) {
    if (!over_) {
      tell_that_it_is_held();
    }
    co_return false;
  }
  held_since_.reset();
  if (offered.fate == OfferedKeys::Fate::unknown) {
    complain("tmux did not say that it typed " + bytes_in_words(offered.bytes) +
             " of what you typed: the command may have taken them, or not; they are not sent again");
  }
  co_return true;
}

bool has_piped_input() {
  struct stat input{};
  if (::isatty(STDIN_FILENO) != 0 || ::fstat(STDIN_FILENO, &input) != 0) {
    return false;
  }
  if (S_ISREG(input.st_mode)) {
    return ::lseek(STDIN_FILENO, 0, SEEK_CUR) < input.st_size;
  }
  return is_readable() && unread_bytes() > 0;
}

}  // namespace terminally
