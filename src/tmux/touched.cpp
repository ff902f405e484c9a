#include "tmux/touched.hpp"

#include "tmux/client.hpp"

namespace terminally {

std::string touch_hooks() {
  std::string text = "set -g @terminally_visits 0\n";
  for (const char* event :
       {"client-attached", "client-detached", "client-session-changed", "session-window-changed"}) {
    text += std::string("set-hook -g ") + event + " " +
            quote("set -gF @terminally_visits '#{e|+|:#{@terminally_visits},1}'") + "\n";
  }
  for (const char* event : {"after-send-keys", "after-paste-buffer"}) {
    text += std::string("set-hook -g ") + event + " " + quote("set -p @terminally_seen sent") + "\n";
  }
  return text;
}

}  // namespace terminally
