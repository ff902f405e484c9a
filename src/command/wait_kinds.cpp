// The five things that a call of wait_for can wait for: an end, a pattern, quiet, the keyboard, a port.
#include "base/error.hpp"
#include "base/utf8.hpp"
#include "command/awaiting_input.hpp"
#include "command/busy.hpp"
#include "command/prompt.hpp"
#include "command/tab_condition.hpp"
#include "log/log_search.hpp"
#include "log/log_text.hpp"
#include "log/unfinished_line.hpp"
#include "system/listeners.hpp"
#include "text/ansi.hpp"
#include "text/pattern_scan.hpp"

namespace terminally {
namespace {

class InputWait final : public WaitKind {
 public:
  Step look(WaitedTab& tab) override {
    constexpr Milliseconds kPoll{50};
    if (tab.ended() || tab.tab->closed || tab.now < next_poll_) {
      tab.look_again_by(next_poll_);
      return Step::later;
    }
    next_poll_ = tab.now + kPoll;
    tab.look_again_by(next_poll_);
    if (tab.is_on_its_way()) {
      return Step::later;  // it may still stand at the question before
    }
    const RunPtr& run = tab.run;
    const bool left = run && run->shells().own_is_gone();  // what waits there is around it
    const auto settled = left ? std::nullopt : input_.look(*tab.tab);
    // As execute_command tells it: behind ssh nothing else is seen, and the next command runs in that shell.
    const bool innermost = run && !tab.tab->runs.empty() && tab.tab->runs.back() == run;
    in_another_shell_ = innermost && run->shells().one_waits();
    const bool may_be_one = innermost && run->shells().one_may_wait();
    const bool awaiting = in_another_shell_ || (settled && !may_be_one);
    tab.match = awaiting ? unfinished_line(tab.tab->log, tab.tab->cols, tab.terms.view.guard.get()) : "";
    return awaiting ? Step::matched : Step::later;
  }

  void tell(const WaitedTab& tab, Step step, WaitForResult& result) const override {
    if ((step == Step::matched || step == Step::awaits_input) && in_another_shell_) {
      if (!result.awaiting_input) {
        result.awaiting_input = {AwaitingInput::Kind::line, tab.match};
      }
      result.notes.push_back(about_another_shell(*tab.tab));
    }
  }

 private:
  SettledInput input_;
  Clock::time_point next_poll_;
  bool in_another_shell_ = false;  ///< the prompt of a shell that the command opened is what was waited for
};

/// The command has ended; without a command, the shell is back at its prompt.
class ExitWait final : public WaitKind {
 public:
  explicit ExitWait(const WaitedTab& tab) : something_ran_(tab.had_command) {}

  /// A question comes before the end, which nobody sees while they wait for that.
  Step look(WaitedTab& tab) override {
    const Step step = look_for_end(tab);
    return step == Step::later && input_.look(tab) == Step::matched ? Step::awaits_input : step;
  }

  void tell(const WaitedTab& tab, Step step, WaitForResult& result) const override {
    input_.tell(tab, step, result);
  }

 private:
  Step look_for_end(WaitedTab& tab) {
    if (tab.record) {
      return tab.ended() && !tab.is_lost() ? Step::matched : Step::later;
    }
    const ShellLook now = look_at_shell(*tab.tab);
    something_ran_ = something_ran_ || (now.foreground.kind != Foreground::Kind::shell &&
                                        !tab.tab->shell.is_starting_up(tab.now));
    if (!is_back(tab, now)) {
      return Step::later;
    }
    refuse_where_nothing_ran(tab);
    return Step::matched;
  }

