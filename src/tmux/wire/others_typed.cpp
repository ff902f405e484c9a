#include "tmux/wire/others_typed.hpp"

#include "tmux/wire/quoting.hpp"

namespace terminally {
namespace {

/// A list of clients has one in it that is not our channel.
std::string others_in(const std::string& list) {
  return "#{&&:#{" + list + "},#{!=:#{" + list + "},#{@terminally_channel}}}";
}

/// In a client's hook: who the client is that it is about. Our channel is named by its process (`client-123`;
/// tmux: server_client_create, server-client.c), and a person's by its tty, where that has a path here: not
/// where it is of another mount namespace. What else is known is of tmux's best client of the session: where
/// that is another, nothing is.
std::string who_comes() {
  return "#{?#{m:*/*,#{hook_client}},person,#{?#{==:#{hook_client},#{client_name}},"
         "#{?#{m:*no-output*,#{client_flags}},channel,person},unknown}}";
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

/// The second in which our channel came is taken for no key's: who only watches would type then.
std::string key_came_lately() {
  return key_came(
      1, "#{&&:" + others_in("session_attached_list") + ",#{!=:#{session_activity},#{@terminally_came}}}");
}

/// In a client's hook, behind who_comes: sets an option to `value` where that is `who`, and else to `other`.
std::string set_if(const std::string& option, const std::string& who, const std::string& value,
                   const std::string& other) {
  return "set -gF @terminally_" + option + " '#{?#{==:#{@terminally_comes}," + who + "}," + value + "," +
         other + "}'";
}

}  // namespace

std::string touch_hooks() {
  // Each of our processes says this anew: what tmux counted while none was there stays.
  std::string text = "set -goq @terminally_visits 0\n";
  for (const char* event : {"client-attached", "client-session-changed"}) {
    text += std::string("set-hook -g ") + event + " " +
            quote("set -gF @terminally_comes '" + who_comes() + "' ; " +
                  set_if("visits", "channel", "#{@terminally_visits}", "#{e|+|:#{@terminally_visits},1}") +
                  " ; " + set_if("channel", "person", "#{@terminally_channel}", "#{hook_client}") + " ; " +
                  set_if("came", "person", "#{@terminally_came}", "#{session_activity}")) +
            "\n";
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

/// The hook behind each command that types would say "sent".
std::string without_touch(std::string_view target, const std::string& commands) {
  const std::string set = "set -pF " + std::string(target) + " ";
  return set + "@terminally_before '#{@terminally_seen}' ; " + commands + " ; " + set +
         "@terminally_seen '#{@terminally_before}'";
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
