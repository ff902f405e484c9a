// The session of our channels.
#include "tmux/wire/channel_session.hpp"

namespace terminally {

/// What its process says is for a person who comes there.
std::vector<std::string> attach_to_channel_session() {
  const std::string session = kChannelSession;
  return {"new-session",
          "-A",
          "-s",
          session,
          "-f",
          "no-output,ignore-size",
          "echo; echo 'C-b ) leads to the tabs'",
          ";",
          "set-option",
          "-w",
          "-t",
          "=" + session + ":",
          "remain-on-exit",
          "on"};
}

}  // namespace terminally
