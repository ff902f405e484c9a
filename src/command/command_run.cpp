// One command of a tab, between what is seen of it (evidence.cpp), its life (life.cpp) and what is done for
// it (command_acts.cpp, command_end.cpp; as it is typed, command_typing.cpp); and its place among the others.

#include "command/command_run.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <exception>

#include "base/error.hpp"
#include "system/signals.hpp"
#include "tab/held_output.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kSpared =
    "its timeout_ms is over, and it was not interrupted: it may wait for the keyboard, which cannot be seen "
    "there (behind ssh, docker, or sudo as another user): read_screen shows it, send_text answers it, "
    "cancel_command ends it; with on_timeout: \"interrupt\" its time ends it, too";

Reason who_cancelled(const Tab& tab, const std::string& nonce) {
  const auto cancelled = tab.files.cancelled(nonce);
  return cancelled && cancelled->by_person ? Reason::cancelled_by_person : Reason::cancelled_by_client;
}

CommandLife life_at_first(const Tab& tab, const CommandRecord& record) {
  if (record.nonce.empty()) {
    return CommandLife(Clock::time_point::max());
  }
  return {tab.closed ? CommandLife::Found::in_closed_tab : CommandLife::Found::running, Clock::now()};
}

}  // namespace

CommandRun::CommandRun(RunContext& context, std::shared_ptr<Tab> tab, CommandRecord record, FileLock owner)
    : context_(context),
      tab_(std::move(tab)),
      terminal_(context.terminal_of(*tab_)),
      watch_(context.watch.watch(tab_->log.path())),
      state_{.life = life_at_first(*tab_, record), .requested = {}, .ended = {}},
      record_(context.executor, tab_, std::move(record), std::move(owner)),
      output_(tab_->log, record_, state_.ended),
      shells_(*tab_, record_),
      acts_(context_, *tab_, *terminal_, watch_, state_, record_, output_, typed_, shells_),
      evidence_(context_, *tab_, state_, record_, output_, typed_, shells_, acts_, PlaceInTab(*tab_, *this)),
      ending_(context_, *tab_, state_, record_, output_, typed_, shells_, acts_, PlaceInTab(*tab_, *this)) {
  if (!record_.is_adopted()) {
    return;
  }
  CommandLog& log = output_.log();
  log.begin(record_->nonce, record_->typed_byte, record_->start_byte);
  typed_ = how_it_was_typed(*tab_, *record_, context_.helper);
  log.set_own_lines(typed_.script.own_line_marks);
  state_.requested.spares_unseen = record_->spares_unseen;
  if (record_->deadline_steady_ms != 0) {
    state_.requested.deadline = Clock::time_point(Milliseconds(record_->deadline_steady_ms));
  }
  if (record_->signalled) {
    state_.requested.why = Reason::cancelled_by_client;  // whatever ends it was our signal; no more are sent
  }
  // The process that looked after it before had begun to end it.
  if (record_->reason != Reason::none || tab_->files.cancelled(record_->nonce)) {
    const Reason who = who_cancelled(*tab_, record_->nonce);
    request_end(record_->reason == Reason::none ? who : record_->reason, false);
    record_.edit().reason = Reason::none;
  }
}

asio::awaitable<void> CommandRun::follow() {
  const auto self = shared_from_this();
  const Typist nobody;  // it is typed already
  co_await live(nobody);
}

/// Until it has begun, then until it has ended: a look, what its life makes of it, and a rest until there is
/// something new. Another command may end this one at any wait: the shell that it was typed into has ended
/// with that, or the tab.
asio::awaitable<void> CommandRun::live(const Typist& typist) {
  const bool was_followed = state_.life.is_followed();
  while (!has_ended()) {
    try {
      output_.read();
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the log knows since when it cannot be read
    }
    heed_other_processes();
    const Todo todo = state_.life.step(evidence_, Clock::now());
    for (std::size_t i = 0; i < todo.acts.size() && !has_ended(); ++i) {
      co_await carry_out(todo.acts[i], typist);
    }
    if (has_ended()) {
      co_return;
    }
    if (state_.life.outcome() != nullptr) {
      ending_.end_as(*state_.life.outcome());
      co_return;
    }
    if (!was_followed && state_.life.is_followed()) {
      co_return;
    }
    if (output_.log().goes_on() && !output_.end()) {
      co_await asio::post(context_.executor, asio::use_awaitable);
    } else if (todo.look_at > Clock::now()) {
      co_await watch_.changed_by(todo.look_at);
    }
  }
}

