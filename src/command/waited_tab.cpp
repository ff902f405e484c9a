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

/// Whether a program has the foreground that is no step of the prompt. What was begun behind a prompt is
/// none: then something that is seen was printed since the command's end.
bool another_runs(const Tab& tab, std::uint64_t end_of_command) {
  constexpr std::size_t kLooksAt = 4'096;
  const ShellLook now = look_at_shell(tab);
  if (now.foreground.kind == Foreground::Kind::shell || now.at != ShellAt::step) {
    return now.foreground.kind != Foreground::Kind::shell;
  }
  const std::string behind = strip_ansi(tab.log.read(end_of_command, kLooksAt).bytes);
  return behind.find_first_not_of(" \r\n") != std::string::npos;
}

}  // namespace

WaitedTab::WaitedTab(std::shared_ptr<Tab> its_tab, const WaitFor& request)
    : tab(std::move(its_tab)), terms(request.waiting) {
  if (!tab->runs.empty()) {
    run = tab->runs.back();
    record = run->record();
  } else {
    record = tab->records.latest();
  }
  had_command = record.has_value();
  from = request.from_byte.value_or(record ? record->start_byte : 0);
  after_something = request.from_byte.has_value();
  // What ended before the range that was asked for, or while a person runs something else, is not meant.
  if (ended() &&
      (after_something ? from > record->end_byte : !tab->closed && another_runs(*tab, record->end_byte))) {
    record.reset();
  }
  log = tab->log.stamp();
}

void WaitedTab::look() {
  now = Clock::now();
  next_look = now + kTick;
  look_at_command();
  if (const PaneLog::Stamp stamp = tab->log.stamp(); stamp != log) {
    log = stamp;
    log_grew = now;
    if (run) {
      look_again_by(now + kAfterOutput);
    }
  }
}

void WaitedTab::look_at_command() {
  if (run) {
    if (!run->has_ended()) {
      run->output().read();
    }
    record = run->record();
  } else if (record && !ended() && tab->files.running_nonce() != record->nonce) {
    record = tab->records.find(record->id);
  }
}

bool WaitedTab::is_lost() const {
  return ended() && (record->reason == Reason::tab_closed || record->reason == Reason::tmux_server_lost);
}

bool WaitedTab::is_on_its_way() const {
  return after_something && tab->log.end() <= from && now - tab->shell.last_input() < kEchoLate;
}

std::uint64_t WaitedTab::output_end() const {
  if (ended()) {
    return record->end_byte;
  }
  return run ? run->output().end_byte() : tab->log.end();
}

}  // namespace terminally
