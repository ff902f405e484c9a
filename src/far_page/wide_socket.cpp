// Sorts what a page says into what its Viewer answers and what hosts answer.
#include "far_page/wide_socket.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/utf8.hpp"
#include "far_page/far_view.hpp"
#include "json/json_reader.hpp"
#include "page/acts.hpp"
#include "page/page_request.hpp"
#include "page/wire.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {
namespace {

using nlohmann::json;

constexpr std::size_t kSessionBytes = 8;

/// Whether a message of our own is of this kind: within a text the quotes would be escaped.
bool is_of_kind(const std::string& message, std::string_view kind) {
  return message.find(R"("t":")" + std::string(kind) + '"') != std::string::npos;
}

/// What a page said, as far as it is JSON; the Viewer tells what is wrong with it.
json read_said(const std::string& text) {
  json said;
  std::string detail;
  return read_json(text, said, detail) == JsonFault::none && said.is_object() ? said : json::object();
}

std::optional<std::uint16_t> channel_in(const json& said) {
  const auto found = said.find("ch");
  if (found == said.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() > UINT16_MAX) {
    return std::nullopt;
  }
  return found->get<std::uint16_t>();
}

std::string unwatch_text(std::uint16_t channel) {
  json message;
  message["t"] = "unwatch";
  message["ch"] = channel;
  return wire_text(message);
}

}  // namespace

WideSocket::WideSocket(const boost::asio::any_io_executor& executor, const Config& config, Socket& page,
                       Hidden hidden)
    : config_(config), page_(page), hidden_(std::move(hidden)), crew_(executor) {}

Awaitable<void> WideSocket::end() {
  return crew_.end();
}

Awaitable<bool> WideSocket::tell(json message) {  // NOLINT(performance-unnecessary-value-param)
  return page_.send_text(wire_text(message));
}

Awaitable<std::optional<std::string>> WideSocket::receive() {
  for (;;) {
    if (for_viewer_) {
      co_return std::exchange(for_viewer_, std::nullopt);
    }
    std::optional<std::string> text = std::exchange(put_off_, std::nullopt);
    if (!text) {
      text = co_await page_.receive();
    }
    if (!text) {
      co_return std::nullopt;
    }
    co_await sort(std::move(*text));
  }
}

/// What names no host is the Viewer's.
Awaitable<void> WideSocket::sort(std::string text) {
  const json said = read_said(text);
  const std::string type = text_field(said, "t").value_or("");
  const bool is_of_tab = type == "watch" || Acts::is_act(type);
  const auto name = split_far_name(is_of_tab ? text_field(said, "tab").value_or("") : "");
  const auto channel = channel_in(said);
  if (type == "search") {
    co_await search(std::move(text));
    co_return;
  }
  if (type == "stop") {
    stop_search(said.value("id", json(nullptr)));
  }
  std::shared_ptr<HostTabs> host;
  if (name) {
    const auto found = hosts_.find(name->host);
    if (found == hosts_.end()) {
      const Error error(ErrorCode::not_found, "tab: \"" + shortened(name->host, 80) + "\" is no host");
      std::string answer = error_text(said.value("re", json(nullptr)), error);
      co_await page_.send_text(std::move(answer));
      co_return;
    }
    host = found->second.tabs;
  } else if (channel && (type == "unwatch" || type == "ack")) {
    host = holder_of(*channel);
  }
  if (type == "watch" && channel) {
    if (host && of_viewer_.erase(*channel) > 0) {  // first, so that nothing of the old tab comes in between
      for_viewer_ = unwatch_text(*channel);
      put_off_ = std::move(text);
      co_return;
    }
    give_to(host ? host->name() : "", *channel);
  }
  if (host) {
    std::string tab = name ? name->rest : "";
    co_await ask_host(std::move(host), std::move(text), std::move(tab));
  } else {
    for_viewer_ = std::move(text);
  }
}

std::shared_ptr<HostTabs> WideSocket::holder_of(std::uint16_t channel) const {
  for (const auto& [name, place] : hosts_) {
    if (place.tabs->watches(channel)) {
      return place.tabs;
    }
  }
  return nullptr;
}

/// A channel is one place's: what another still sends in it is dropped. "": the Viewer.
void WideSocket::give_to(const std::string& host, std::uint16_t channel) {
  for (const auto& [name, place] : hosts_) {
    if (name != host) {
      place.tabs->forget(channel);
    }
  }
  if (host.empty()) {
    of_viewer_.insert(channel);
  }
}

Awaitable<void> WideSocket::ask_host(std::shared_ptr<HostTabs> host, std::string text, std::string tab) {
  json re;
  std::string answer;
  try {
    const PageRequest request(text);
    re = request.re();
    const bool is_done = host->take(request, tab);
    if (is_done && !re.is_null()) {
      answer = done_text(re);
    }
  } catch (const Error& error) {
    answer = error_text(re, error);
  }
  if (!answer.empty()) {
    co_await page_.send_text(std::move(answer));
  }
}

