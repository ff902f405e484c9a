// Makes one call in several tabs, and takes the answer that comes first.
#include "toolkit/one_of_tabs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/event.hpp"
#include "base/spawned.hpp"
#include "json/json_reader.hpp"
#include "toolkit/args.hpp"

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

Error refused_tabs(const std::string& problem) {
  return {ErrorCode::invalid_argument, std::string(kSeveralTabs) + ": " + problem};
}

Awaitable<ordered_json> and_tell(Awaitable<ordered_json> call, std::shared_ptr<Event> ended) {
  try {
    ordered_json result = co_await std::move(call);
    ended->set();
    co_return result;
  } catch (...) {
    ended->set();
    throw;
  }
}

/// The calls that are under way; those that are left are cancelled at its end.
class Race {
 public:
  explicit Race(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}
  ~Race() {
    for (const Spawned<ordered_json>& call : calls_) {
      call.cancel();
    }
  }
  Race(const Race&) = delete;
  Race& operator=(const Race&) = delete;

  void enter(Awaitable<ordered_json> call) {
    calls_.emplace_back(executor_, and_tell(std::move(call), ended_));
    results_.emplace_back();
  }

  /// Which has an answer that tells of something; none: not yet, or none will.
  std::optional<std::size_t> winner() {
    for (std::size_t at = 0; at < calls_.size(); ++at) {
      if (!results_[at] && calls_[at].is_over()) {
        results_[at] = calls_[at].result();
      }
      if (results_[at] && text_field(*results_[at], "reason") != "timeout") {
        return at;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool goes_on() const {
    return std::ranges::any_of(calls_, [](const Spawned<ordered_json>& call) { return !call.is_over(); });
  }
  Awaitable<void> wait_for_next() {
    co_await ended_->wait();
    ended_->clear();
  }
  ordered_json take(std::size_t at) { return *std::exchange(results_[at], std::nullopt); }

 private:
  boost::asio::any_io_executor executor_;
  std::shared_ptr<Event> ended_ = std::make_shared<Event>();
  std::vector<Spawned<ordered_json>> calls_;
  std::vector<std::optional<ordered_json>> results_;
};

}  // namespace

std::vector<std::shared_ptr<const json>> in_each_tab(const json& arguments) {
  std::vector<std::shared_ptr<const json>> all;
  const auto tabs = arguments.find(kSeveralTabs);
  if (tabs == arguments.end()) {
    return all;
  }
  if (arguments.contains("window_id")) {
    throw refused_tabs("window_id is given as well; leave one of them out");
  }
  if (arguments.contains("from_byte")) {
    throw refused_tabs("from_byte is an offset in one tab's log; leave it out, or wait for one tab");
  }
  if (!tabs->is_array() || tabs->empty() || tabs->size() > kMostTabsAtOnce) {
    throw refused_tabs("expected a list of 1 to " + std::to_string(kMostTabsAtOnce) + " tabs");
  }
  all.reserve(tabs->size());
  for (const json& tab : *tabs) {
    json changed = arguments;
    changed.erase(kSeveralTabs);
    changed["window_id"] = tab;
    all.push_back(std::make_shared<const json>(std::move(changed)));
  }
  return all;
}

Awaitable<ordered_json> first_answer(std::vector<std::string> tabs,
                                     std::vector<Awaitable<ordered_json>> calls) {
  Race race(co_await boost::asio::this_coro::executor);
  for (Awaitable<ordered_json>& call : calls) {
    race.enter(std::move(call));
  }
  std::optional<std::size_t> winner = race.winner();
  while (!winner && race.goes_on()) {
    co_await race.wait_for_next();
    winner = race.winner();
  }
  const std::size_t of = winner.value_or(0);
  ordered_json result = race.take(of);
  result["window_id"] = tabs[of];
  if (!winner && tabs.size() > 1) {
    result["notes"].push_back("none of the " + std::to_string(tabs.size()) +
                              " tabs has come to it; this is " + tabs[of]);
  }
  co_return result;
}

}  // namespace terminally
