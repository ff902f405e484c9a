#include "server/touched.hpp"

#include "server/quoting.hpp"

namespace terminally {
namespace {

/// A client, or a list of them, has a terminal: it is named by its tty (`/dev/pts/0`), and one without by its
/// process (`client-123`; tmux: server_client_create, server-client.c). Our channel has none; nor has a key.
std::string has_terminal(const std::string& clients) {
  return "#{m:*/*,#{" + clients + "}}";
}

/// Grows with every client that comes; a client that stays moves the second of its session with each key.
/// Sessions that nobody sees do not count, so a client that goes is seen by what is missing; no hook is
/// needed for it (`attach` has one of its own there).
std::string keys_so_far() {
  return "#{@terminally_visits}#{S:#{?" + has_terminal("session_attached_list") +
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
      1, "#{&&:" + has_terminal("session_attached_list") + ",#{!=:#{session_activity},#{@terminally_came}}}");
}

/// In a client's hook: sets an option by which client it is about, not by tmux's best one of the session.
std::string set_by_client(const std::string& option, const std::string& person, const std::string& channel) {
  return "set -gF @terminally_" + option + " '#{?" + has_terminal("hook_client") + "," + person + "," +
         channel + "}'";
}

}  // namespace

std::string touch_hooks() {
  std::string text = "set -g @terminally_visits 0\n";
  for (const char* event : {"client-attached", "client-session-changed"}) {
    text += std::string("set-hook -g ") + event + " " +
            quote(set_by_client("visits", "#{e|+|:#{@terminally_visits},1}", "#{@terminally_visits}") +
                  " ; " + set_by_client("came", "#{@terminally_came}", "#{session_activity}")) +
            "\n";
  }
  for (const char* event : {"after-send-keys", "after-paste-buffer"}) {
    text += std::string("set-hook -g ") + event + " " + quote("set -p @terminally_seen sent") + "\n";
  }
  return text;
}

std::string set_untouched(std::string_view target) {
  return "set -pF " + std::string(target) + " @terminally_seen '#{?" +
         key_came(0, has_terminal("session_attached_list")) + ",watched," + keys_so_far() + "}'";
}

std::string touched() {
  return "#{!=:#{@terminally_seen}," + keys_so_far() + "}";
}

std::string touched_just_now() {
  return "#{||:#{==:#{@terminally_seen},sent},#{&&:" + has_terminal("window_active_clients_list") + "," +
         touched() + "}}";
}

std::string is_typed_into() {
  return "#{&&:" + has_terminal("window_active_clients_list") + "," + key_came_lately() + "}";
}

std::string typed_into_by_others() {
  return "#{&&:" + touched() + "," + is_typed_into() + "}";
}

}  // namespace terminally