/// One of whose tabs all are here passes as it is.
Awaitable<void> WideSocket::search(std::string text) {
  json said = read_said(text);
  const json tabs = said.value("tabs", json(nullptr));
  json here = json::array();
  std::map<std::string, Names> far;
  for (const json& tab : tabs) {
    const auto name = tab.is_string() ? split_far_name(tab.get<std::string>()) : std::nullopt;
    if (name && hosts_.contains(name->host)) {
      far[name->host].push_back(name->rest);
    } else {
      here.push_back(tab);
    }
  }
  if (far.empty() || !said.contains("id")) {
    for_viewer_ = std::move(text);
    co_return;
  }
  said["tabs"] = here;
  const bool also_here = !here.empty();
  if (also_here) {
    for_viewer_ = wire_text(said);
  }
  co_await search_hosts(std::move(said), std::move(far));
}

Awaitable<void> WideSocket::search_hosts(json request, std::map<std::string, Names> far) {
  const json re = request.value("re", json(nullptr));
  Names places;
  if (for_viewer_) {
    places.emplace_back();
  }
  for (const auto& [name, tabs] : far) {
    places.push_back(name);
  }
  std::uint64_t number = 0;
  std::string answer;
  try {
    number = searches_.begin(request, places);
    if (!for_viewer_ && !re.is_null()) {
      answer = done_text(re);
    }
  } catch (const Error& error) {
    answer = error_text(re, error);
    for_viewer_.reset();
    far.clear();
  }
  if (!answer.empty()) {
    co_await page_.send_text(std::move(answer));
  }
  for (const auto& [name, tabs] : far) {
    std::string why = "there is no link to " + name;
    const auto host = hosts_.find(name);
    bool asked = false;
    try {
      asked = host != hosts_.end() && host->second.tabs->search(request, number, tabs);
    } catch (const Error& error) {
      why = error.what();
    }
    auto hits = asked ? std::nullopt : searches_.fail(number, name, why);
    if (hits) {
      co_await tell(std::move(*hits));
    }
  }
}

void WideSocket::stop_search(const json& id) {
  const auto number = searches_.forget(id);
  for (const auto& [name, place] : hosts_) {
    if (number) {
      place.tabs->stop_search(*number);
    }
  }
}

Awaitable<bool> WideSocket::send_text(std::string message) {
  if (is_of_kind(message, "hello")) {
    co_return co_await greet(json::parse(message));
  }
  if (is_of_kind(message, "tabs")) {
    json tabs = json::parse(message);
    for (const auto& [name, place] : hosts_) {
      place.tabs->add_tabs(tabs["tabs"]);
    }
    co_return co_await tell(std::move(tabs));
  }
  if (is_of_kind(message, "hits")) {
    json hits = searches_.take_here(json::parse(message));
    if (hits.is_null()) {
      co_return true;
    }
    co_return co_await tell(std::move(hits));
  }
  if (is_of_kind(message, "error")) {
    searches_.refuse(json::parse(message)["re"]);
  }
  co_return co_await page_.send_text(std::move(message));
}

Awaitable<bool> WideSocket::send_binary(std::string message) {
  return page_.send_binary(std::move(message));
}

/// The page's channels end with each hello. Hosts are not waited for.
Awaitable<bool> WideSocket::greet(json hello) {
  std::string instance = text_field(hello, "instance").value_or("");
  std::string trouble = co_await look_at(std::move(instance));
  for (const auto& [name, place] : hosts_) {
    place.tabs->forget_all();
    hello["hosts"].push_back(place.tabs->row());
  }
  bool sent = co_await tell(std::move(hello));
  if (sent && !trouble.empty()) {
    const Error error(ErrorCode::io, "The tabs of hosts are not shown: " + trouble);
    std::string text = error_text(nullptr, error);
    sent = co_await page_.send_text(std::move(text));
  }
  co_return sent;
}

/// What is wrong with hosts.json; empty: nothing.
Awaitable<std::string> WideSocket::look_at(std::string instance) {
  std::string trouble;
  if (instance == instance_) {
    co_return trouble;
  }
  for (auto& [name, place] : std::exchange(hosts_, {})) {
    place.running.cancel();
    co_await place.running.wait_by(Clock::time_point::max());
  }
  instance_ = std::move(instance);
  if (instance_.empty()) {
    co_return trouble;
  }
  try {
    for (const HostEntry& host : read_hosts(config_.hosts_file)) {
      Visitor visitor = page_.visitor();
      visitor.session = random_hex(kSessionBytes);
      HostTabs::Terms terms{far_view(config_, host, instance_, visitor), page_, searches_, hidden_};
      const auto tabs = std::make_shared<HostTabs>(std::move(terms));
      hosts_[host.name] = {tabs, crew_.add(HostTabs::run(tabs))};
    }
  } catch (const Error& error) {
    trouble = error.what();
  }
  co_return trouble;
}

}  // namespace terminally