asio::awaitable<void> CommandRun::carry_out(Act act, const Typist& typist) {
  if (const auto* signal = std::get_if<act::SignalGroup>(&act)) {
    co_await acts_.signal_group(*signal);
  } else if (const auto* to_shell = std::get_if<act::SignalShell>(&act)) {
    if (const auto shell = shells_.own()) {
      signal_process(*shell, to_shell->signal);
    }
  } else if (const auto* begun = std::get_if<act::Begin>(&act)) {
    CommandActs::begin(std::shared_ptr<CommandActs>(shared_from_this(), &acts_), begun->act);
  } else if (const auto* awaited = std::get_if<act::Await>(&act)) {
    co_await acts_.finish(awaited->act);
  } else if (const auto* termination = std::get_if<act::RecordTermination>(&act)) {
    if (termination->why == Reason::timeout && output_.end_byte() == record_->start_byte) {
      note_once(record_.edit().notes, why_nothing_is_printed(*tab_));
    }
    record_.save_termination(termination->why, termination->force);
  } else if (std::holds_alternative<act::Spare>(act)) {
    record_.note(std::string(kSpared));
    set_deadline(Clock::time_point::max());
  } else if (std::holds_alternative<act::RemoveScript>(act)) {
    if (typed_.in_files) {
      tab_->files.remove_script(record_->nonce);
    }
  } else if (std::holds_alternative<act::RestoreFiles>(act)) {
    typed_.restore_files(tab_->files, *record_);
  } else if (std::holds_alternative<act::LookForShells>(act)) {
    if (PlaceInTab(*tab_, *this).is_innermost()) {
      static_cast<void>(shells_.one_waits(false));
    }
  } else if (std::holds_alternative<act::Withdraw>(act)) {
    record_.withdraw();
    output_.log().forget();
  } else {
    co_await typist(act);
  }
}

/// A client may cancel it, or send it a signal, by another process than this: in turn, and by force at last.
/// Also where its END is there by now: what ended it may be that.
void CommandRun::heed_other_processes() {
  if (state_.requested.force || tab_->closed || !state_.life.is_followed()) {
    return;
  }
  const auto cancelled = tab_->files.cancelled(record_->nonce);
  const bool force = cancelled && cancelled->force;
  if (force || (cancelled && !state_.requested.ends)) {
    request_end(who_cancelled(*tab_, record_->nonce), force);
  } else if (!is_interrupted() && tab_->files.is_signalled(record_->nonce)) {
    state_.requested.why = Reason::cancelled_by_client;
  }
}

void CommandRun::request_end(Reason why, bool force) {
  if (has_ended()) {
    return;
  }
  Requested& requested = state_.requested;
  if (requested.why == Reason::none) {
    requested.why = why;
  }
  requested.ends = true;
  requested.force = requested.force || force;
  watch_.wake();
}

void CommandRun::spare_unseen() {
  state_.requested.spares_unseen = record_.edit().spares_unseen = true;
}

void CommandRun::set_deadline(Clock::time_point when) {
  state_.requested.deadline = when;
  record_.edit().deadline_steady_ms = when == Clock::time_point::max() ? 0 : steady_ms(when);
  if (record_.is_recorded() && !has_ended()) {
    static_cast<void>(record_.save());
  }
  watch_.wake();
}

bool CommandRun::was_called_off() const {
  return state_.life.outcome() != nullptr && state_.life.outcome()->seen == Outcome::Seen::called_off;
}

bool CommandRun::is_left_untaken() {
  Untaken untaken;
  Todo todo;
  const auto looks = [&] { return untaken.look(evidence_, Milliseconds(0), Clock::now(), todo); };
  if (looks() || todo.acts.empty()) {
    return false;
  }
  tab_->files.remove_script(record_->nonce);
  return !output_.read() && looks();
}

asio::awaitable<bool> ended_or_called_off(RunPtr run, Clock::time_point by, Reason why) {
  bool has_ended = false;
  std::exception_ptr aborted;
  try {
    has_ended = co_await run->wait_for_end_by(by);
  } catch (...) {
    aborted = std::current_exception();
  }
  if (!has_ended) {
    run->request_end(why, false);
  }
  if (aborted) {
    std::rethrow_exception(aborted);
  }
  co_return has_ended;
}

bool PlaceInTab::is_outermost() const {
  return tab_.runs.front().get() == &run_;
}

bool PlaceInTab::is_innermost() const {
  return !tab_.runs.empty() && tab_.runs.back().get() == &run_;
}

bool PlaceInTab::one_around_is_ending() const {
  const auto place = std::ranges::find(tab_.runs, &run_, &RunPtr::get);
  return std::any_of(tab_.runs.begin(), place, [this](const RunPtr& run) {
    return tab_.files.exit_code(run->record().nonce).has_value();
  });
}

bool has_run(const Tab& tab, const std::string& id) {
  return std::ranges::any_of(tab.runs, [&id](const RunPtr& run) { return run->record().id == id; });
}

std::vector<std::shared_ptr<CommandEnd>> PlaceInTab::ends_inside() const {
  std::vector<std::shared_ptr<CommandEnd>> ends;
  const auto place = std::ranges::find(tab_.runs, &run_, &RunPtr::get);
  for (auto run = place == tab_.runs.end() ? place : std::next(place); run != tab_.runs.end(); ++run) {
    if ((*run)->may_be_typed()) {  // else it comes after this one
      ends.emplace(ends.begin(), *run, &(*run)->ending());
    }
  }
  return ends;
}

void PlaceInTab::leave() {
  std::erase_if(tab_.runs, [this](const RunPtr& run) { return run.get() == &run_; });
  if (tab_.runs.empty()) {
    tab_.command_lock.release();
  }
}

}  // namespace terminally
