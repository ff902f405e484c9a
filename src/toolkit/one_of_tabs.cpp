// Makes one call in several tabs, and takes the answer that comes first.
#include "toolkit/one_of_tabs.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
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

/// What has come of the calls so far. A call that is over is told by what it left here: the end of its
/// coroutine may come later.
struct Outcomes {
  explicit Outcomes(std::size_t calls) : results(calls), open(calls) {}

  std::vector<std::optional<ordered_json>> results;
  std::exception_ptr failure;  ///< of the first that failed
  std::size_t open;
  Event news;
};

Awaitable<void> note_outcome(Awaitable<ordered_json> call, std::size_t at,
                             std::shared_ptr<Outcomes> outcomes) {
  try {
    ordered_json result = co_await std::move(call);
    outcomes->results[at] = std::move(result);
  } catch (...) {
    if (!outcomes->failure) {
      outcomes->failure = std::current_exception();
    }
  }
  --outcomes->open;
  outcomes->news.set();
}

/// Which call has told of something.
std::optional<std::size_t> winner_of(const Outcomes& outcomes) {
  const auto tells = [](const std::optional<ordered_json>& result) {
    return result && text_field(*result, "reason") != "timeout";
  };
  const auto found = std::ranges::find_if(outcomes.results, tells);
  return found == outcomes.results.end()
             ? std::nullopt
             : std::optional(static_cast<std::size_t>(found - outcomes.results.begin()));
}

/// Work that is cancelled when nobody waits for it any more.
class CancelledAtEnd {
 public:
  CancelledAtEnd() = default;
  ~CancelledAtEnd() {
    for (const Spawned<>& call : calls_) {
      call.cancel();
    }
  }
  CancelledAtEnd(const CancelledAtEnd&) = delete;
  CancelledAtEnd& operator=(const CancelledAtEnd&) = delete;

  void add(Spawned<> call) { calls_.push_back(std::move(call)); }

 private:
  std::vector<Spawned<>> calls_;
};

/// Each tab's advice of how to go on is for a wait in that tab alone.
void say_that_none_has(ordered_json& result, std::size_t tabs) {
  ordered_json notes = ordered_json::array();
  for (const ordered_json& note : result.value("notes", ordered_json::array())) {
    if (note.is_string() && note.get_ref<const std::string&>().find("from_byte") == std::string::npos) {
      notes.push_back(note);
    }
  }
  notes.push_back("none of the " + std::to_string(tabs) + " tabs has come to it; this is the first of them");
  result["notes"] = std::move(notes);
}

}  // namespace

std::vector<std::shared_ptr<const json>> in_each_tab(const json& arguments) {
  std::vector<std::shared_ptr<const json>> all;
  constexpr std::size_t kMostBytes = std::size_t{64} << 10U;  // each tab's call has a copy
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
  if (arguments.dump().size() > kMostBytes) {
    throw refused_tabs("the arguments are longer than " + std::to_string(kMostBytes) + " bytes");
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

Awaitable<FirstAnswer> first_answer(std::vector<Awaitable<ordered_json>> calls) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto outcomes = std::make_shared<Outcomes>(calls.size());
  CancelledAtEnd under_way;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    under_way.add(Spawned<>(executor, note_outcome(std::move(calls[at]), at, outcomes)));
  }
  std::optional<std::size_t> winner = winner_of(*outcomes);
  while (!winner && !outcomes->failure && outcomes->open > 0) {
    co_await outcomes->news.wait();
    outcomes->news.clear();
    winner = winner_of(*outcomes);
  }
  if (!winner && outcomes->failure) {
    std::rethrow_exception(outcomes->failure);
  }
  FirstAnswer first;
  first.of = winner.value_or(0);
  first.result = std::move(*outcomes->results[first.of]);
  if (!winner && calls.size() > 1) {
    say_that_none_has(first.result, calls.size());
  }
  co_return first;
}

}  // namespace terminally
