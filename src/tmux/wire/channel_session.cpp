// The session of our channels.
#include "tmux/wire/channel_session.hpp"

#include "tmux/wire/quoting.hpp"

namespace terminally {

std::vector<std::string> attach_to_channel_session() {
  return {"new-session", "-A",         "-s", "terminally", "-f",           "no-output,ignore-size", "true",
          ";",           "set-option", "-w", "-t",         "=terminally:", "remain-on-exit",        "on"};
}

std::string lead_on_to_tabs() {
  return "run-shell -C " + quote(std::string("#{?#{&&:") + kIsChannelSession + ",#{==:" + kIsOfChannel +
                                 ",0}},switch-client -c '#{hook_client}' -t "
                                 "'#{S:#{?@terminally_tabs,#{session_id},}}',}");
}

}  // namespace terminally
