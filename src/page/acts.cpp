// Does what a person asks for at the page, through the guest of the instance.
#include "page/acts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/digests.hpp"
#include "base/error.hpp"
#include "page/wire.hpp"

namespace terminally {
namespace {

constexpr std::array<std::string_view, 10> kActs = {"cancel", "answer", "secret", "input", "take",
                                                    "give",   "resize", "rename", "close", "redraw"};
/// A hold is written so often at most, however fast somebody types.
constexpr Milliseconds kHoldsAnew{1'000};
constexpr std::size_t kMostInput = std::size_t{16} * 1024;

WindowId tab_asked(const PageRequest& request) {
  const std::string text = request.text("tab");
  const auto window = parse_window_id(text);
  if (!window) {
    throw Error(ErrorCode::not_found, "tab: \"" + text + "\" is no tab");
  }
  return *window;
}

/// The command that a person sees must be the one that runs: theirs may have ended by now.
void refuse_unless_runs(const SeenTab& tab, const PageRequest& request) {
  const SeenCommand* const last = tab.last_command();
  const bool runs = last != nullptr && last->record.state == CommandState::running;
  if (request.has("command") && (!runs || last->record.id != request.text("command"))) {
    throw Error(ErrorCode::not_found, "the command " + request.text("command") + " does not run any more");
  }
}

LineReader reader_in(const PageRequest& request) {
  LineReader reader;
  reader.pid = static_cast<int>(request.number("pid", INT32_MAX));
  if (request.has("prompt")) {
    reader.prompt = request.text("prompt");
  }
  reader.is_secret = request.type() == "secret";
  return reader;
}

void refuse_unless_typed(const OfferedKeys& offered) {
  if (offered.fate == OfferedKeys::Fate::held) {
    throw Error(ErrorCode::not_found, "It no longer asks. Nothing was sent.");
  }
  if (offered.fate == OfferedKeys::Fate::unknown) {
    throw Error(ErrorCode::tmux_timeout, "It is not known whether it was sent: tmux did not say so.");
  }
}

std::string line_in(const PageRequest& request) {
  std::string line = request.text("text");
  if (line.find_first_of("\r\n") != std::string::npos || line.find('\0') != std::string::npos) {
    throw Error(ErrorCode::invalid_argument, "text: must be one line");
  }
  return line + "\r";
}

/// Apart from what is answered to: a cancel takes up to 6 s, and the page sees by its command how it goes.
Awaitable<void> cancel(std::shared_ptr<InstanceFeed> feed, QueryCommand command, bool force) {
  const InstanceFeed::Look stays(feed);
  try {
    StopCalls& stops = feed->manager().stops();
    [[maybe_unused]] const CommandResult result = co_await stops.cancel_command(std::move(command), force);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what became of it is seen
  }
}

Awaitable<void> close(std::shared_ptr<InstanceFeed> feed, WindowId tab, bool force) {
  const InstanceFeed::Look stays(feed);
  try {
    [[maybe_unused]] const ClosedTab closed = co_await feed->manager().tabs().close(tab, force);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it is open still, as is seen
  }
}

}  // namespace

bool Acts::is_act(const std::string& type) {
  return std::ranges::find(kActs, type) != kActs.end();
}

void Acts::refuse_who_looks(const Visitor& visitor, const std::string& type) {
  if (visitor.role != Role::exec) {
    throw Error(ErrorCode::invalid_argument,
                "t: \"" + type + "\": this page may only look; open it with terminally-mcp open --exec");
  }
}

Awaitable<void> Acts::act(InstanceFeed& feed, const PageRequest& request) {
  const std::string& what = request.type();
  refuse_who_looks(visitor_, what);
  const WindowId window = tab_asked(request);
  const SeenTab& tab = feed.board().tab(window);
  if (what == "cancel") {
    refuse_unless_runs(tab, request);
    QueryCommand command;
    command.window_id = window;
    command.command_id = request.has("command") ? request.text("command") : "";
    command.max_output_bytes = 0;
    feed.do_apart(cancel(feed.shared_from_this(), std::move(command), request.flag("force")));
  } else if (what == "answer" || what == "secret") {
    refuse_unless_runs(tab, request);
    LineReader reader = reader_in(request);
    std::string line = line_in(request);
    InputCalls& input = feed.manager().input();
    const OfferedKeys offered = co_await input.offer_line(window, std::move(line), std::move(reader));
    refuse_unless_typed(offered);
  } else if (what == "take") {
    take(feed, window);
  } else if (what == "give") {
    give(feed, window);
  } else if (what == "input") {
    std::optional<std::string> bytes = decode_base64(request.text("data"));
    if (!bytes) {
      throw Error(ErrorCode::invalid_argument, "data: is no base64");
    }
    co_await type(feed, window, std::move(*bytes));
  } else if (what == "rename") {
    co_await feed.manager().tabs().rename(window, request.text("name"));
  } else if (what == "resize") {
    co_await feed.manager().tabs().resize(window, request.number("cols"), request.number("rows"));
  } else if (what == "redraw") {
    co_await feed.manager().tabs().redraw(window);
  } else if (what == "close") {
    feed.do_apart(close(feed.shared_from_this(), window, request.flag("force")));
  }
}

Hold Acts::hold_from_now() const {
  Hold hold;
  hold.name = name_;
  hold.session = holder_;
  hold.until_ms = steady_ms(Clock::now() + kHold);
  return hold;
}

void Acts::take(const InstanceFeed& feed, WindowId tab) {
  set_hold(feed.instance().runtime(), tab, hold_from_now());
  held_[tab] = Clock::now();
}

void Acts::give(const InstanceFeed& feed, WindowId tab) {
  held_.erase(tab);
  const auto hold = hold_of(feed.instance().runtime(), tab);
  if (hold && hold->session == holder_) {
    end_hold(feed.instance().runtime(), tab);
  }
}

Awaitable<void> Acts::type(InstanceFeed& feed, WindowId tab, std::string bytes) {
  const auto held = held_.find(tab);
  const auto hold = hold_of(feed.instance().runtime(), tab);
  const bool others = hold && hold->session != holder_;
  if (held == held_.end() || others || Clock::now() - held->second >= kHold) {
    held_.erase(tab);
    throw Error(ErrorCode::busy, "You do not have this tab (any more). Nothing was sent.");
  }
  if (Clock::now() - held->second >= kHoldsAnew) {
    take(feed, tab);
  }
  if (bytes.empty() || bytes.size() > kMostInput ||
      (bytes.size() > 1 && bytes.find('\0') != std::string::npos)) {
    throw Error(ErrorCode::invalid_argument, "data: must be 1 to 16384 bytes, a NUL alone");
  }
  const OfferedKeys typed = co_await feed.manager().input().type_as_terminal(tab, std::move(bytes));
  if (typed.fate != OfferedKeys::Fate::typed) {
    throw Error(ErrorCode::tmux_timeout, "It is not known whether this was typed: tmux did not say so.");
  }
}

void Acts::give_all(const InstanceFeed& feed) {
  while (!held_.empty()) {
    give(feed, held_.begin()->first);
  }
}

}  // namespace terminally
