#pragma once

#include <cstdint>
#include <optional>

#include "base/timeout.hpp"
#include "record/record.hpp"
#include "tab/markers.hpp"

namespace terminally {

/// END, as it was read from the log.
struct SeenEnd {
  Marker::By by = Marker::By::wrapper;
  int exit_code = 0;
};

/// What has the foreground of the tab, as one of its commands sees it.
struct SeenForeground {
  enum class Who {
    nobody,        ///< the tab's process is gone, or it cannot be seen, or what is there is not the command's
    its_shell,     ///< the shell that the command was typed into
    opened_shell,  ///< one that the command opened, or that took the place of its own
    gateway,       ///< a way to a shell elsewhere: ssh, su
    program,
  };
  Who who = Who::nobody;
  int group = 0;
  bool its_shell_waits = false;  ///< for a line, at its prompt or in a `read`
  bool at_prompt = false;        ///< its_shell only
  bool keys_signal = true;       ///< C-c is a signal there
  bool missed_key = false;       ///< it may have come too late for our C-c
  bool unseen = false;           ///< it may wait for the keyboard unseen, and its time is over
  bool shell_goes_on = false;    ///< it is being ended, and behind it more may be run
  bool deaf_fork = false;        ///< program only: its shell is just making it; a SIGTERM would be lost
};

/// What others want of a command.
struct Requested {
  Reason why = Reason::none;   ///< its end counts as ours for this reason, whatever ends it
  bool ends = false;           ///< it is to be ended
  bool force = false;          ///< without a C-c and a SIGTERM first
  bool spares_unseen = false;  ///< at its deadline, one that may wait for the keyboard unseen goes on
  bool answered = false;       ///< the call has answered: it is not typed again, under another id
  Clock::time_point deadline = Clock::time_point::max();
};

/// Work that takes a while, beside which everything else is looked at.
enum class LongAct {
  press_interrupt_key,  ///< C-c, as a person would
  type_probe,           ///< asks the shell for END
  ask_tmux,             ///< whether it answers
  end_rest,             ///< ends what the command left behind, and names what outlives that
  read_log_out,         ///< the log of a tab that is gone, to its end
  settle_prompt,        ///< after END: who was there
};
enum class ActState { none, going, done };

/// What can be seen of a command and of what is around it: each answer is of now. Everything that decides on
/// its life is asked here, and nowhere else. Where a platform cannot know something, the answer is the one
/// that does nothing.
class CommandSenses {
 public:
  CommandSenses() = default;
  CommandSenses(const CommandSenses&) = delete;
  CommandSenses& operator=(const CommandSenses&) = delete;
  virtual ~CommandSenses() = default;

  // Its log, as far as it was read.
  [[nodiscard]] virtual bool has_start() const = 0;
  [[nodiscard]] virtual std::optional<SeenEnd> end() const = 0;
  [[nodiscard]] virtual bool log_goes_on() const = 0;            ///< there is more that was not read
  [[nodiscard]] virtual Clock::time_point log_grew() const = 0;  ///< when something was last read from it
  [[nodiscard]] virtual bool log_has_gap() const = 0;            ///< behind its start
  [[nodiscard]] virtual bool log_writer_is_stopped() const = 0;
  /// Since when it cannot be read; nullopt: it can.
  [[nodiscard]] virtual std::optional<Clock::time_point> log_unreadable_since() const = 0;

  // Its files.
  [[nodiscard]] virtual bool in_files() const = 0;  ///< its shell reads them
  [[nodiscard]] virtual bool may_be_taken() const = 0;
  [[nodiscard]] virtual std::optional<int> exit_code() const = 0;

  // The processes of the tab.
  [[nodiscard]] virtual bool tab_lives() const = 0;
  [[nodiscard]] virtual bool tmux_lives() const = 0;
  [[nodiscard]] virtual bool shell_is_gone() const = 0;      ///< the one that it was typed into
  [[nodiscard]] virtual bool shell_can_be_told() const = 0;  ///< it is still that one, and of this tab
  [[nodiscard]] virtual SeenForeground foreground() const = 0;

  // Other commands of the tab.
  [[nodiscard]] virtual bool is_nested() const = 0;
  [[nodiscard]] virtual bool is_outermost() const = 0;
  [[nodiscard]] virtual bool one_around_is_ending() const = 0;

  // What is wanted, and what is being done.
  [[nodiscard]] virtual Requested requested() const = 0;
  [[nodiscard]] virtual bool can_probe() const = 0;
  [[nodiscard]] virtual ActState state_of(LongAct act) const = 0;
  [[nodiscard]] virtual bool tmux_answered() const = 0;    ///< LongAct::ask_tmux
  [[nodiscard]] virtual bool typed_by_others() const = 0;  ///< LongAct::settle_prompt: by somebody else
  [[nodiscard]] virtual bool is_stopped() const = 0;       ///< something of it is, and may be continued

  [[nodiscard]] bool has_begun() const { return has_start() || (in_files() && may_be_taken()); }
};

/// The shell that it was typed into has ended within another: what has the foreground now is of a command
/// around it, or of a person.
[[nodiscard]] inline bool is_left_by_its_shell(const CommandSenses& seen) {
  return seen.is_nested() && seen.shell_is_gone();
}

}  // namespace terminally
