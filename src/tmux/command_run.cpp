// The second half of a command's life: from START on. The first half is in command_start.cpp, what ends it by
// force in command_interrupt.cpp, its end in command_end.cpp, what it prints in command_output.cpp, the
// shells that it opens in command_nested.cpp.

#include "tmux/command_run.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

#include "base/error.hpp"
#include "base/pace.hpp"
#include "tmux/proc.hpp"
#include "tmux/terminal_text.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How often we look whether the tab is still there, and whether its exit code came the second way.
constexpr Milliseconds kHousekeeping{200};
constexpr Milliseconds kLateEnd{300};
constexpr Milliseconds kQuietHousekeeping{1'000};
constexpr std::size_t kSlicesAtOnce = 8;
/// How often records that could not be written are tried again.
constexpr Milliseconds kRecordRetry{500};
/// How long a log that we are behind in is read before a deadline is judged.
constexpr Milliseconds kReadsBehind{1'000};
/// How long a log that cannot be read may come back: nobody has a descriptor left, for a moment.
constexpr Milliseconds kUnreadable{10'000};

asio::awaitable<void> write_records_later(std::weak_ptr<Tab> waiting) {
  for (;;) {
    co_await sleep_for(kRecordRetry);
    const std::shared_ptr<Tab> tab = waiting.lock();
    if (!tab) {
      co_return;
    }
    if (tab->records.write_kept()) {
      tab->records_wait = false;
      co_return;
    }
  }
}

}  // namespace

CommandRun::CommandRun(RunContext& context, std::shared_ptr<Tab> tab, CommandRecord record)
    : context_(context),
      tab_(std::move(tab)),
      tmux_(context.client.of_server(tab_->server_pid)),
      text_(record.command),
      record_(std::move(record)),
      watch_(context.watch.watch(tab_->log.path())),
      read_(record_.typed_byte),
      adopted_(true),
      recorded_(true) {
  scanner_.emplace(record_.nonce, read_);
  const auto shell = process_info(record_.shell_pid);
  const bool own_shell = shell && shell->parent == tab_->pane_pid.pid;
  in_files_ = !tab_->closed && !tab_->files.are_gone(record_.nonce);
  const auto marked = tab_->closed ? std::nullopt : tab_->files.running_nonce();
  nested_ = !tab_->closed && (!own_shell || marked) && marked != record_.nonce;
  reporter_ = tab_->closed ? ExitReporter() : exit_reporter(record_.shell_pid);
  const auto kind = shell ? shell_kind(shell->name) : std::nullopt;
  if (kind && !tab_->closed && !shell_is_replaced() && (own_shell || !tab_->files.are_gone(record_.nonce))) {
    script_ = shell_script(*kind, ShellCommand{.text = text_,
                                               .nonce = record_.nonce,
                                               .directory = tab_->files.directory(),
                                               .helper = context.helper,
                                               .editor_key = tab_->files.editor_key().script});
  }
  if (record_.deadline_steady_ms != 0) {
    deadline_ = Clock::time_point(Milliseconds(record_.deadline_steady_ms));
  }
  if (record_.signalled) {
    interrupt_reason_ = Reason::cancelled_by_client;  // whatever ends it was our signal; no more are sent
  }
  // Its last process had begun to end it.
  if (record_.reason != Reason::none || tab_->files.is_cancelled(record_.nonce)) {
    interrupt(record_.reason == Reason::none ? Reason::cancelled_by_client : record_.reason, false);
    record_.reason = Reason::none;
  }
}

std::uint64_t CommandRun::duration_ms() const {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, steady_ms(Clock::now()) - record_.started_steady_ms));
}

std::uint64_t CommandRun::output_end() const {
  if (has_ended() || !scanner_) {
    return record_.end_byte;
  }
  return std::max(end_marker_ ? end_marker_->begin : scanner_->settled(), record_.start_byte);
}

/// Reads what is new in the log, not more than a few milliseconds' worth. True once END was found.
bool CommandRun::pump() {
  const PaneLog::Stamp log = tab_->log.stamp();
  if (log == read_to_end_of_) {
    return end_marker_.has_value();
  }
  read_to_end_of_.reset();
  behind_ = false;
  for (std::size_t slices = 0; scanner_ && !end_marker_; ++slices) {
    // What is handed on is stripped and masked there: one slice takes as long as eight that are only read.
    if (slices == (on_output_ ? 1 : kSlicesAtOnce)) {
      behind_ = true;
      break;
    }
    const PaneLog::Slice slice = tab_->log.read(read_, kOutputReadBytes);
    if (slice.from != read_ || (slice.gap_unknown && !slice.bytes.empty())) {
      scanner_.emplace(record_.nonce, slice.from);  // a record does not survive a gap
    }
    read_ = slice.next;
    grew_ = slice.bytes.empty() ? grew_ : Clock::now();
    scanner_->feed(slice.bytes);
    while (const auto marker = end_marker_ ? std::nullopt : scanner_->next()) {
      if (marker->kind == Marker::Kind::start) {
        on_start(*marker);
      } else {
        on_end(*marker);
      }
    }
    if (began_) {
      emit(end_marker_ ? end_marker_->begin : scanner_->settled());
    }
    if (slice.eof || slice.bytes.empty()) {
      read_to_end_of_ = log;
      break;
    }
  }
  return end_marker_.has_value();
}

