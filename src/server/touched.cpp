#include "server/touched.hpp"

#include "server/quoting.hpp"

namespace terminally {
namespace {

/// A client, or one of a list, is named by its tty (`/dev/pts/0`), and not by its process (`client-123`;
/// tmux: server_client_create, server-client.c). Our channel never is; nor is a person's whose terminal has
/// no path here (it is of another mount namespace).
std::string has_tty(const std::string& clients) {
  return "#{m:*/*,#{" + clients + "}}";
}

/// A list of clients has one in it that is not our channel.
std::string person_in(const std::string& list) {
  return "#{||:" + has_tty(list) + ",#{&&:#{" + list + "},#{!=:#{" + list + "},#{@terminally_channel}}}}";
}

/// In a client's hook, of the client that it is about: that it has these flags. What is known but its name is
/// of tmux's best client of the session, which may be another.
std::string is_flagged(const std::string& no_output) {
  return "#{&&:#{==:#{hook_client},#{client_name}},#{==:#{m:*no-output*,#{client_flags}}," + no_output + "}}";
}

/// Where neither of the two is sure, it counts as both.
std::string is_person() {
  return "#{||:" + has_tty("hook_client") + "," + is_flagged("0") + "}";
}
std::string is_channel() {
  return "#{&&:#{!=:" + has_tty("hook_client") + ",1}," + is_flagged("1") + "}";
}

/// Grows with every client that comes; a client that stays moves the second of its session with each key.
/// Sessions that nobody sees do not count, so a client that goes is seen by what is missing; no hook is
/// needed for it (`attach` has one of its own there).
std::string keys_so_far() {
  return "#{@terminally_visits}#{S:#{?" + person_in("session_attached_list") +
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
      1, "#{&&:" + person_in("session_attached_list") + ",#{!=:#{session_activity},#{@terminally_came}}}");
}

/// Sets an option to a value of it where that holds, and else to another.
std::string set_if(const std::string& option, const std::string& holds, const std::string& value,
                   const std::string& other) {
  return "set -gF @terminally_" + option + " '#{?" + holds + "," + value + "," + other + "}'";
}

}  // namespace

std::string touch_hooks() {
  // Each of our processes says this anew: what tmux counted while none was there stays.
  std::string text = "set -goq @terminally_visits 0\n";
  for (const char* event : {"client-attached", "client-session-changed"}) {
    text += std::string("set-hook -g ") + event + " " +
            quote(set_if("visits", is_channel(), "#{@terminally_visits}", "#{e|+|:#{@terminally_visits},1}") +
                  " ; " + set_if("channel", is_person(), "#{@terminally_channel}", "#{hook_client}") + " ; " +
                  set_if("came", is_person(), "#{@terminally_came}", "#{session_activity}")) +
            "\n";
  }
  for (const char* event : {"after-send-keys", "after-paste-buffer"}) {
    text += std::string("set-hook -g ") + event + " " + quote("set -p @terminally_seen sent") + "\n";
  }
  return text;
}

std::string set_untouched(std::string_view target) {
  return "set -pF " + std::string(target) + " @terminally_seen '#{?" +
         key_came(0, person_in("session_attached_list")) + ",watched," + keys_so_far() + "}'";
}

std::string touched() {
  return "#{!=:#{@terminally_seen}," + keys_so_far() + "}";
}

std::string touched_just_now() {
  return "#{||:#{==:#{@terminally_seen},sent},#{&&:" + person_in("window_active_clients_list") + "," +
         touched() + "}}";
}

std::string is_typed_into() {
  return "#{&&:" + person_in("window_active_clients_list") + "," + key_came_lately() + "}";
}

std::string typed_into_by_others() {
  return "#{&&:" + touched() + "," + is_typed_into() + "}";
}

}  // namespace terminally
