// Answers what a page asks over HTTP, and hands its socket to a viewer.
#include "page/page_site.hpp"

#include <ctime>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "instance/tab_ids.hpp"
#include "log/log_end.hpp"
#include "page/news.hpp"
#include "page/page_house.hpp"
#include "page/viewer.hpp"
#include "page/wire.hpp"

namespace terminally {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostCommands = 1'000;
constexpr std::uint64_t kFewCommands = 200;

Error no_such_path(const std::string& path) {
  return Error(ErrorCode::not_found, "nothing is at " + path);
}

/// "/api/log/@3" as "log" and "@3".
struct Place {
  std::string what;
  std::string tab;
};

Place place_in(const std::string& path) {
  constexpr std::string_view kApi = "/api/";
  if (!path.starts_with(kApi)) {
    throw no_such_path(path);
  }
  const std::string rest = path.substr(kApi.size());
  const std::size_t slash = rest.find('/');
  return {rest.substr(0, slash), slash == std::string::npos ? "" : rest.substr(slash + 1)};
}

WindowId tab_in(const std::string& text) {
  const auto window = parse_window_id(text);
  if (!window) {
    throw Error(ErrorCode::not_found, "\"" + text + "\" is no tab");
  }
  return *window;
}

std::string instance_in(PageHouse& house, const Query& query) {
  const auto found = query.find("instance");
  if (found != query.end()) {
    if (!house.shows(found->second)) {
      throw Error(ErrorCode::not_found, "there is no instance \"" + found->second + "\"");
    }
    return found->second;
  }
  const auto newest = newest_of(house.instances());
  if (!newest) {
    throw Error(ErrorCode::not_found, "there is no instance");
  }
  return *newest;
}

/// By its files: a tab of any generation, open or closed.
SeenTab tab_of(const Instance& instance, WindowId window) {
  const auto generation = generation_of(instance, window);
  if (!generation) {
    throw Error(ErrorCode::not_found, "there is no tab " + to_string(window) + " in " + instance.name());
  }
  SeenTab tab(window, log_path(instance.generation(*generation), to_string(window)));
  const bool is_closed = *generation != instance.newest_generation() || log_writer(tab.log.path()) == 0;
  tab.closed_at_ms = is_closed ? 1 : 0;
  return tab;
}

Response as_json(json answer, const std::shared_ptr<const Secrets>& hidden) {
  if (hidden) {
    TextGuard guard(hidden);
    mask_texts(answer, guard);
  }
  Response response;
  response.body = wire_text(answer);
  return response;
}

Response commands_answer(const SeenTab& tab, const Query& query,
                         const std::shared_ptr<const Secrets>& hidden) {
  const auto before = query.find("before");
  const auto limit = std::clamp<std::uint64_t>(number_in(query, "limit", kFewCommands), 1, kMostCommands);
  json answer =
      commands_of(tab, static_cast<std::size_t>(limit), before == query.end() ? "" : before->second);
  answer["tab"] = to_string(tab.window);
  return as_json(std::move(answer), hidden);
}

/// "work-@3-20261125.log".
std::string file_name_of(const std::string& instance, WindowId window) {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  ::localtime_r(&now, &day);
  std::array<char, 16> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y%m%d", &day);
  return instance + "-" + to_string(window).substr(1) + "-" + std::string(text.data(), size) + ".log";
}

}  // namespace

PageSite::PageSite(boost::asio::any_io_executor executor, Config config, std::string only)
    : house_(std::make_unique<PageHouse>(std::move(executor), std::move(config), std::move(only))) {}
PageSite::~PageSite() = default;

Awaitable<Response> PageSite::answer(Request request) {
  if (request.method != "GET") {
    throw Error(ErrorCode::invalid_argument, "only GET is served here");
  }
  const Place place = place_in(request.path);
  const std::shared_ptr<const Secrets> hidden = house_->hidden_from(request.visitor);
  if (place.what == "instances" && place.tab.empty()) {
    json answer;
    answer["instances"] = instances_json(house_->instances());
    co_return as_json(std::move(answer), hidden);
  }
  const WindowId window = tab_in(place.tab);
  const Instance instance(house_->config(), instance_in(*house_, request.query));
  const SeenTab tab = tab_of(instance, window);
  const ShownLog log{tab.log, hidden, !tab.is_closed()};
  if (place.what == "log") {
    co_return co_await log_answer(log, request.query);
  }
  if (place.what == "commands") {
    co_return commands_answer(tab, request.query, hidden);
  }
  if (place.what == "times") {
    co_return times_answer(tab.log, request.query);
  }
  if (place.what == "download") {
    co_return download_answer(log, request.query, file_name_of(instance.name(), window));
  }
  throw no_such_path(request.path);
}

Awaitable<void> PageSite::live(Socket& socket, Query query) {
  Viewer viewer(*house_, socket);
  std::string instance = query["instance"];
  co_await viewer.run(std::move(instance));
}

std::shared_ptr<const Secrets> PageSite::hidden_from(const Visitor& visitor) const {
  return house_->hidden_from(visitor);
}

std::string PageSite::instance_of(const Query& query) {
  return instance_in(*house_, query);
}

bool PageSite::is_idle() const {
  return house_->is_idle();
}

}  // namespace terminally
