#include "command/tab_condition.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "command/busy.hpp"
#include "command/prompt.hpp"
#include "log/log_end.hpp"
#include "log/log_text.hpp"
#include "log/unfinished_line.hpp"
#include "system/listeners.hpp"
#include "text/ansi.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kTick{100};
/// The end of a command is seen in its log a moment before it is recorded.
constexpr Milliseconds kAfterOutput{10};
constexpr Milliseconds kPollPort{50};
constexpr Milliseconds kPollInput{50};
/// A match that ends where the output ends has this long to become longer.
constexpr Milliseconds kMayGrow{50};
/// What became of a command whose tab has closed is settled within this time: its last output is read first.
constexpr Milliseconds kSettledWithin = kLogEndsWithin + Milliseconds(1'000);
constexpr Milliseconds kPollSettled{10};
/// What was typed is in the log by then, where it is shown at all: tmux has it, and may be kept from running.
constexpr Milliseconds kEchoLate{1'000};
constexpr std::size_t kMaxMatchBytes = 1'000;
/// Of what is behind an offset, where a prompt or a line is looked for.
constexpr std::size_t kLooksAt = 4'096;

}  // namespace

TabCondition::TabCondition(std::shared_ptr<Tab> tab, const WaitFor& request)
    : tab_(std::move(tab)), waiting_(request.waiting) {
  if (waiting_.until == Until::pattern) {
    pattern_.emplace(waiting_.pattern);
  }
  choose_command(request);
  log_ = tab_->log.stamp();
  if (pattern_) {
    search_.emplace(tab_->log, *pattern_, from_, from_);
  }
}

void TabCondition::choose_command(const WaitFor& request) {
  if (!tab_->runs.empty()) {
    run_ = tab_->runs.back();
    record_ = run_->record();
  } else {
    record_ = tab_->records.latest();
  }
  something_ran_ = record_.has_value();
  from_ = request.from_byte.value_or(record_ ? record_->start_byte : 0);
  after_something_ = request.from_byte.has_value();
  // What ended before the range that was asked for, or while a person runs something else, is not meant.
  const auto another_runs = [this] {
    const ShellLook now = look_at_shell(*tab_);
    return now.foreground.kind != Foreground::Kind::shell &&
           (now.at != ShellAt::step || is_drawn_behind(record_->end_byte));
  };
  if (ended() && (request.from_byte ? from_ > record_->end_byte : !tab_->closed && another_runs())) {
    record_.reset();
  }
}

/// Whether anything that is seen was printed behind it: a prompt, and what somebody typed there.
bool TabCondition::is_drawn_behind(std::uint64_t offset) const {
  return strip_ansi(tab_->log.read(offset, kLooksAt).bytes).find_first_not_of(" \r\n") != std::string::npos;
}

void TabCondition::look_at_command() {
  if (run_) {
    if (!run_->has_ended()) {
      run_->output().read();
    }
    record_ = run_->record();
  } else if (record_ && !ended() && tab_->files.running_nonce() != record_->nonce) {
    record_ = tab_->records.find(record_->id);
  }
}

std::uint64_t TabCondition::output_end() {
  if (ended()) {
    return record_->end_byte;
  }
  return run_ ? run_->output().end_byte() : tab_->log.end();
}

TabCondition::Step TabCondition::look() {
  now_ = Clock::now();
  next_look_ = now_ + kTick;
  look_at_command();
  if (const PaneLog::Stamp log = tab_->log.stamp(); log != log_) {
    log_ = log;
    log_grew_ = now_;
    if (run_) {
      look_again_by(now_ + kAfterOutput);
    }
  }
  const Step step = look_for_it();
  if (step != Step::later) {
    return step;
  }
  const bool lost =
      ended() && (record_->reason == Reason::tab_closed || record_->reason == Reason::tmux_server_lost);
  if (lost || (tab_->closed && !is_being_settled())) {
    return Step::tab_closed;
  }
  return ended() ? Step::exited : Step::later;
}

/// Whether the command of a closed tab is still taken for running: it is about to be given up.
bool TabCondition::is_being_settled() {
  if (!record_ || ended()) {
    return false;
  }
  if (!closed_at_) {
    closed_at_ = now_;
  }
  look_again_by(now_ + kPollSettled);
  return now_ - *closed_at_ < kSettledWithin;
}

TabCondition::Step TabCondition::look_for_it() {
  switch (waiting_.until) {
    case Until::exit:
      return look_for_exit();
    case Until::pattern:
      return look_for_pattern();
    case Until::idle:
      return look_for_idle();
    case Until::input:
      return look_for_input();
    case Until::port:
      break;
  }
  return look_for_port();
}

TabCondition::Step TabCondition::look_for_exit() {
  if (record_) {
    const bool by_itself =
        ended() && record_->reason != Reason::tab_closed && record_->reason != Reason::tmux_server_lost;
    return by_itself ? Step::matched : Step::later;
  }
  const ShellLook now = look_at_shell(*tab_);
  something_ran_ =
      something_ran_ || (now.foreground.kind != Foreground::Kind::shell && !tab_->shell.is_starting_up(now_));
  if (!is_back(now)) {
    return Step::later;
  }
  refuse_where_nothing_ran();
  return Step::matched;
}

/// Whether the shell is at its prompt, behind what was typed, and what came before the prompt is logged.
bool TabCondition::is_back(const ShellLook& now) {
  if (!came_ && !is_on_its_way()) {
    came_ = now_;
  }
  if (now.at != ShellAt::prompt) {
    back_.reset();
    return false;
  }
  back_ = back_.value_or(now_);
  // What has the foreground for a moment may be a step of the prompt before, and not what was typed.
  if (after_something_ && now_ - came_.value_or(now_) < shell_times::kTakesForeground) {
    return false;
  }
  look_again_by(now_ + kAfterOutput);
  return !(after_something_ || something_ran_) || now_ - *back_ >= shell_times::kStep || prompt_is_logged();
}

bool TabCondition::is_on_its_way() const {
  return after_something_ && tab_->log.end() <= from_ && now_ - tab_->shell.last_input() < kEchoLate;
}

/// Whether a line was finished in the log since, and another is begun: all that came before the prompt is
/// there.
bool TabCondition::prompt_is_logged() const {
  const std::string begin = tab_->log.read(from_, kLooksAt).bytes;
  return (begin.size() == kLooksAt || begin.find('\n') != std::string::npos) &&
         !unfinished_line(tab_->log, tab_->cols).empty();
}

/// A shell at its prompt has ended nothing, unless something ran before or was typed.
void TabCondition::refuse_where_nothing_ran() const {
  if (!something_ran_ && !after_something_) {
    throw Error(ErrorCode::not_found,
                "window_id: no command was run in tab " + to_string(tab_->window) +
                    " yet, and its shell is at its prompt: there is no end to wait for; run one with "
                    "execute_command or start_process");
  }
}

TabCondition::Step TabCondition::look_for_pattern() {
  switch (search_->next(output_end(), now_ + LogSearch::kSlice)) {
    case LogSearch::Step::at_end:
      return Step::later;
    case LogSearch::Step::out_of_time:
      return Step::at_once;
    case LogSearch::Step::found:
      break;
  }
  const LineMatch& found = search_->found();
  match_ = shortened(masked_match(found), kMaxMatchBytes);
  if (!found.may_grow() || ended() || tab_->closed) {
    return Step::matched;
  }
  if (growing_ != found.text) {
    growing_ = found.text;
    growing_since_ = now_;
  }
  look_again_by(growing_since_ + kMayGrow);
  return now_ - growing_since_ >= kMayGrow ? Step::matched : Step::later;
}

/// A secret that the match has a part of is masked whole.
std::string TabCondition::masked_match(const LineMatch& found) const {
  const auto& guard = waiting_.view.guard;
  if (!guard) {
    return std::string(found.matched());
  }
  const LogRange range{found.line_begin, found.line_end, 0, tab_->log.end(), true};
  const LogText line(log_part(tab_->log, range), {.guard = guard}, tab_->cols);
  MaskCounts masked_kinds;
  const std::string masked = strip_ansi(line.masked(0, line.bytes().size(), masked_kinds));
  guard->count(masked_kinds);
  return masked.empty() ? guard->secrets().mask(SecretRules::kPrivateKey)
                        : guard->masked_part(found.text, found.match.begin, found.match.end);
}

TabCondition::Step TabCondition::look_for_idle() {
  const auto idle_since = std::max(began_, log_grew_);
  look_again_by(idle_since + Milliseconds(waiting_.idle_ms));
  return now_ - idle_since >= Milliseconds(waiting_.idle_ms) ? Step::matched : Step::later;
}

TabCondition::Step TabCondition::look_for_input() {
  if (ended() || tab_->closed || now_ < next_poll_) {
    look_again_by(next_poll_);
    return Step::later;
  }
  next_poll_ = now_ + kPollInput;
  look_again_by(next_poll_);
  if (is_on_its_way()) {
    return Step::later;  // it may still stand at the question before
  }
  const auto settled = input_.look(*tab_);
  // As execute_command tells it: behind ssh nothing else is seen, and the next command runs in that shell.
  const bool innermost = run_ && !tab_->runs.empty() && tab_->runs.back() == run_;
  in_another_shell_ = innermost && run_->shells().one_waits();
  const bool may_be_one = innermost && run_->shells().one_may_wait();
  const bool awaiting = in_another_shell_ || (settled && !may_be_one);
  match_ = awaiting ? unfinished_line(tab_->log, tab_->cols, waiting_.view.guard.get()) : "";
  return awaiting ? Step::matched : Step::later;
}

TabCondition::Step TabCondition::look_for_port() {
  if (now_ < next_poll_ && !ended() && !tab_->closed) {
    look_again_by(next_poll_);
    return Step::later;
  }
  PortLook listening = look_at_port(tab_->pane_pid, tab_->cookie, waiting_.port);
  others_listen_ = listening.anybody && !listening.ours;
  // Where somebody else listens every look is at all processes: less often.
  next_poll_ = now_ + (others_listen_ ? kPollPort * 5 : kPollPort);
  look_again_by(next_poll_);
  match_ = std::move(listening.ours).value_or("");
  return match_.empty() ? Step::later : Step::matched;
}

OutputRange TabCondition::output_range(std::uint64_t next_byte) const {
  OutputRange range{from_, next_byte, !ended() && !tab_->closed};
  range.first = record_ && record_->start_byte <= from_ ? record_->start_byte : 0;
  return range;
}

WaitForResult TabCondition::result(Step step) {
  look_at_command();
  WaitForResult waited;
  waited.matched = step == Step::matched;
  waited.reason = step == Step::exited       ? "exited"
                  : step == Step::tab_closed ? "tab_closed"
                  : step == Step::matched    ? ""
                                             : "timeout";
  waited.match = waited.matched ? match_ : "";
  waited.next_byte = std::max(from_, step == Step::at_once ? search_->offset() : output_end());
  const bool program =
      !record_ && !tab_->closed && look_at_foreground(tab_->pane_pid).kind != Foreground::Kind::shell;
  waited.state = record_ ? record_->state : program ? CommandState::running : CommandState::completed;
  waited.exit_code = record_ ? record_->exit_code : std::nullopt;
  if (!ended() && !tab_->closed) {
    waited.awaiting_input = awaiting_input(*tab_, waiting_.view.guard.get());
  }
  if (record_) {
    waited.notes = record_->notes;
  }
  if (waited.matched && in_another_shell_) {
    if (!waited.awaiting_input) {
      waited.awaiting_input = {AwaitingInput::Kind::line, match_};
    }
    waited.notes.push_back(about_another_shell(*tab_));
  }
  if (!waited.matched && others_listen_) {
    waited.notes.push_back("port " + std::to_string(waiting_.port) +
                           " is taken by a process outside of this tab: " + listener_anywhere(waiting_.port));
  }
  return waited;
}

}  // namespace terminally
