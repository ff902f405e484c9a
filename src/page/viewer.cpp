// Reads what a page asks for, and tells it what changes.
#include "page/viewer.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "log/log_end.hpp"
#include "log/output.hpp"
#include "page/screen_at.hpp"
#include "page/wire.hpp"
#include "system/this_build.hpp"

namespace terminally {
namespace {

using nlohmann::json;

constexpr std::uint64_t kWireVersion = 1;
/// What changes faster is told so often.
constexpr Milliseconds kBetweenNews{100};
/// How often other instances are looked for.
constexpr Milliseconds kLookForInstances{800};

std::string login_name() {
  const char* name = std::getenv("LOGNAME");
  name = name != nullptr ? name : std::getenv("USER");
  return name != nullptr ? name : "";
}

WindowId window_in(const PageRequest& request) {
  const std::string text = request.text("tab");
  const auto window = parse_window_id(text);
  if (!window) {
    throw Error(ErrorCode::not_found, "tab: \"" + text + "\" is no tab");
  }
  return *window;
}

std::uint16_t channel_in(const PageRequest& request) {
  return static_cast<std::uint16_t>(request.number("ch", UINT16_MAX));
}

}  // namespace

Viewer::Viewer(PageHouse& house, Socket& socket)
    : house_(house),
      socket_(socket),
      acts_(socket.visitor(), login_name(),
            socket.visitor().session + "/" + std::to_string(house.next_page())),
      crew_(house.executor()) {}

Awaitable<void> Viewer::run(std::string instance) {
  asked_for_ = std::move(instance);
  std::exception_ptr failure;
  try {
    bool there = true;
    while (there) {
      std::optional<std::string> text = co_await socket_.receive();
      if (!text) {
        break;
      }
      std::string answer = co_await answer_to(std::move(*text));
      if (!answer.empty()) {
        there = co_await socket_.send_text(std::move(answer));
      }
    }
    if (socket_.server_ends()) {
      json bye;
      bye["t"] = "bye";
      bye["why"] = "terminally-mcp ended";
      co_await send(std::move(bye));
    }
  } catch (...) {
    failure = std::current_exception();
  }
  // A page that is cancelled is put away like any other.
  co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
  co_await crew_.end();
  if (look_) {
    acts_.give_all(**look_);
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

/// Empty: nothing is answered.
Awaitable<std::string> Viewer::answer_to(std::string text) {
  json re;
  std::string answer;
  try {
    const PageRequest request(text);
    re = request.re();
    const auto turn = co_await acting_->lock();
    co_await take(request);
    if (!re.is_null()) {
      answer = done_text(re);
    }
  } catch (const Error& error) {
    answer = error_text(re, error);
  }
  co_return answer;
}

Awaitable<void> Viewer::take(const PageRequest& request) {
  const std::string& type = request.type();
  if (type == "hello") {
    if (request.number("v") != kWireVersion) {
      throw Error(ErrorCode::invalid_argument, "v: this server speaks version 1");
    }
    std::string instance = request.has("instance") ? request.text("instance") : asked_for_;
    co_await greet(std::move(instance));
  } else if (type == "watch") {
    co_await watch(request);
  } else if (type == "unwatch") {
    co_await unwatch(channel_in(request));
  } else if (type == "ack") {
    const auto found = channels_.find(channel_in(request));
    if (found != channels_.end()) {
      found->second.log->acknowledge(request.number("to"));
    }
  } else if (type == "search") {
    search(request);
  } else if (type == "stop") {
    stop_search(request.field("id").dump());
  } else if (Acts::is_act(type)) {
    if (!look_) {
      throw Error(ErrorCode::not_found, "say hello first");
    }
    co_await acts_.act(**look_, request);
  } else if (type != "ping") {
    throw Error(ErrorCode::invalid_argument, "t: \"" + type + "\" is not served");
  }
}

/// A page that names no instance, or one that is gone, gets the one that printed last, or the first that
/// comes.
Awaitable<void> Viewer::greet(std::string instance) {
  const std::vector<InstanceRow> rows = house_.instances();
  if (instance.empty() || (!greeted_ && !house_.has(instance))) {  // a page may be older than its instance
    instance = newest_of(rows).value_or("");
  }
  std::optional<InstanceFeed::Look> look;
  if (!instance.empty()) {
    look.emplace(house_.look_at(instance));
  }
  while (!channels_.empty()) {
    co_await unwatch(channels_.begin()->first);
  }
  if (look_) {
    acts_.give_all(**look_);
  }
  telling_.cancel();
  co_await telling_.wait_by(Clock::time_point::max());
  look_ = std::move(look);
  news_.reset();
  if (look_) {
    co_await (*look_)->seen();
    news_.emplace(News::Terms{house_.hidden_from(socket_.visitor(), **look_), house_.config().log_keep_days,
                              acts_.holder()});
  }
  co_await send(hello(instance, rows));
  json tabs;
  tabs["t"] = "tabs";
  tabs["tabs"] = json::array();
  if (look_) {
    tabs = news_->all((*look_)->board());
  }
  co_await send(std::move(tabs));
  if (look_) {
    telling_ = crew_.add(tell_news());
  }
  if (!std::exchange(greeted_, true)) {
    [[maybe_unused]] const Spawned<> telling = crew_.add(tell_instances());
  }
}

json Viewer::hello(const std::string& instance, const std::vector<InstanceRow>& rows) const {
  json project = nullptr;
  for (const InstanceRow& row : rows) {
    if (row.name == instance) {
      project = row.project;
    }
  }
  json message;
  message["t"] = "hello";
  message["v"] = kWireVersion;
  message["instance"] = instance.empty() ? json(nullptr) : json(instance);
  message["project"] = project;
  message["version"] = this_build().version;
  message["role"] = socket_.visitor().role == Role::exec ? "exec" : "view";
  message["you"] = login_name();
  message["now"] = wall_clock_ms();
  message["window"] = Flow::kWindow;
  message["hosts"] = json::array();
  message["instances"] = instances_json(rows);
  return message;
}

// By value: a coroutine outlives what it is given.
Awaitable<bool> Viewer::send(json message) {  // NOLINT(performance-unnecessary-value-param)
  return socket_.send_text(wire_text(message));
}

Awaitable<void> Viewer::tell_news() {
  TabBoard& board = (*look_)->board();
  for (bool there = true; there;) {
    std::vector<json> news = news_->since(board);
    const std::uint64_t told = board.version();
    for (std::size_t i = 0; there && i < news.size(); ++i) {
      there = co_await send(std::move(news[i]));
    }
    co_await sleep_for(kBetweenNews);
    if (board.version() == told) {
      co_await board.changed().wait();
    }
  }
}

/// Other instances, as they come and go. The first one is looked at, where there was none.
Awaitable<void> Viewer::tell_instances() {
  std::vector<InstanceRow> told;
  for (bool there = true; there;) {
    std::vector<InstanceRow> now = house_.instances();
    if (now != told) {
      json message;
      message["t"] = "instances";
      message["instances"] = instances_json(now);
      there = co_await send(std::move(message));
    }
    if (!look_ && newest_of(now)) {
      const auto turn = co_await acting_->lock();
      if (!look_) {
        co_await greet("");
      }
    }
    told = std::move(now);
    co_await sleep_for(kLookForInstances);
  }
}

std::uint64_t Viewer::begin_of_watch(const SeenTab& tab, const json& from) const {
  if (from.is_number_unsigned()) {
    refuse_beyond_end(tab.log, from.get<std::uint64_t>(), "from");
    return from.get<std::uint64_t>();
  }
  if (from != "command" && from != "tail" && from != "screen") {
    throw Error(ErrorCode::invalid_argument, "from: must be \"command\", \"tail\", \"screen\" or a byte");
  }
  const SeenCommand* const last = tab.last_command();
  if (from == "command" && last != nullptr) {
    return std::min(last->record.start_byte, tab.log.end());
  }
  return begin_of_newest(tab.log, tab.log.end(), Flow::kAfterSkip);
}

Awaitable<void> Viewer::watch(const PageRequest& request) {
  const std::uint16_t number = channel_in(request);
  const WindowId window = window_in(request);
  if (!look_) {
    throw Error(ErrorCode::not_found, "there is no tab " + to_string(window) + ": say hello first");
  }
  if (channels_.size() >= kMostChannels && !channels_.contains(number)) {
    throw Error(ErrorCode::busy, "a page watches " + std::to_string(kMostChannels) + " tabs at most");
  }
  InstanceFeed& feed = **look_;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the request does not outlive the wait
  const json asked = request.field("from");
  std::uint64_t from = begin_of_watch(feed.board().tab(window), asked);
  co_await unwatch(number);
  std::vector<json> first = news_->watch(feed.board(), window);
  for (json& message : first) {
    co_await send(std::move(message));
  }
  const bool far = asked == "command" && feed.board().tab(window).log.end() - from > Flow::kFarBehind;
  if (asked == "screen" || (far && !feed.board().tab(window).is_closed())) {
    const auto skipped = far ? std::optional(from) : std::nullopt;
    from = co_await begin_with_screen(number, window, skipped);
  }
  const PaneLog log = feed.board().tab(window).log;
  LogChannel::Parts parts{socket_,
                          number,
                          log,
                          feed.log_watch().watch(log.path()),
                          house_.hidden_from(socket_.visitor(), feed),
                          [&feed, window, path = log.path()] {
                            const auto& tabs = feed.board().tabs();
                            const auto found = tabs.find(window);
                            const bool closed = found == tabs.end() || found->second.is_closed();
                            return closed && log_writer(path) == 0;
                          }};
  parts.screen = [this, window] { return screen_if_full(window); };
  const auto channel = std::make_shared<LogChannel>(std::move(parts), from);
  channels_[number] = {window, channel, crew_.add(send_log(channel))};
}

/// None: no program has the alternate screen, or tmux does not say what is there.
Awaitable<std::optional<ScreenAt>> Viewer::screen_if_full(WindowId window) {
  const SeenTab& tab = (*look_)->board().tab(window);
  std::optional<ScreenAt> screen;
  if (!tab.face.alternate || tab.is_closed()) {
    co_return screen;
  }
  try {
    screen = co_await screen_at(**look_, window, house_.hidden_from(socket_.visitor()));
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
  }
  co_return screen;
}

/// `skips`: from where on the output is not sent.
Awaitable<std::uint64_t> Viewer::begin_with_screen(std::uint16_t number, WindowId window,
                                                   std::optional<std::uint64_t> skips) {
  ScreenAt screen;
  try {
    screen = co_await screen_at(**look_, window, house_.hidden_from(socket_.visitor()));
  } catch (const Error&) {
    news_->unwatch(window);
    throw;
  }
  if (skips) {
    std::string gap = gap_text(number, *skips, screen.at, "skipped", "");
    co_await socket_.send_text(std::move(gap));
  }
  screen.message["ch"] = number;
  co_await send(std::move(screen.message));
  co_return screen.at;
}

Awaitable<void> Viewer::unwatch(std::uint16_t number) {
  const auto found = channels_.find(number);
  if (found == channels_.end()) {
    co_return;
  }
  const Channel channel = std::move(found->second);
  channels_.erase(found);
  news_->unwatch(channel.tab);
  channel.sending.cancel();
  co_await channel.sending.wait_by(Clock::time_point::max());
}

void Viewer::search(const PageRequest& request) {
  if (!look_) {
    throw Error(ErrorCode::not_found, "say hello first");
  }
  const std::string id = request.field("id").dump();
  auto search =
      std::make_shared<PageSearch>(request, (*look_)->board(), house_.hidden_from(socket_.visitor()));
  stop_search(id);
  std::erase_if(searches_, [](const auto& entry) { return entry.second.is_over(); });
  PageSearch::Tell tell = [this](json hits) { return send(std::move(hits)); };
  searches_[id] = crew_.add(PageSearch::run(std::move(search), std::move(tell)));
}

void Viewer::stop_search(const std::string& id) {
  const auto found = searches_.find(id);
  if (found != searches_.end()) {
    found->second.cancel();
    searches_.erase(found);
  }
}

Awaitable<void> Viewer::send_log(std::shared_ptr<LogChannel> log) {
  std::string trouble;
  try {
    co_await LogChannel::run(std::move(log));
  } catch (const Error& error) {
    trouble = error_text(nullptr, error);
  }
  if (!trouble.empty()) {
    co_await socket_.send_text(std::move(trouble));
  }
}

}  // namespace terminally
