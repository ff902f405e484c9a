#include "tmux/wire/others_typed.hpp"

#include "tmux/wire/channel_session.hpp"
#include "tmux/wire/quoting.hpp"

namespace terminally {
namespace {

/// A list of clients has one in it that is no channel of ours, of whichever server.
std::string others_in(const std::string& list) {
  return "#{!=:#{s/" + std::string(kChannelName) + "[0-9]+,?//:" + list + "},}";
}

/// Grows with every client that comes; a client that stays moves the second of its session with each key.
/// Sessions that nobody sees do not count, so a client that goes is seen by what is missing; no hook is
/// needed for it (`attach` has one of its own there).
std::string keys_so_far() {
  return "#{@terminally_visits}#{S:#{?" + others_in("session_attached_list") +
         ",/#{session_id}:#{session_activity},}}";
}

/// A client had a key in this second, or so many before it. "Not before", because the clock that this reads
/// may lag behind the other. `watched`: which sessions are looked at.
std::string key_came(int seconds_ago, const std::string& watched) {
  return "#{S:#{?" + watched + ",#{?#{e|<|:#{e|+|:#{session_activity}," + std::to_string(seconds_ago) +
         "},#{T:@terminally_now}},,1},}}";
}

std::string key_came_lately() {
  return key_came(1, others_in("session_attached_list"));
}

}  // namespace

std::string touch_hooks() {
  // Each of our processes says this anew: what tmux counted while none was there stays.
  std::string text = "set -goq @terminally_visits 0\n";
  const std::string count = std::string("set -gF @terminally_visits '#{?") + kIsOfChannel +
                            ",#{@terminally_visits},#{e|+|:#{@terminally_visits},1}}'";
  for (const char* event : {"client-attached", "client-session-changed"}) {
    text += std::string("set-hook -g ") + event + " " + quote(count + " ; " + lead_on_to_tabs()) + "\n";
  }
  for (const char* event : {"after-send-keys", "after-paste-buffer"}) {
    text += std::string("set-hook -g ") + event + " " + quote("set -p @terminally_seen sent") + "\n";
  }
  return text;
}

std::string set_untouched(std::string_view target) {
  return "set -pF " + std::string(target) + " @terminally_seen '#{?" +
         key_came(0, others_in("session_attached_list")) + ",watched," + keys_so_far() + "}'";
}

std::string others_typed() {
  return "#{!=:#{@terminally_seen}," + keys_so_far() + "}";
}

std::string others_typed_just_now() {
  return "#{||:#{==:#{@terminally_seen},sent},#{&&:" + others_in("window_active_clients_list") + "," +
         others_typed() + "}}";
}

std::string is_typed_into() {
  return "#{&&:" + others_in("window_active_clients_list") + "," + key_came_lately() + "}";
}

std::string typed_into_by_others() {
  return "#{&&:" + others_typed() + "," + is_typed_into() + "}";
}

}  // namespace terminally