asio::awaitable<void> CommandRun::catch_up() {
  const auto self = shared_from_this();
  try {
    while (!has_ended() && !pump() && behind_) {
      co_await asio::post(context_.executor, asio::use_awaitable);
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): give_up says so
  }
}

void CommandRun::on_start(const Marker& marker) {
  if (began_) {
    return;
  }
  began_ = true;
  traced_ = marker.traced;
  emitted_ = marker.next;
  if (std::exchange(record_.start_byte, marker.next) != marker.next) {
    save_record();  // before anybody sees its output, and asks
  }
}

/// It goes on, whatever the disk says.
void CommandRun::save_record() {
  const std::string why_not = tab_->records.append(record_);
  recorded_ = true;
  if (why_not.empty()) {
    return;
  }
  std::string note = "the record of this command is kept in memory until it can be written: " + why_not;
  if (std::find(record_.notes.begin(), record_.notes.end(), note) == record_.notes.end()) {
    record_.notes.push_back(std::move(note));
  }
  if (!std::exchange(tab_->records_wait, true)) {
    asio::co_spawn(context_.executor, write_records_later(tab_), asio::detached);
  }
}

void CommandRun::on_end(const Marker& marker) {
  if (marker.by != Marker::By::refused || !began_) {
    end_marker_ = marker;
  }
}

asio::awaitable<void> CommandRun::follow() {
  using asio::experimental::awaitable_operators::operator||;
  const auto self = shared_from_this();
  if (tab_->closed) {
    // Nothing of it runs any more, and its pane's number may be another's by now.
    co_await end_with_tab();
    co_return;
  }
  co_await (scan_to_end() || keep_deadline() || escalate());  // the second never ends by itself
  if (end_marker_ && !has_ended()) {
    heed_other_processes();
    if (interrupt_reason_ != Reason::none) {
      co_await end_descendants();
      if (killed_) {
        leave_full_screen(tab_->tty);
      }
    }
    // Who typed C-c there: only somebody who was there.
    touched_ = interrupt_reason_ == Reason::none && looks_interrupted() && co_await is_touched();
    co_await put_back();
    conclude();
  }
}

/// A client may cancel it, or send it a signal, by another process than this.
void CommandRun::heed_other_processes() {
  if (interrupt_reason_ != Reason::none || tab_->closed) {
    return;
  }
  if (tab_->files.is_cancelled(record_.nonce)) {
    interrupt(Reason::cancelled_by_client, tab_->files.is_cancelled_by_force(record_.nonce));
  } else if (tab_->files.is_signalled(record_.nonce)) {
    interrupt_reason_ = Reason::cancelled_by_client;
  }
}

asio::awaitable<void> CommandRun::scan_to_end() {
  read_well_ = Clock::now();
  for (;;) {
    const std::string failure = co_await scan();
    if (failure.empty() || has_ended()) {
      co_return;
    }
    if (Clock::now() - read_well_ > kUnreadable) {
      record_.notes.push_back(failure);
      give_up(Reason::none);
      co_return;
    }
    co_await sleep_for(kHousekeeping);
  }
}

/// Until the end; else why it could not go on.
asio::awaitable<std::string> CommandRun::scan() {
  std::string failure;
  try {
    const auto begin = Clock::now();
    auto looked = begin;
    auto next_look = begin + kHousekeeping;
    while (!pump() && !has_ended()) {
      read_well_ = Clock::now();
      if (grew_ > looked) {
        next_look = std::min(next_look, grew_ + kHousekeeping);
      }
      if (Clock::now() >= next_look) {
        looked = Clock::now();
        heed_other_processes();
        look_for_nested_shell();
        co_await look_for_another_end();
        const auto now = Clock::now();
        const bool hurry = interrupt_reason_ != Reason::none || exit_file_seen_ || shell_gone_seen_;
        next_look =
            now + (hurry ? kHousekeeping
                         : pause_after(now - std::max(begin, grew_), kHousekeeping, kQuietHousekeeping));
      } else if (behind_) {
        co_await asio::post(context_.executor, asio::use_awaitable);
      } else {
        co_await watch_.changed_by(next_look);
      }
    }
  } catch (const Error& error) {
    failure = error.what();
  }
  co_return failure;
}

void CommandRun::set_deadline(Clock::time_point when) {
  deadline_ = when;
  record_.deadline_steady_ms = when == Clock::time_point::max() ? 0 : steady_ms(when);
  if (recorded_ && !has_ended()) {
    save_record();
  }
}

/// What may still be on its way is not interrupted: it would be, should it come. But when it comes late, its
/// END may be right behind.
asio::awaitable<void> CommandRun::keep_deadline() {
  while (Clock::now() < deadline_) {
    co_await sleep_until(deadline_);  // it may be moved meanwhile
  }
  if (!has_begun()) {
    while (!has_begun()) {
      if (in_files_) {
        tab_->files.remove_script(record_.nonce);
      }
      co_await sleep_for(kHousekeeping);
    }
    co_await sleep_for(kLateEnd);
  }
  // What has ended is read first: this process may have been stopped, or the machine asleep.
  const auto give_up_at = Clock::now() + kReadsBehind;
  while (!pump() && behind_ && Clock::now() < give_up_at) {
    co_await asio::post(context_.executor, asio::use_awaitable);
  }
  if (!end_marker_ && !tab_->files.exit_code(record_.nonce)) {
    interrupt(Reason::timeout, false);
  }
  co_await sleep_until(Clock::time_point::max());
}

}  // namespace terminally