  /// Whether the shell is at its prompt, behind what was typed, and what came before the prompt is logged.
  bool is_back(WaitedTab& tab, const ShellLook& now) {
    constexpr Milliseconds kPromptIsLoggedWithin{10};
    if (!came_ && !tab.is_on_its_way()) {
      came_ = tab.now;
    }
    if (now.at != ShellAt::prompt) {
      back_.reset();
      return false;
    }
    back_ = back_.value_or(tab.now);
    // What has the foreground for a moment may be a step of the prompt before, and not what was typed.
    if (tab.after_something && tab.now - came_.value_or(tab.now) < shell_times::kTakesForeground) {
      return false;
    }
    tab.look_again_by(tab.now + kPromptIsLoggedWithin);
    return !(tab.after_something || something_ran_) || tab.now - *back_ >= shell_times::kStep ||
           prompt_is_logged(tab);
  }

  /// Whether a line was finished in the log since, and another is begun: all that came before the prompt is
  /// there.
  static bool prompt_is_logged(const WaitedTab& tab) {
    constexpr std::size_t kLooksAt = 4'096;
    const PaneLog& log = tab.tab->log;
    const std::string begin = log.read(tab.from, kLooksAt).bytes;
    return (begin.size() == kLooksAt || begin.find('\n') != std::string::npos) &&
           !unfinished_line(log, tab.tab->cols).empty();
  }

  /// A shell at its prompt has ended nothing, unless something ran before or was typed.
  void refuse_where_nothing_ran(const WaitedTab& tab) const {
    if (!something_ran_ && !tab.after_something) {
      throw Error(ErrorCode::not_found,
                  "window_id: no command was run in tab " + to_string(tab.tab->window) +
                      " yet, and its shell is at its prompt: there is no end to wait for; run one with "
                      "execute_command or start_process");
    }
  }

  InputWait input_;
  bool something_ran_;  ///< a command of ours, or a program that had the foreground during the wait
  std::optional<Clock::time_point> came_;  ///< when what was typed was first seen to be there
  std::optional<Clock::time_point> back_;  ///< since when the shell was seen at its prompt
};

class PatternWait final : public WaitKind {
 public:
  explicit PatternWait(const WaitedTab& tab)
      : pattern_(tab.terms.pattern), search_(std::in_place, tab.tab->log, pattern_, tab.from, tab.from) {}

  Step look(WaitedTab& tab) override {
    switch (search_->next(tab.output_end(), tab.now + LogSearch::kSlice)) {
      case LogSearch::Step::at_end:
        return Step::later;
      case LogSearch::Step::out_of_time:
        return Step::at_once;
      case LogSearch::Step::found:
        break;
    }
    constexpr std::size_t kMaxMatchBytes = 1'000;
    const LineMatch& found = search_->found();
    if (const auto echo = own_echo(tab, found)) {
      return pass_over(tab, found, *echo);
    }
    held_since_.reset();
    tab.match = shortened(masked_match(tab, found), kMaxMatchBytes);
    if (!found.may_grow() || tab.ended() || tab.tab->closed) {
      return Step::matched;
    }
    if (growing_ != found.text) {
      growing_ = found.text;
      growing_since_ = tab.now;
    }
    constexpr Milliseconds kMayGrow{50};
    tab.look_again_by(growing_since_ + kMayGrow);
    return tab.now - growing_since_ >= kMayGrow ? Step::matched : Step::later;
  }

  void tell(const WaitedTab& tab, Step step, WaitForResult& result) const override {
    if (step == Step::at_once) {
      result.next_byte = std::max(tab.from, search_->offset());
    }
  }

 private:
  /// What we typed ourselves is not printed by anybody.
  [[nodiscard]] std::optional<SentInputs::Echo> own_echo(const WaitedTab& tab, const LineMatch& found) const {
    const PaneLog& log = tab.tab->log;
    const std::size_t size = found.match.end - found.match.begin;
    const std::string bytes =
        log.read(found.byte, static_cast<std::size_t>(found.line_end - found.byte)).bytes;
    const std::uint64_t end = found.byte + (size == 0 ? 0 : raw_position(bytes, size - 1) + 1);
    // What was found may have come after the look at the log.
    const auto grew = log.stamp() == tab.log ? tab.log_grew : tab.now;
    return tab.tab->sent.echo_at(log, end, {tab.now, grew, held_since_.value_or(tab.now)});
  }

