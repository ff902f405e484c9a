// A command's life in 100,000 simulated tabs in which everything goes wrong at random: late and lost bytes,
// lines that come late or not at all, deaths at any step. What doc/reliability.md promises holds in each.

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

#include "command_scene.hpp"

namespace terminally {
namespace {

using namespace std::chrono_literals;
using test::Play;
using Who = SeenForeground::Who;

constexpr Milliseconds kNever = 1'000'000ms;
/// A sanitizer takes ten times as long.
constexpr std::uint32_t kLives = TERMINALLY_SANITIZED != 0 ? 10'000 : 100'000;
/// Of a call, for a prompt.
constexpr Milliseconds kPatience = 5'000ms;
constexpr Milliseconds kHorizon = 100'000ms;
/// reliability.md: no command outlives its time-out, or its cancel, by more.
constexpr Milliseconds kEndsWithin = 6'000ms;
/// One that begins when its time is over may end by itself first.
constexpr Milliseconds kLateStart = 300ms + 1'000ms;

class Chance {
 public:
  explicit Chance(std::uint32_t seed) : random_(seed) {}
  bool in(int percent) { return static_cast<int>(random_() % 100) < percent; }
  int to(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most + 1)); }
  Milliseconds ms(int most) { return Milliseconds(to(most)); }

 private:
  std::minstd_rand random_;
};

/// What happens in one of them, drawn at its beginning.
struct Fate {
  explicit Fate(std::uint32_t seed) : chance(seed) {}

