#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tmux/wire/channel.hpp"

namespace terminally {

/// What a tmux client in control mode prints (tmux(1), CONTROL MODE), read into answers. Pure text.
///
/// Each command of a list is answered by a block, `%begin T N F`, what it printed, `%end T N F` or `%error T
/// N F`; between blocks there are notifications. What a command
/// prints may be a screen, on which a program has painted such lines. So each operation has a mark behind it
/// that no program knows, unless it may ask tmux (`show-messages`): what comes before the next mark in order
/// is its answer and no other's, whatever it looks like. In it, a block ends with the last line that could be
/// its end.
class ControlReader {
 public:
  /// `secret`: hexadecimal digits that no program in a pane can know.
  explicit ControlReader(std::string_view secret);

  /// An operation, as it is to be sent next. Its commands are in tmux's language, a list a line.
  [[nodiscard]] std::string request(std::string_view commands, std::uint64_t number);

  struct Answered {
    std::uint64_t number = 0;
    TmuxAnswer answer;
  };
  /// Takes what was read, cut anywhere; returns the answers that are complete by now.
  [[nodiscard]] std::vector<Answered> feed(std::string_view bytes);

  /// The client has its session: what is sent now is run.
  [[nodiscard]] bool attached() const { return attached_; }
  /// Grows with each notification that tells of a change of windows or sessions. A program that paints one on
  /// a screen which is asked for counts as well.
  [[nodiscard]] std::uint64_t news() const { return news_; }

 private:
  void take_line(std::string_view line, std::vector<Answered>& answers);
  [[nodiscard]] bool ends_next(std::string_view line) const;

  std::string mark_;
  std::string partial_;                  ///< a line that has not ended
  std::string text_;                     ///< the lines since the last mark
  std::deque<std::uint64_t> under_way_;  ///< what was sent and is not answered, in this order
  std::uint64_t news_ = 0;
  bool attached_ = false;
};

/// What the blocks of a list of commands hold: all that was printed, or the first error.
[[nodiscard]] TmuxAnswer answer_in_blocks(std::string_view text);

}  // namespace terminally
