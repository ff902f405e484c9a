// Passes on between a page and the program on one host, over link after link.
#include "far_page/host_tabs.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/utf8.hpp"
#include "far_page/far_shapes.hpp"
#include "json/json_reader.hpp"
#include "page/acts.hpp"
#include "page/frames.hpp"
#include "page/starred.hpp"
#include "page/wire.hpp"
#include "secrets/text_guard.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {
namespace {

using nlohmann::json;

constexpr Milliseconds kFirstPause{1'000};
constexpr Milliseconds kLongestPause{30'000};
/// A link that held so long was a good one: the next is tried soon.
constexpr Milliseconds kGoodLink{5'000};
constexpr std::size_t kMostTabs = 500;
/// A tab's command has 200 bytes of its text.
constexpr std::size_t kLongestTab = std::size_t{64} << 10U;
constexpr std::size_t kLongestError = 1'000;

/// Ends a link with the coroutine that listens to it, however that ends.
class ClosesLink {
 public:
  explicit ClosesLink(std::shared_ptr<PageLink> link) : link_(std::move(link)) {}
  ~ClosesLink() { link_->close("closed"); }
  ClosesLink(const ClosesLink&) = delete;
  ClosesLink& operator=(const ClosesLink&) = delete;

 private:
  std::shared_ptr<PageLink> link_;
};

std::uint16_t channel_of(const PageRequest& request) {
  return static_cast<std::uint16_t>(request.number("ch", UINT16_MAX));
}

json error_message(const json& re, const Error& error) {
  return json::parse(error_text(re, error));
}

std::string hello_text() {
  return R"({"t":"hello","v":1})";
}

}  // namespace

Awaitable<void> HostTabs::run(std::shared_ptr<HostTabs> self) {
  for (Milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    auto opened = Clock::time_point::max();
    std::string why;
    try {
      self->link_ = co_await PageLink::open(self->terms_.view);
      opened = Clock::now();
      co_await self->listen();
      why = self->link_->why_lost();
    } catch (const Error& error) {
      why = error.what();
    }
    co_await self->lose(std::move(why));
    if (opened < Clock::now() - kGoodLink) {
      pause = kFirstPause;
    }
    co_await sleep_for(pause);
  }
}

Awaitable<void> HostTabs::listen() {
  const std::shared_ptr<PageLink> link = link_;
  const ClosesLink closes(link);
  link->send(hello_text());
  for (;;) {
    std::optional<LineOfHost> said = co_await link->next();
    if (!said) {
      co_return;
    }
    if (auto* const frame = std::get_if<PipedFrame>(&*said)) {
      co_await take_frame(std::move(*frame));
    } else if (auto* const message = std::get_if<json>(&*said)) {
      co_await take_message(std::move(*message));
    } else {
      co_await tell_round_trip();
    }
  }
}

json HostTabs::row() const {
  const HostEntry& host = terms_.view.host;
  json row;
  row["name"] = host.name;
  row["kind"] = host.ssh.empty() ? std::filesystem::path(host.command.front()).filename().string() : "ssh";
  row["rtt_ms"] = up_ && link_ ? json(link_->round_trip().count()) : json(nullptr);
  row["state"] = state_;
  row["since"] = since_ms_ == 0 ? json(nullptr) : json(since_ms_);
  row["error"] = error_.empty() ? json(nullptr) : json(shortened(to_valid_utf8(error_), kLongestError));
  mask(row);
  return row;
}

void HostTabs::mask(json& message) const {
  if (const std::shared_ptr<const Secrets> hidden = terms_.hidden()) {
    TextGuard guard(hidden);
    mask_texts(message, guard);
  }
}

void HostTabs::add_tabs(json& list) const {
  for (const auto& [window, tab] : tabs_) {
    list.push_back(tab);
    mask(list.back());
  }
}

Awaitable<void> HostTabs::tell(json message) {
  mask(message);
  std::string text = wire_text(message);
  [[maybe_unused]] const bool sent = co_await terms_.page.send_text(std::move(text));
}

Awaitable<void> HostTabs::tell_round_trip() {
  const Milliseconds now = link_->round_trip();
  const Milliseconds change = std::chrono::abs(now - told_round_trip_);
  if (up_ && change > Milliseconds(1) && change * 5 > told_round_trip_) {
    told_round_trip_ = now;
    json message;
    message["t"] = "host";
    message["host"] = row();
    co_await tell(std::move(message));
  }
}

Awaitable<void> HostTabs::lose(std::string why) {
  link_.reset();
  up_ = false;
  if (state_ != "lost") {
    since_ms_ = wall_clock_ms();
  }
  state_ = "lost";
  error_ = std::move(why);
  json message;
  message["t"] = "host";
  message["host"] = row();
  co_await tell(std::move(message));
  for (FarQuestions::Asked& asked : questions_.take_all()) {
    if (asked.re.is_null()) {
      continue;
    }
    const Error error(ErrorCode::io,
                      "The link to " + name() + " was lost: it is not known whether this was done.");
    json answer = error_message(asked.re, error);
    if (asked.channel) {  // it stays, and the next link goes on with it
      answer = json::parse(done_text(asked.re));
    }
    co_await tell(std::move(answer));
  }
  for (json& hits : terms_.searches.fail_all(name(), "the link to " + name() + " was lost")) {
    co_await tell(std::move(hits));
  }
}

Awaitable<void> HostTabs::take_frame(PipedFrame piped) {  // NOLINT(performance-unnecessary-value-param)
  const std::optional<LogFrame> frame = read_log_frame(piped.bytes);
  auto* const channel = frame ? channels_.by_number(frame->channel) : nullptr;
  if (channel == nullptr) {
    co_return;
  }
  if (!frame->bytes.empty()) {
    channel->second.from = frame->offset + frame->bytes.size();
  }
  const std::shared_ptr<const Secrets> hidden = terms_.hidden();
  std::string bytes = frame->bytes;
  if (hidden) {
    bytes = starred_alone(*hidden, std::move(bytes));
  }
  std::string shown = log_frame(frame->flags, channel->first, frame->offset, bytes);
  [[maybe_unused]] const bool sent = co_await terms_.page.send_binary(std::move(shown));
}

Awaitable<void> HostTabs::take_message(json message) {
  const std::string type = text_field(message, "t").value_or("");
  if (type == "hello") {
    up_ = false;
    has_instance_ = text_field(message, "instance").has_value();
  } else if (type == "done" || type == "error") {
    co_await take_answer(std::move(message));
  } else if (type == "bye") {
    link_->close("terminally-mcp there has ended");
  } else if (auto told = told_of_host(message, name())) {
    if (type == "tabs") {
      co_await take_tabs(std::move((*told)["tabs"]));
    } else {
      co_await take_told(std::move(*told));
    }
  }
}

/// The host's state is told behind its tabs: a page that hears that the host is up knows them all.
Awaitable<void> HostTabs::take_tabs(json tabs) {
  std::map<WindowId, json> before = std::exchange(tabs_, {});
  for (json& tab : tabs) {
    const auto id = split_far_name(tab["id"].get_ref<const std::string&>());
    const auto window = parse_window_id(id->rest);
    if (tabs_.size() >= kMostTabs || wire_text(tab).size() > kLongestTab) {
      continue;
    }
    before.erase(*window);
    tabs_[*window] = tab;
    json message;
    message["t"] = "tab";
    message["tab"] = std::move(tab);
    co_await tell(std::move(message));
  }
  for (const auto& [window, tab] : before) {
    json message;
    message["t"] = "gone";
    message["tab"] = tab["id"];
    co_await tell(std::move(message));
  }
  up_ = has_instance_;
  state_ = "up";
  since_ms_ = wall_clock_ms();
  error_.clear();
  told_round_trip_ = link_->round_trip();
  json message;
  message["t"] = "host";
  message["host"] = row();
  co_await tell(std::move(message));
  for (const auto& [channel, watched] : channels_.all()) {
    watch(channel, nullptr);
  }
}

/// `gap` and `screen`, which say where the log goes on.
bool HostTabs::takes_channel(json& told) {
  auto* const channel = channels_.by_number(told["ch"].get<std::uint64_t>());
  if (channel == nullptr) {
    return false;
  }
  const json& next = told["t"] == "gap" ? told["to"] : told["at"];
  if (!next.is_null()) {
    channel->second.from = next;
  }
  told["ch"] = channel->first;
  return true;
}

/// Whether a page can make use of this: a host says more than it was asked for only of its tabs.
bool HostTabs::wants(json& told) {
  const std::string type = told["t"];
  if (told.contains("ch")) {
    return takes_channel(told);
  }
  if (type == "tab" || type == "gone") {
    const json& id = type == "tab" ? told["tab"]["id"] : told["tab"];
    const auto window = parse_window_id(split_far_name(id.get_ref<const std::string&>())->rest);
    if (type == "gone") {
      return tabs_.erase(*window) > 0;
    }
    if ((!tabs_.contains(*window) && tabs_.size() >= kMostTabs) ||
        wire_text(told["tab"]).size() > kLongestTab) {
      return false;
    }
    tabs_[*window] = told["tab"];
    return true;
  }
  if (type == "size" || type == "commands" || type == "command" || type == "withdrawn") {
    const std::string id = told["tab"];
    return channels_.is_watched(id.substr(name().size() + 1));
  }
  return type == "rate" || type == "control";
}

Awaitable<void> HostTabs::take_told(json told) {
  if (told["t"] == "hits") {
    if (!told["id"].is_number_unsigned()) {
      co_return;
    }
    auto hits = terms_.searches.take(told["id"].get<std::uint64_t>(), name(), told);
    if (hits) {
      co_await tell(std::move(*hits));
    }
  } else if (wants(told)) {
    co_await tell(std::move(told));
  }
}

Awaitable<void> HostTabs::take_answer(json message) {
  const bool failed = message["t"] == "error";
  const std::string said =
      shortened(to_valid_utf8(text_field(message, "message").value_or("")), kLongestError);
  const Error error(from_far_code(text_field(message, "code").value_or("")), with_host(said, name()));
  const json re = message.value("re", json(nullptr));
  const auto asked = questions_.take(re);
  if (failed && asked && asked->channel) {
    if (const auto* const channel = channels_.by_number(*asked->channel)) {
      channels_.close(channel->first);
    }
  }
  if (failed && asked && asked->search) {
    auto hits = terms_.searches.fail(*asked->search, name(), error.what());
    if (hits) {
      co_await tell(std::move(*hits));
    }
  } else if (failed && (asked || re.is_null())) {
    json answered = nullptr;
    if (asked) {
      answered = asked->re;
    }
    json answer = error_message(answered, error);
    co_await tell(std::move(answer));
  } else if (asked && !asked->re.is_null()) {
    co_await tell(json::parse(done_text(asked->re)));
  }
}

void HostTabs::watch(std::uint16_t channel, json re) {
  if (!up_) {
    return;
  }
  const FarChannels::Channel& watched = channels_.number_anew(channel);
  json message;
  message["t"] = "watch";
  message["ch"] = watched.there;
  message["tab"] = watched.tab;
  message["from"] = watched.from;
  message["re"] = questions_.add({std::move(re), watched.there, {}});
  link_->send(wire_text(message));
}

void HostTabs::forget(std::uint16_t channel) {
  if (channels_.has(channel) && up_) {
    json message;
    message["t"] = "unwatch";
    message["ch"] = channels_.all().at(channel).there;
    link_->send(wire_text(message));
  }
  channels_.close(channel);
}

void HostTabs::forget_all() {
  while (!channels_.all().empty()) {
    forget(channels_.all().begin()->first);
  }
}

bool HostTabs::take(const PageRequest& request, const std::string& tab) {
  const std::string& type = request.type();
  if (type == "watch") {
    const std::uint16_t channel = channel_of(request);
    json from = request.field("from");
    forget(channel);
    channels_.open(channel, tab, std::move(from));
    watch(channel, request.re());
    return !up_;
  }
  if (type == "unwatch") {
    forget(channel_of(request));
    return true;
  }
  if (type == "ack") {
    acknowledge(request);
    return true;
  }
  Acts::refuse_who_looks(terms_.page.visitor(), type);
  if (!up_) {
    throw Error(ErrorCode::io, "There is no link to " + name() + ". Nothing was sent.");
  }
  json message = request.body();
  message["tab"] = tab;
  message["re"] = questions_.add({request.re(), {}, {}});
  link_->send(wire_text(message));
  return false;
}

/// What is on its way only goes with its link.
void HostTabs::acknowledge(const PageRequest& request) {
  const auto found = channels_.all().find(channel_of(request));
  if (up_ && found != channels_.all().end()) {
    json message;
    message["t"] = "ack";
    message["ch"] = found->second.there;
    message["to"] = request.number("to");
    link_->send(wire_text(message));
  }
}

bool HostTabs::search(const json& request, std::uint64_t number, const std::vector<std::string>& tabs) {
  if (!up_) {
    return false;
  }
  json message = request;
  message["id"] = number;
  message["tabs"] = tabs;
  message["re"] = questions_.add({nullptr, {}, number});
  link_->send(wire_text(message));
  return true;
}

void HostTabs::stop_search(std::uint64_t number) {
  if (up_) {
    json message;
    message["t"] = "stop";
    message["id"] = number;
    link_->send(wire_text(message));
  }
}

}  // namespace terminally
