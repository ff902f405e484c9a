#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace terminally {

// What a tmux server and its clients say on its socket (tmux-protocol.h; imsg). Pure bytes. A message is a
// header of four numbers of 32 bits, as this machine has them (its kind, its size, the version of the
// protocol, a pid), and what its kind has to say. tmux ends, with all tabs, over one that it does not
// understand.

/// How a header says that a descriptor comes with its message: to the other kind of tmux it is nonsense.
enum class WireForm : std::uint8_t {
  flagged,  ///< tmux 3.2 to 3.5: the size has 16 bits, and behind it there are 16 of flags
  marked,   ///< tmux 3.6 and later: the highest bit of the size
};

/// How a client introduces itself: three parts, each to be sent by itself, so that a descriptor comes with
/// the message that it belongs to.
struct Introduction {
  std::string until_input;   ///< with what tmux is to read commands from
  std::string until_output;  ///< with what it is to answer on
  std::string rest;
};

/// A client of this name in control mode, whose first command has these words. `tmux -C` says that it is in
/// control mode first of all, and tmux up to 3.6 crashes where it has something to tell such a client, or
/// loses it, before it knows it whole (its pull requests 4980 and 5004). Here that comes last: what is in one
/// part is taken in one go.
[[nodiscard]] Introduction introduce(WireForm form, const std::string& name, int pid,
                                     const std::vector<std::string>& command);

/// What a server says to a client: only that it is over is of interest.
class WireReader {
 public:
  /// Takes what was read, cut anywhere. False: it is over, and nothing more is to be fed.
  [[nodiscard]] bool feed(std::string_view bytes);
  /// The server has said something.
  [[nodiscard]] bool was_spoken_to() const { return spoken_to_; }

 private:
  std::string unread_;
  bool spoken_to_ = false;
};

}  // namespace terminally
