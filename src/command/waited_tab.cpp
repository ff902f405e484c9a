// What all kinds of waiting look at: the command that is waited for, and the log of its tab.
#include "command/waited_tab.hpp"

#include "command/prompt.hpp"
#include "text/ansi.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kTick{100};
/// The end of a command is seen in its log a moment before it is recorded.
constexpr Milliseconds kAfterOutput{10};
/// What was typed is in the log by then, where it is shown at all: tmux has it, and may be kept from running.
constexpr Milliseconds kEchoLate{1'000};

/// Whether anything that is seen was printed behind the offset: a prompt, and what somebody typed there.
bool is_drawn_behind(const PaneLog& log, std::uint64_t offset) {
  constexpr std::size_t kLooksAt = 4'096;
  return strip_ansi(log.read(offset, kLooksAt).bytes).find_first_not_of(" \r\n") != std::string::npos;
}

}  // namespace

WaitedTab::WaitedTab(std::shared_ptr<Tab> tab, const WaitFor& request)
    : tab_(std::move(tab)), terms_(request.waiting) {
  if (!tab_->runs.empty()) {
    run_ = tab_->runs.back();
    record_ = run_->record();
  } else {
    record_ = tab_->records.latest();
  }
  had_command_ = record_.has_value();
  from_ = request.from_byte.value_or(record_ ? record_->start_byte : 0);
  after_something_ = request.from_byte.has_value();
  // What ended before the range that was asked for, or while a person runs something else, is not meant.
  if (ended() && (after_something_ ? from_ > record_->end_byte : !tab_->closed && another_runs())) {
    record_.reset();
  }
  log_ = tab_->log.stamp();
}

bool WaitedTab::another_runs() const {
  const ShellLook now = look_at_shell(*tab_);
  return now.foreground.kind != Foreground::Kind::shell &&
         (now.at != ShellAt::step || is_drawn_behind(tab_->log, record_->end_byte));
}

void WaitedTab::look() {
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
}

void WaitedTab::look_at_command() {
  if (run_) {
    if (!run_->has_ended()) {
      run_->look();
    }
    record_ = run_->record();
  } else if (record_ && !ended() && tab_->files.running_nonce() != record_->nonce) {
    record_ = tab_->records.find(record_->id);
  }
}

bool WaitedTab::is_lost() const {
  return ended() && (record_->reason == Reason::tab_closed || record_->reason == Reason::tmux_server_lost);
}

bool WaitedTab::is_on_its_way() const {
  return after_something_ && tab_->log.end() <= from_ && now_ - tab_->shell.last_input() < kEchoLate;
}

std::uint64_t WaitedTab::output_end() const {
  if (ended()) {
    return record_->end_byte;
  }
  return run_ ? run_->output_end() : tab_->log.end();
}

}  // namespace terminally
