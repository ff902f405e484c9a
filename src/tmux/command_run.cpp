// The second half of a command's life: from START on. The first half is in command_start.cpp, what ends it by
// force in command_interrupt.cpp, its end in command_end.cpp.

#include "tmux/command_run.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

#include "base/error.hpp"
#include "base/pace.hpp"
#include "tmux/proc.hpp"
#include "tmux/terminal_text.hpp"
#include "tmux/way_in.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kOutputReadBytes = 256 * 1024;
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
/// A prompt that is shown for this long is no step of something else.
constexpr Milliseconds kNestedPrompt{150};

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

/// A line with something in it, and its end.
bool has_whole_line(std::string_view text) {
  const std::size_t begin = text.find_first_not_of("\r\n");
  return begin != std::string_view::npos && text.find('\n', begin) != std::string_view::npos;
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

/// The end of the last of the lines at the start of `text` that are our own steps, which a tracing shell
/// prints; 0: there is none.
std::size_t CommandRun::own_lines_at_start(std::string_view text) const {
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t next = text.find('\n', begin);
    const std::string_view line = text.substr(begin, next == std::string_view::npos ? next : next - begin);
    // The end of what zsh traced of the command before, or a newline at the start of bash's PS4.
    const bool blank = line.find_first_not_of('\r') == std::string_view::npos;
    if (!is_own_line(line) && !blank) {
      break;
    }
    begin = next == std::string_view::npos ? text.size() : next + 1;
    end = blank ? end : begin;
  }
  return end;
}

bool CommandRun::is_own_line(std::string_view line) const {
  return std::any_of(script_.own_line_marks.begin(), script_.own_line_marks.end(),
                     [line](const std::string& mark) { return line.find(mark) != std::string_view::npos; });
}

/// Hands what was printed to the callback.
void CommandRun::emit(std::uint64_t until) {
  if (traced_) {
    const PaneLog::Slice slice = tab_->log.read(record_.start_byte, kTraceLineBytes);
    const std::size_t own = own_lines_at_start(slice.bytes);
    // As long as nothing else stands there, another line of ours may come.
    if (!end_marker_ && slice.bytes.size() < kTraceLineBytes &&
        !has_whole_line(std::string_view(slice.bytes).substr(own))) {
      return;
    }
    record_.start_byte += slice.from == record_.start_byte ? own : 0;
    emitted_ = record_.start_byte;
    traced_ = false;
  }
  while (on_output_ && emitted_ < until) {
    const PaneLog::Slice slice = tab_->log.read(
        emitted_, static_cast<std::size_t>(std::min<std::uint64_t>(until - emitted_, kOutputReadBytes)));
    if (slice.bytes.empty() || slice.from >= until) {
      break;
    }
    on_output_(std::string_view(slice.bytes).substr(0, static_cast<std::size_t>(until - slice.from)));
    emitted_ = slice.next;
  }
}

/// A tracing shell prints its way to our END, too.
void CommandRun::trim_own_lines_at_end() {
  if (!end_marker_->traced) {
    return;
  }
  const std::uint64_t from =
      record_.end_byte - std::min(record_.end_byte - record_.start_byte, kTraceLineBytes);
  const PaneLog::Slice slice = tab_->log.read(from, static_cast<std::size_t>(record_.end_byte - from));
  std::string_view rest = slice.bytes;
  while (slice.from == from && !rest.empty()) {
    const std::size_t line = rest.size() < 2 ? std::string_view::npos : rest.rfind('\n', rest.size() - 2);
    const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
    if (!is_own_line(rest.substr(begin))) {
      break;
    }
    rest = rest.substr(0, begin);
    record_.end_byte = from + begin;
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

/// Whether it printed something after the last newline, as whoever shows a prompt does.
bool CommandRun::leaves_line_open() const {
  const std::uint64_t end = tab_->log.end();
  return end > record_.start_byte && tab_->log.read(end - 1, 1).bytes != "\n";
}

bool CommandRun::shell_is_replaced() const {
  return is_replaced(record_.shell_pid, record_.shell_image);
}

bool CommandRun::opened(const Foreground& now) const {
  if (now.pid == record_.shell_pid) {
    return now.kind != Foreground::Kind::program && now.kind != Foreground::Kind::nothing &&
           shell_is_replaced();
  }
  return now.kind == Foreground::Kind::nested || now.kind == Foreground::Kind::gateway;
}

/// What shows a prompt of a shell that it opened, once that has been shown for a while.
std::optional<Foreground> CommandRun::nested_prompt() {
  const Foreground now = look_at_foreground(tab_->pane_pid);
  const bool gateway = now.kind == Foreground::Kind::gateway;
  const bool nested =
      opened(now) && (!gateway || leaves_line_open()) && prompt_state(now, tab_->tty) == Prompt::ready;
  if (!nested) {
    nested_prompt_seen_.reset();
    return std::nullopt;
  }
  nested_prompt_seen_ = nested_prompt_seen_.value_or(Clock::now());
  return Clock::now() - *nested_prompt_seen_ < kNestedPrompt ? std::nullopt : std::optional(now);
}

bool CommandRun::waits_in_nested_shell() {
  const auto prompt = nested_prompt();
  if (prompt) {
    opened_shell_ = true;
    note_way_in(*prompt, *nested_prompt_seen_);
  }
  return prompt.has_value();
}

/// One that no call waits for: the password came later, or it was started in the background. A gateway is
/// known to have opened a shell only where somebody was told so.
void CommandRun::look_for_nested_shell() {
  const bool innermost = tab_->runs.back().get() == this;
  if (const auto prompt = innermost ? nested_prompt() : std::nullopt) {
    opened_shell_ = opened_shell_ || prompt->kind != Foreground::Kind::gateway;
    note_way_in(*prompt, *nested_prompt_seen_);
  }
}

/// What is older than the way that is known is what was there before that.
void CommandRun::note_way_in(const Foreground& prompt, Clock::time_point seen) {
  std::optional<WayIn> way = way_in(prompt, seen);
  if (!way || (record_.way_in && way->process.start_ticks <= record_.way_in->process.start_ticks)) {
    return;
  }
  record_.way_in = std::move(way);
  tell_end_of_way();
  save_record();  // it may end while nobody looks
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