  Chance chance;
  bool files = !chance.in(15);                                      ///< its shell reads our files
  Milliseconds prompt_at = chance.in(80) ? 0ms : chance.ms(8'000);  ///< when the shell has a prompt
  Milliseconds typed_late = chance.in(70) ? chance.ms(3) : chance.ms(10'000);
  bool touched_first = chance.in(5);
  bool typing_fails = chance.in(5);
  bool arrives_all_the_same = chance.in(50);
  int hidden_lines = chance.in(90) ? 0 : chance.to(1) + 1;  ///< so many are read, and run nothing
  Milliseconds lasts = chance.in(15) ? kNever : chance.in(50) ? chance.ms(20) : chance.ms(20'000);
  int code = chance.in(50) ? 0 : chance.to(255);
  bool hears_interrupt = chance.in(70);
  bool hears_terminate = chance.in(60);
  int next_steps = chance.in(80) ? 0 : chance.to(2);  ///< what its text goes on with after a SIGTERM
  bool leaves_shell = chance.in(5);                   ///< its text is `exit`
  bool hook_is_lost = chance.in(5);
  bool start_is_lost = chance.in(4);
  bool end_is_lost = chance.in(6);
  bool loss_is_known = chance.in(50);
  Milliseconds log_late = chance.in(75) ? chance.ms(4) : chance.ms(3'000);
  Milliseconds writer_stops = chance.in(5) ? chance.ms(10'000) : kNever;
  Milliseconds writer_goes_on = writer_stops + chance.ms(30'000);
  Milliseconds tmux_freezes = chance.in(5) ? chance.ms(10'000) : kNever;
  Milliseconds tmux_thaws = tmux_freezes + chance.ms(30'000);
  Milliseconds tab_dies = chance.in(6) ? chance.ms(15'000) : kNever;
  bool tmux_dies_too = chance.in(50);
  Milliseconds cancelled = chance.in(40) ? chance.ms(12'000) : kNever;
  bool forced = chance.in(20);
  Milliseconds deadline = chance.in(50) ? chance.ms(8'000) : kNever;
  Milliseconds answers = chance.in(20) ? chance.ms(8'000) : kNever;  ///< the call, before it has begun
};

class SimulatedTab {
 public:
  explicit SimulatedTab(std::uint32_t seed) : fate(seed) {
    play.keeps_notes = false;
    play.scene.files = fate.files;
    play.scene.probe = fate.files;
    play.scene.front = shell(fate.prompt_at == 0ms);
    play.perform = [this](const Act& act) { perform(act); };
    play.at(fate.prompt_at, [this] { prompt(); });
    if (fate.deadline != kNever) {
      play.scene.wanted.deadline = Play::epoch() + fate.deadline;
    }
    if (fate.cancelled != kNever) {
      play.at(fate.cancelled, [this] { cancel(); });
    }
    if (fate.answers != kNever) {
      play.at(fate.answers, [this] { play.scene.wanted.answered = !play.life.is_followed(); });
    }
    if (fate.tab_dies != kNever) {
      play.at(fate.tab_dies, [this] { die(); });
    }
    if (fate.writer_stops != kNever) {
      play.at(fate.writer_stops, [this] { play.scene.writer_stopped = true; });
      play.at(fate.writer_goes_on, [this] { play.scene.writer_stopped = false; });
    }
  }

  const Outcome* live() {
    const Outcome* outcome = play.until(kHorizon);
    script_is_there_ = false;  // what has ended takes its files away
    return outcome;
  }
  /// What was on its way arrives.
  void rest() { play.rest(3 * kHorizon); }

  Fate fate;
  Play play{CommandLife(Play::epoch() + kPatience)};

  // What really happened.
  int runs = 0;
  std::optional<int> real_code;
  bool ours_went_out = false;     ///< a key or a signal
  bool pressed_too_soon = false;  ///< of a time-out, before it was known to run
  bool shell_was_killed = false;
  std::optional<Milliseconds> known_at;     ///< that it runs
  std::optional<Milliseconds> end_seen_at;  ///< END can be read
  std::optional<Milliseconds> followed_at;

 private:
  static SeenForeground shell(bool at_prompt) {
    SeenForeground front;
    front.who = Who::its_shell;
    front.group = 1;
    front.at_prompt = front.its_shell_waits = at_prompt;
    return front;
  }

  void perform(const Act& act) {
    if (!followed_at && play.life.is_followed()) {
      followed_at = since();
    }
    if (std::holds_alternative<act::Approach>(act)) {
      // It comes to the prompt, or gives up: that is an error of the call.
      while (!at_prompt_ && !dead_ && since() < kPatience) {
        play.pass(10ms);
      }
      play.over = !at_prompt_;
      if (at_prompt_) {
        play.life.did(Did::reached_prompt, play.now());
      }
    } else if (std::holds_alternative<act::Type>(act)) {
      type();
    } else if (std::holds_alternative<act::ClearPrompt>(act)) {
      play.life.did(Did::cleared, play.now());
    } else if (std::holds_alternative<act::Withdraw>(act)) {
      script_is_there_ = false;
      play.scene.taken = false;
      play.scene.end_read.reset();
    } else if (std::holds_alternative<act::RemoveScript>(act)) {
      script_is_there_ = false;
    } else if (const auto* group = std::get_if<act::SignalGroup>(&act)) {
      signal_group(*group);
    } else if (const auto* to_shell = std::get_if<act::SignalShell>(&act)) {
      signal_shell(to_shell->signal);
    } else if (const auto* begun = std::get_if<act::Begin>(&act)) {
      begin(begun->act);
    } else if (const auto* awaited = std::get_if<act::Await>(&act);
               awaited != nullptr && awaited->act == LongAct::read_log_out) {
      play.scene.start_read = play.scene.start_read || start_written_;
      if (end_written_) {
        play.scene.end_read = end_written_;
      }
    } else if (std::holds_alternative<act::RecordTermination>(act)) {
      pressed_too_soon = pressed_too_soon || (!play.scene.wanted.ends && !play.scene.has_begun());
    }
  }

  void type() {
    ++typings_;
    if (fate.touched_first && typings_ == 1) {
      play.life.did(Did::not_typed, play.now());
      return;
    }
    if (play.scene.wanted.why != Reason::none || play.scene.wanted.answered ||
        play.now() >= play.scene.wanted.deadline) {
      play.life.did(Did::not_typed, play.now());
      return;
    }
    script_is_there_ = true;
    play.scene.taken = false;
    const int line = typings_;
    const bool fails = fate.typing_fails;
    if (!fails || fate.arrives_all_the_same) {
      play.at(when_tmux_moves(since() + fate.typed_late), [this, line] { arrive(line); });
    }
    play.life.did(fails ? Did::perhaps_typed : Did::typed, play.now());
  }

  /// What is typed waits in the terminal until the shell reads it.
  void arrive(int line) {
    if (!link_is_cut_) {
      waiting_lines_.push_back(line);
    }
    read_lines();
  }

  void read_lines() {
    while (at_prompt_ && !dead_ && !waiting_lines_.empty()) {
      const int line = waiting_lines_.front();
      waiting_lines_.erase(waiting_lines_.begin());
      const bool hidden = hidden_ < fate.hidden_lines;
      hidden_ += hidden ? 1 : 0;
      // Of an earlier typing nothing is left: its script had another name.
      const bool finds_text = !fate.files || (script_is_there_ && line == typings_);
      if (!hidden && finds_text) {
        run();
      }
    }
  }

  void run() {
    ++runs;
    play.scene.taken = true;
    if (fate.files) {
      known_at = since();
    }
    at_prompt_ = false;
    group_ = 7;
    play.scene.front = program();
    if (!fate.start_is_lost) {
      log([this] {
        play.scene.start_read = true;
        known_at = known_at.value_or(since());
      });
      start_written_ = true;
    } else {
      play.scene.gap = fate.loss_is_known;
    }
    if (fate.lasts != kNever) {
      play.in(fate.lasts, [this, run = runs] {
        if (run == runs && is_running()) {
          end(fate.code, fate.leaves_shell ? Marker::By::shell : Marker::By::wrapper);
        }
      });
    }
  }

  [[nodiscard]] SeenForeground program() const {
    SeenForeground front;
    front.who = Who::program;
    front.group = group_;
    return front;
  }

  [[nodiscard]] bool is_running() const { return runs > 0 && !real_code && !dead_ && !link_is_cut_; }

  void end(int code, Marker::By by) {
    real_code = code;
    const bool hook_prints = by != Marker::By::hook || !fate.hook_is_lost;
    if (hook_prints && fate.files) {
      play.scene.exit_file = code;
    }
    if (hook_prints) {
      print_end(code, by);
    }
    prompt();
  }

  void print_end(int code, Marker::By by) {
    if (fate.end_is_lost) {
      play.scene.gap = fate.loss_is_known;
      return;
    }
    end_written_ = SeenEnd{by, code};
    log([this] {
      play.scene.end_read = end_written_;
      end_seen_at = end_seen_at.value_or(since());
    });
  }

  void prompt() {
    if (dead_ || is_running()) {
      return;
    }
    at_prompt_ = true;
    play.scene.front = shell(true);
    read_lines();
  }

  void signal_group(const act::SignalGroup& act) {
    ours_went_out = true;
    if (!is_running() || act.group != group_) {
      return;
    }
    told_over_ = act.shell_goes_on ? group_ : told_over_;
    const bool ends = act.signal == SIGKILL || (act.signal == SIGTERM && fate.hears_terminate) ||
                      (act.signal == SIGINT && fate.hears_interrupt);
    if (!ends) {
      return;
    }
    if (act.signal != SIGINT && steps_ < fate.next_steps && told_over_ != group_) {
      ++steps_;
      play.scene.front.group = ++group_;  // the shell goes on with its text
    } else {
      end(128 + act.signal, Marker::By::wrapper);
    }
  }

  void signal_shell(int signal) {
    ours_went_out = true;
    if (dead_) {
      return;
    }
    if (signal == SIGKILL && !fate.files) {
      // What led there is killed: it ends with its shell, and what was on its way is lost.
      play.scene.shell_gone = play.scene.nested = true;
      link_is_cut_ = true;
    } else if (signal == SIGKILL) {
      shell_was_killed = true;
      if (is_running()) {
        end(128 + SIGKILL, Marker::By::shell);
      } else if (!real_code) {
        // A shell that never came to its prompt: terminally-shell says that it is gone, and starts another.
        waiting_lines_.clear();
        print_end(128 + SIGKILL, Marker::By::shell);
        prompt();
      }
    }
  }

  void begin(LongAct act) {
    if (act == LongAct::press_interrupt_key) {
      ours_went_out = true;
      const bool frozen = is_frozen(since());
      play.scene.long_acts[act] = ActState::going;
      play.in(frozen ? 1'000ms : 1ms, [this] {
        play.scene.long_acts[LongAct::press_interrupt_key] = ActState::done;
        if (is_running() && fate.hears_interrupt) {
          end(128 + SIGINT, Marker::By::hook);
        }
      });
    } else if (act == LongAct::ask_tmux) {
      play.scene.tmux_answers = !is_frozen(since());
      play.scene.long_acts[act] = ActState::going;
      play.in(play.scene.tmux_answers ? 1ms : 1'000ms,
              [this] { play.scene.long_acts[LongAct::ask_tmux] = ActState::done; });
    } else if (act == LongAct::type_probe && real_code && !end_written_) {
      print_end(*real_code, Marker::By::hook);
    }
  }

  void cancel() {
    Requested& wanted = play.scene.wanted;
    wanted.why = Reason::cancelled_by_client;
    wanted.ends = true;
    wanted.force = fate.forced;
    wanted_at = since();
  }

  void die() {
    dead_ = true;
    at_prompt_ = false;
    play.scene.tab = false;
    play.scene.tmux = !fate.tmux_dies_too;
    play.scene.shell_gone = true;
    play.scene.front = {};
    waiting_lines_.clear();
  }

  /// Into the log, in order, as late as its writer and tmux are.
  void log(std::function<void()> read) {
    auto when = since() + fate.log_late;
    when = std::max(when, last_logged_);
    if (when >= fate.writer_stops && when < fate.writer_goes_on) {
      when = fate.writer_goes_on;
    }
    when = when_tmux_moves(when);
    last_logged_ = when;
    play.at(when, [this, read = std::move(read)] {
      if (!dead_) {
        play.scene.grew = play.now();
        read();
      }
    });
  }

  [[nodiscard]] bool is_frozen(Milliseconds when) const {
    return when >= fate.tmux_freezes && when < fate.tmux_thaws;
  }
  [[nodiscard]] Milliseconds when_tmux_moves(Milliseconds when) const {
    return is_frozen(when) ? fate.tmux_thaws : when;
  }
  [[nodiscard]] Milliseconds since() const { return Milliseconds(play.ms()); }

 public:
  std::optional<Milliseconds> wanted_at;

 private:
  bool at_prompt_ = false;
  bool dead_ = false;
  int typings_ = 0;
  int hidden_ = 0;
  int group_ = 0;
  int steps_ = 0;
  int told_over_ = -1;  ///< the group with which the shell was told not to go on
  bool script_is_there_ = false;
  bool link_is_cut_ = false;
  std::vector<int> waiting_lines_;
  bool start_written_ = false;
  std::optional<SeenEnd> end_written_;
  Milliseconds last_logged_{};
};

/// What is wrong with how it ended; empty: nothing is.
std::string broken_promise(SimulatedTab& tab) {
  const Outcome* outcome = tab.live();
  const Milliseconds now(tab.play.ms());
  if (tab.pressed_too_soon) {
    return "a time-out interrupted what was not known to run";
  }
  if (tab.play.over) {
    tab.rest();
    return tab.runs > 0 ? "its call has failed, and it ran" : "";
  }
  if (outcome == nullptr) {
    // It goes on, or nobody can know: it may have run where nothing was read of it.
    const bool ends = tab.real_code || (tab.runs > 0 && (tab.wanted_at || tab.fate.deadline != kNever)) ||
                      tab.fate.tab_dies != kNever || tab.wanted_at;
    const bool known = tab.fate.files || tab.play.scene.end_read;
    return ends && known ? "it has ended, or was to be ended, and nobody says so" : "";
  }
  const bool nothing_was_run =
      outcome->seen == Outcome::Seen::untaken || outcome->seen == Outcome::Seen::called_off ||
      outcome->seen == Outcome::Seen::not_typed || outcome->seen == Outcome::Seen::not_begun ||
      outcome->seen == Outcome::Seen::refused;
  const bool code_is_told = outcome->exit_code.has_value();
  const std::optional<int> code = tab.real_code;
  const bool ours = tab.ours_went_out;
  const Outcome told = *outcome;
  tab.rest();
  if (tab.runs > 1) {
    return "it ran twice";
  }
  if (nothing_was_run && tab.runs > 0) {
    return "it is said not to have run, and did";
  }
  if (told.state == CommandState::completed && tab.runs == 0) {
    return "it is said to have ended, and never ran";
  }
  if (told.state == CommandState::completed && ours) {
    return "it is said to have ended by itself, and we had a part in it";
  }
  if (code_is_told && tab.runs > 0 && told.exit_code != code) {
    return "its exit code is another";
  }
  if (tab.end_seen_at && *tab.end_seen_at < now - 1ms && told.seen == Outcome::Seen::end) {
    return "its END could be read before";
  }
  // It is to end from when it is asked for, or from its time-out on once it is known to run.
  std::optional<Milliseconds> due = tab.wanted_at;
  if (tab.fate.deadline != kNever && tab.known_at && (!due || tab.fate.deadline < *due)) {
    const bool late = *tab.known_at > tab.fate.deadline;
    const Milliseconds over = late ? *tab.known_at + kLateStart : tab.fate.deadline;
    due = due ? std::min(*due, over) : over;
  }
  if (due && tab.followed_at && now > std::max(*due, *tab.followed_at) + kEndsWithin) {
    return "it ended " + std::to_string((now - *due).count()) + " ms after it should";
  }
  return "";
}

TEST_CASE("100,000 commands to which everything happens") {
  const char* only = std::getenv("TERMINALLY_SEED");
  const std::uint32_t first =
      only == nullptr ? 1 : static_cast<std::uint32_t>(std::strtoul(only, nullptr, 10));
  const std::uint32_t last = only == nullptr ? kLives : first;
  std::map<Outcome::Seen, int> endings;
  int broken = 0;
  for (std::uint32_t seed = first; seed <= last && broken < 5; ++seed) {
    SimulatedTab tab(seed);
    tab.play.keeps_notes = only != nullptr;
    const std::string promise = broken_promise(tab);
    for (const auto& [when, what] : tab.play.done) {
      MESSAGE(when << " ms: " << what);
    }
    if (only != nullptr) {
      const auto ms = [](std::optional<Milliseconds> time) { return time ? time->count() : -1; };
      MESSAGE("deadline " << tab.fate.deadline.count() << ", cancelled " << ms(tab.wanted_at) << ", followed "
                          << ms(tab.followed_at) << ", known to run " << ms(tab.known_at) << ", ended "
                          << tab.play.ms() << ", its code " << tab.real_code.value_or(-1));
    }
    if (!promise.empty()) {
      ++broken;
      FAIL_CHECK("seed " << seed << ": " << promise);
    }
    if (tab.play.life.outcome() != nullptr) {
      ++endings[tab.play.life.outcome()->seen];
    }
  }
  if (only == nullptr && broken == 0) {
    // They come to all kinds of ends; a shell elsewhere that refuses, or is gone, is not simulated.
    for (const Outcome::Seen seen :
         {Outcome::Seen::end, Outcome::Seen::exit_file, Outcome::Seen::log_stands_still,
          Outcome::Seen::tmux_stands_still, Outcome::Seen::untaken, Outcome::Seen::called_off,
          Outcome::Seen::not_typed, Outcome::Seen::gave_up, Outcome::Seen::not_begun,
          Outcome::Seen::tab_gone}) {
      CAPTURE(static_cast<int>(seen));
      CHECK(endings[seen] > 0);
    }
  }
}

}  // namespace
}  // namespace terminally
