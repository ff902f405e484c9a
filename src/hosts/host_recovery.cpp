// Finds the command of a call whose link was lost, by the call's key, and answers from its state.
#include <algorithm>
#include <boost/asio.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "hosts/host.hpp"
#include "hosts/lost_call.hpp"
#include "json/json_reader.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr Milliseconds kTryAgain{500};
constexpr Milliseconds kLastLook{1'000};  ///< how long an answer to the last question is waited for
constexpr Milliseconds kEndsWhenBackWithin{60'000};
constexpr const char* kFoundAgain =
    "the link was lost during the call; the command was sent once, and this is its state";

/// What was wrong, without the advice behind it: that is for another question.
std::string cause_of(const Error& error) {
  const std::string what = error.what();
  return what.substr(0, what.find(';'));
}

}  // namespace

struct Host::Found {
  std::string window;  ///< empty: it is not on record
  std::string command;
  std::string place;  ///< of the records that were looked at
};

awaitable<ordered_json> Host::ask_by_key(std::string method, std::string key, Clock::time_point by,
                                         Milliseconds within) {
  const std::shared_ptr<FarSession> session = co_await connected(by);
  FarSession::Request request;
  request.method = std::move(method);
  request.params = std::make_shared<ordered_json>();
  (*request.params)["key"] = std::move(key);
  request.by = std::min(by, Clock::now() + within);
  co_return co_await session->request(std::move(request));
}

awaitable<void> Host::end_command(std::string key) {
  const Milliseconds window(start_.limits.window_ms);
  co_await ask_by_key("terminally-mcp/end_command", std::move(key), Clock::now() + kConnectsWithin + window,
                      window);
}

/// Ends the command of a call that was cancelled while the link was down, once the link is back.
awaitable<void> Host::end_when_back(std::string key) {
  const auto self = shared_from_this();
  const auto give_up = Clock::now() + kEndsWhenBackWithin;
  while (Clock::now() < give_up) {
    try {
      co_await end_command(key);
      co_return;
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): tried again, while there is time
    }
    co_await sleep_for(kTryAgain);
  }
}

awaitable<Host::Found> Host::find(std::string key, Clock::time_point by) {
  const ordered_json answer =
      co_await ask_by_key("terminally-mcp/find_command", std::move(key), by, kConnectsWithin);
  Found found{text_field(answer, "window_id").value_or(""), text_field(answer, "command_id").value_or(""),
              place_in(answer)};
  if (answer.contains("window_id") && (found.window.empty() || found.command.empty())) {
    throw Error(ErrorCode::io, "the host answered with malformed ids of the command; versions may differ");
  }
  co_return found;
}

/// Replaces a call's key, which names a command whose answer was lost, by the ids of the command.
awaitable<FarCall> Host::with_found_command(FarCall call, Clock::time_point by) {
  const Found found = co_await find(*call_key_of(*call.arguments), by);
  if (found.window.empty()) {
    throw Error(ErrorCode::not_found,
                "there is no record of it on the host: it never ran, or its record is gone (only the last "
                "1,000 are kept, "
                "as long as their directory). Check with list_tabs or read_screen before you repeat it");
  }
  json changed = *call.arguments;
  changed["window_id"] = found.window;
  changed["command_id"] = found.command;
  call.arguments = std::make_shared<const json>(std::move(changed));
  co_return call;
}

/// Asks for the command once the link is back. A known one's state is the answer; an unknown one never ran,
/// if the host has the records that it had when the call went there. What goes wrong with our own questions
/// is no answer to the call: they are asked again, while there is time.
awaitable<ordered_json> Host::recover(FarCall call, std::string key, Lost lost, Clock::time_point until) {
  Found found;
  std::string trouble;
  while (Clock::now() < until) {
    bool asked = false;
    try {
      if (found.window.empty()) {
        found = co_await find(key, until);
        asked = true;
      }
      if (!found.window.empty()) {
        co_return co_await see_through(call, found, until);
      }
    } catch (const Error& error) {
      trouble = cause_of(error);
    }
    if (asked && found.window.empty()) {
      throw no_record(!lost.place.empty() && found.place == lost.place, lost.why);
    }
    co_await sleep_until(std::min(until, Clock::now() + kTryAgain));
  }
  co_return !found.window.empty()
      ? found_answer(call, found.window, found.command, trouble)
      : lost_answer(call, key,
                    "the link was lost (" + lost.why + "), and the command could not be asked for since (" +
                        trouble + ")");
}

/// Polls the command's state until the command ends, or until `until`.
awaitable<ordered_json> Host::see_through(FarCall call, Found found, Clock::time_point until) {
  const json given = *call.arguments;
  FarCall ask;
  ask.host = call.host;
  ask.tool = kCommandState;
  ask.arguments =
      std::make_shared<const json>(query_of(given, call.traits.begins, found.window, found.command));
  const bool waits = call.traits.begins == Begins::command;
  Milliseconds pause(20);
  ordered_json now = ordered_json::object();
  for (;;) {
    std::shared_ptr<FarSession> session = co_await connected(until);
    now = co_await call_tool(std::move(session), ask, "", until + kLastLook);
    if (!waits || text_field(now, "state").value_or("") != "running" || Clock::now() + pause >= until) {
      break;
    }
    co_await sleep_for(pause);
    pause = std::min(pause * 2, Milliseconds(1'000));
  }
  if (waits) {
    if (!given.contains("window_id")) {
      now["window_id"] = found.window;
    }
    now["notes"].push_back(kFoundAgain);
    co_return now;
  }
  ordered_json started;
  started["window_id"] = found.window;
  started["started"] = text_field(now, "reason").value_or("") != "no_shell_answered";
  started["command_id"] = found.command;
  started["start_byte"] = now.value("start_byte", ordered_json(0));
  started["notes"].push_back(kFoundAgain);
  if (given.contains("until")) {
    started["notes"].push_back("until was not waited for; call wait_for");
  }
  co_return started;
}

}  // namespace terminally
