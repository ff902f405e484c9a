#pragma once

#include <string>

#include "base/ids.hpp"
#include "tab/pane_terminal.hpp"
#include "tmux/wire/client.hpp"

namespace terminally {

/// A pane of our tmux server.
class TmuxTerminal : public PaneTerminal {
 public:
  /// `tmux` reaches the server that has the pane, and no other.
  TmuxTerminal(TmuxClient tmux, PaneId pane);

  [[nodiscard]] boost::asio::awaitable<bool> type(std::string bytes, TypedAs kind, PaneFact unless) override;
  [[nodiscard]] boost::asio::awaitable<bool> type_within(Milliseconds time, std::string bytes) override;
  [[nodiscard]] boost::asio::awaitable<bool> is(PaneFact facts, PaneFact but_not) override;
  [[nodiscard]] boost::asio::awaitable<bool> answers_within(Milliseconds time) override;

 private:
  TmuxClient tmux_;
  std::string pane_;
};

}  // namespace terminally