  Step pass_over(WaitedTab& tab, const LineMatch& found, SentInputs::Echo echo) {
    constexpr Milliseconds kLook{50};
    if (!echo.open) {
      held_since_.reset();
      search_.emplace(tab.tab->log, pattern_, echo.end, echo.end);
      return Step::at_once;
    }
    const auto [byte, line_begin] = std::pair(found.byte, found.line_begin);
    search_.emplace(tab.tab->log, pattern_, byte, line_begin);  // it is found again
    held_since_ = held_since_.value_or(tab.now);
    tab.look_again_by(tab.now + kLook);
    return Step::later;
  }

  /// A secret that the match has a part of is masked whole.
  static std::string masked_match(const WaitedTab& tab, const LineMatch& found) {
    const auto& guard = tab.terms.view.guard;
    if (!guard) {
      return std::string(found.matched());
    }
    const LogRange range{found.line_begin, found.line_end, 0, tab.tab->log.end(), true};
    const LogText line(log_part(tab.tab->log, range), {.guard = guard}, tab.tab->cols);
    MaskCounts masked_kinds;
    const std::string masked = strip_ansi(line.masked(0, line.bytes().size(), masked_kinds));
    guard->count(masked_kinds);
    return masked.empty() ? guard->secrets().mask(SecretRules::kPrivateKey)
                          : guard->masked_part(found.text, found.match.begin, found.match.end);
  }

  Pattern pattern_;
  std::optional<LogSearch> search_;
  std::string growing_;  ///< a match at the end of what is printed, that may go on
  Clock::time_point growing_since_ = Clock::now();
  std::optional<Clock::time_point> held_since_;  ///< a match that may be in an echo
};

class IdleWait final : public WaitKind {
 public:
  Step look(WaitedTab& tab) override {
    const auto idle_at = tab.log_grew + Milliseconds(tab.terms.idle_ms);
    tab.look_again_by(idle_at);
    return tab.now >= idle_at ? Step::matched : Step::later;
  }
};

class PortWait final : public WaitKind {
 public:
  Step look(WaitedTab& tab) override {
    constexpr Milliseconds kPoll{50};
    if (tab.now < next_poll_ && !tab.ended() && !tab.tab->closed) {
      tab.look_again_by(next_poll_);
      return Step::later;
    }
    PortLook listening = look_at_port(tab.tab->pane_pid, tab.tab->cookie, tab.terms.port);
    others_listen_ = listening.anybody && !listening.ours;
    // Where somebody else listens every look is at all processes: less often.
    next_poll_ = tab.now + (others_listen_ ? kPoll * 5 : kPoll);
    tab.look_again_by(next_poll_);
    tab.match = std::move(listening.ours).value_or("");
    return tab.match.empty() ? Step::later : Step::matched;
  }

  void tell(const WaitedTab& tab, Step step, WaitForResult& result) const override {
    if (step != Step::matched && others_listen_) {
      const std::uint16_t port = tab.terms.port;
      result.notes.push_back("port " + std::to_string(port) +
                             " is taken by a process outside of this tab: " + listener_anywhere(port));
    }
  }

 private:
  Clock::time_point next_poll_;
  bool others_listen_ = false;
};

}  // namespace

std::unique_ptr<WaitKind> wait_kind(const WaitedTab& tab) {
  switch (tab.terms.until) {
    case Until::exit:
      return std::make_unique<ExitWait>(tab);
    case Until::pattern:
      return std::make_unique<PatternWait>(tab);
    case Until::idle:
      return std::make_unique<IdleWait>();
    case Until::input:
      return std::make_unique<InputWait>();
    case Until::port:
      break;
  }
  return std::make_unique<PortWait>();
}

}  // namespace terminally
