#pragma once

#include <termios.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <string>

#include "tmux/manager.hpp"

namespace terminally {

/// The person's own terminal as the keyboard of a tab, where standard input is one and this program has it.
/// What is typed is not shown here: the tab shows what its own terminal does, so a password is not seen. C-c
/// and C-z stay keys of this terminal.
class OwnTerminal {
 public:
  OwnTerminal() = default;
  OwnTerminal(const OwnTerminal&) = delete;
  OwnTerminal& operator=(const OwnTerminal&) = delete;
  ~OwnTerminal() { give_back(); }

  /// Whether it is one to be taken at all. Not where our output goes into a pipe: who reads that may read the
  /// terminal (a pager).
  [[nodiscard]] static bool is_there();
  /// False: we do not have it (in the background).
  bool take();
  [[nodiscard]] bool is_taken() const { return before_.has_value(); }
  /// As it was. What was typed and not read is dropped: our shell must not run it. Returns how many bytes.
  std::size_t give_back();

 private:
  std::optional<termios> before_;
};

/// Passes on what is typed to a tab, as soon as the program there waits for it; until then it is held.
class Keyboard {
 public:
  Keyboard(boost::asio::io_context& io, TmuxManager& manager);

  /// From now on nothing that is typed is echoed, or left for our shell.
  void begin();
  /// The command is typed: keys go to its tab.
  void pass_on_to(WindowId tab);
  /// Whether what is typed here goes to the tab.
  [[nodiscard]] bool passes_on() const { return terminal_.is_taken(); }
  /// C-z: the terminal is given back, and taken again when we go on.
  void stop_process();
  /// The command has ended: what nobody took is dropped, and that is told, once tmux has said what it typed.
  [[nodiscard]] boost::asio::awaitable<void> end();

 private:
  [[nodiscard]] boost::asio::awaitable<void> pass_on(WindowId tab);
  [[nodiscard]] boost::asio::awaitable<bool> offer(WindowId tab);
  [[nodiscard]] boost::asio::awaitable<void> wait_for_keys();
  [[nodiscard]] boost::asio::awaitable<void> pause(std::chrono::milliseconds time);
  void read_keys();
  void tell_that_it_is_held();
  void tell_what_is_dropped(std::size_t unread) const;

  boost::asio::io_context& io_;
  TmuxManager& manager_;
  OwnTerminal terminal_;
  boost::asio::posix::stream_descriptor input_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer offer_is_over_;
  std::string raw_;   ///< read, and not known yet to be whole keys
  std::string held_;  ///< keys that nobody has taken yet, as far as is known
  bool offering_ = false;
  std::optional<std::chrono::steady_clock::time_point> held_since_;
  bool told_ = false;
  bool over_ = false;
};

/// Whether standard input is no terminal and has something to read now.
[[nodiscard]] bool has_piped_input();

}  // namespace terminally
