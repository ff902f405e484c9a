#include "tmux/wire/tmux_terminal.hpp"

#include <utility>

#include "base/error.hpp"
#include "tmux/wire/others_typed.hpp"

namespace terminally {
namespace asio = boost::asio;

namespace {

/// A tmux condition of the pane: true where one of these is so. Empty for none.
std::string condition(PaneFact facts) {
  std::string any;
  const auto add = [&](PaneFact fact, const std::string& is) {
    if (has(facts, fact)) {
      any = any.empty() ? is : "#{||:" + any + "," + is + "}";
    }
  };
  add(PaneFact::full_screen, "#{alternate_on}");
  add(PaneFact::person_types, is_typed_into());
  add(PaneFact::others_typed, others_typed());
  add(PaneFact::others_typed_just_now, others_typed_just_now());
  return any;
}

asio::awaitable<bool> typed_by(TmuxClient tmux, std::string commands) {
  bool done = true;
  try {
    co_await tmux.change(std::move(commands));
  } catch (const Error& error) {
    if (!were_not_typed(error)) {
      throw;
    }
    done = false;
  }
  co_return done;
}

}  // namespace

TmuxTerminal::TmuxTerminal(TmuxClient tmux, PaneId pane) : tmux_(std::move(tmux)), pane_(to_string(pane)) {}

asio::awaitable<bool> TmuxTerminal::type(std::string bytes, TypedAs kind, PaneFact unless) {
  return typed_by(tmux_, type_bytes(pane_, bytes, condition(unless), kind));
}

asio::awaitable<bool> TmuxTerminal::type_within(Milliseconds time, std::string bytes) {
  return typed_by(tmux_.with_deadline(time), type_bytes(pane_, bytes));
}

asio::awaitable<bool> TmuxTerminal::is(PaneFact facts, PaneFact but_not) {
  std::string asked = condition(facts);
  if (but_not != PaneFact::none) {
    asked = "#{?" + condition(but_not) + ",0," + asked + "}";
  }
  const std::string answer =
      co_await tmux_.query("display-message -p -t " + quote(pane_) + " " + quote(asked));
  co_return answer.starts_with('1');
}

asio::awaitable<bool> TmuxTerminal::answers_within(Milliseconds time) {
  bool answers = true;
  const TmuxClient tmux = tmux_.with_deadline(time);
  try {
    answers = co_await tmux.answers();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it cannot be asked, and nothing is known
  }
  co_return answers;
}

}  // namespace terminally
