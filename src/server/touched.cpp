#include "server/touched.hpp"

#include "server/quoting.hpp"

namespace terminally {
namespace {

/// Grows with every client that comes; a client that stays moves the second of its session with each key.
/// Sessions that nobody sees do not count, so a client that goes is seen by what is missing; no hook is
/// needed for it (`attach` has one of its own there).
constexpr std::string_view kKeysSoFar =
    "#{@terminally_visits}#{S:#{?session_attached_list,/#{session_id}:#{session_activity},}}";

/// A client had a key in this second, or so many before it. "Not before", because the clock that this reads
/// may lag behind the other.
std::string key_came(int seconds_ago) {
  return "#{S:#{?session_attached_list,#{?#{e|<|:#{e|+|:#{session_activity}," + std::to_string(seconds_ago) +
         "},#{T:@terminally_now}},,1},}}";
}

}  // namespace

std::string touch_hooks() {
  std::string text = "set -g @terminally_visits 0\n";
  for (const char* event : {"client-attached", "client-session-changed"}) {
    text += std::string("set-hook -g ") + event + " " +
            quote("set -gF @terminally_visits '#{e|+|:#{@terminally_visits},1}'") + "\n";
  }
  for (const char* event : {"after-send-keys", "after-paste-buffer"}) {
    text += std::string("set-hook -g ") + event + " " + quote("set -p @terminally_seen sent") + "\n";
  }
  return text;
}

std::string set_untouched(std::string_view target) {
  return "set -pF " + std::string(target) + " @terminally_seen '#{?" + key_came(0) + ",watched," +
         std::string(kKeysSoFar) + "}'";
}

std::string touched() {
  return "#{!=:#{@terminally_seen}," + std::string(kKeysSoFar) + "}";
}

std::string touched_just_now() {
  return "#{||:#{==:#{@terminally_seen},sent},#{&&:#{window_active_clients}," + touched() + "}}";
}

std::string is_typed_into() {
  return "#{&&:#{window_active_clients}," + key_came(1) + "}";
}

std::string typed_into_by_others() {
  return "#{&&:" + touched() + "," + is_typed_into() + "}";
}

}  // namespace terminally
