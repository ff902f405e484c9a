#pragma once

#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command/life.hpp"

namespace terminally::test {

using namespace std::chrono_literals;

/// What a test lets a command see.
class Scene : public CommandSenses {
 public:
  bool start_read = false;
  std::optional<SeenEnd> end_read;
  bool more_in_log = false;
  Clock::time_point grew;
  bool gap = false;
  bool writer_stopped = false;
  std::optional<Clock::time_point> unreadable_since;
  bool files = true;
  bool taken = false;
  std::optional<int> exit_file;
  bool tab = true;
  bool tmux = true;
  bool shell_gone = false;
  SeenForeground front;
  bool nested = false;
  bool outermost = true;
  bool around_is_ending = false;
  Requested wanted;
  bool probe = true;
  std::map<LongAct, ActState> long_acts;
  bool tmux_answers = true;
  bool others_typed = false;
  bool stopped = false;

  [[nodiscard]] bool has_start() const override { return start_read; }
  [[nodiscard]] std::optional<SeenEnd> end() const override { return end_read; }
  [[nodiscard]] bool log_goes_on() const override { return more_in_log; }
  [[nodiscard]] Clock::time_point log_grew() const override { return grew; }
  [[nodiscard]] bool log_has_gap() const override { return gap; }
  [[nodiscard]] bool log_writer_is_stopped() const override { return writer_stopped; }
  [[nodiscard]] std::optional<Clock::time_point> log_unreadable_since() const override {
    return unreadable_since;
  }
  [[nodiscard]] bool in_files() const override { return files; }
  [[nodiscard]] bool may_be_taken() const override { return taken; }
  [[nodiscard]] std::optional<int> exit_code() const override { return exit_file; }
  [[nodiscard]] bool tab_lives() const override { return tab; }
  [[nodiscard]] bool tmux_lives() const override { return tmux; }
  [[nodiscard]] bool shell_is_gone() const override { return shell_gone; }
  [[nodiscard]] bool shell_can_be_told() const override { return !shell_gone; }
  [[nodiscard]] SeenForeground foreground() const override { return front; }
  [[nodiscard]] bool is_nested() const override { return nested; }
  [[nodiscard]] bool is_outermost() const override { return outermost; }
  [[nodiscard]] bool one_around_is_ending() const override { return around_is_ending; }
  [[nodiscard]] Requested requested() const override { return wanted; }
  [[nodiscard]] bool can_probe() const override { return probe; }
  [[nodiscard]] ActState state_of(LongAct act) const override {
    const auto found = long_acts.find(act);
    return found == long_acts.end() ? ActState::none : found->second;
  }
  [[nodiscard]] bool tmux_answered() const override { return tmux_answers; }
  [[nodiscard]] bool typed_by_others() const override { return others_typed; }
  [[nodiscard]] bool is_stopped() const override { return stopped; }
};

/// An act as a word: "type 2", "kill group 7", "press_interrupt_key".
inline std::string name_of(const Act& act) {
  struct Name {
    static std::string signal(int number) {
      return number == SIGKILL   ? "kill"
             : number == SIGTERM ? "terminate"
             : number == SIGHUP  ? "hang up"
                                 : "interrupt";
    }
    static std::string name_of(LongAct act) {
      static const std::map<LongAct, std::string> names = {{LongAct::press_interrupt_key, "press key"},
                                                           {LongAct::type_probe, "type probe"},
                                                           {LongAct::ask_tmux, "ask tmux"},
                                                           {LongAct::end_rest, "end rest"},
                                                           {LongAct::read_log_out, "read log"},
                                                           {LongAct::settle_prompt, "settle"}};
      return names.at(act);
    }
    std::string operator()(const act::Approach&) const { return "approach"; }
    std::string operator()(const act::Type& type) const { return "type " + std::to_string(type.attempt); }
    std::string operator()(const act::ClearPrompt&) const { return "clear"; }
    std::string operator()(const act::Withdraw&) const { return "withdraw"; }
    std::string operator()(const act::RemoveScript&) const { return "remove script"; }
    std::string operator()(const act::RestoreFiles&) const { return "restore files"; }
    std::string operator()(const act::LookForShells&) const { return "look for shells"; }
    std::string operator()(const act::RecordTermination&) const { return "record"; }
    std::string operator()(const act::Spare&) const { return "spare"; }
    std::string operator()(const act::SignalGroup& to) const {
      return signal(to.signal) + " group " + std::to_string(to.group) +
             (to.shell_goes_on ? " and tell shell" : "");
    }
    std::string operator()(const act::SignalShell& to) const { return signal(to.signal) + " shell"; }
    std::string operator()(const act::Begin& begin) const { return name_of(begin.act); }
    std::string operator()(const act::Await& await) const { return name_of(await.act); }
  };
  return std::visit(Name{}, act);
}

/// A command's life on a clock of its own: what is to happen in the scene happens at its time, and the life
/// is asked when it wants to look, or when something has happened.
class Play {
 public:
  Scene scene;
  CommandLife life;
  /// What was done, and when, in milliseconds from the beginning; what is done at every look is left out.
  std::vector<std::pair<int, std::string>> done;
  /// What an act does to the scene; by default a long act is done at once.
  std::function<void(const Act&)> perform;

  explicit Play(CommandLife what) : life(std::move(what)) { scene.grew = begin_; }

  static Clock::time_point epoch() { return Clock::time_point(1'000s); }
  static CommandLife running() { return {CommandLife::Found::running, epoch()}; }

  [[nodiscard]] Clock::time_point now() const { return now_; }
  [[nodiscard]] int ms() const { return static_cast<int>((now_ - begin_) / 1ms); }

  void at(Milliseconds when, std::function<void()> what) { events_.emplace(begin_ + when, std::move(what)); }
  void in(Milliseconds when, std::function<void()> what) { events_.emplace(now_ + when, std::move(what)); }

  /// Until it has ended, or until the time: whatever comes first.
  const Outcome* until(Milliseconds when) {
    for (int looks = 0; life.outcome() == nullptr && !over && now_ <= begin_ + when; ++looks) {
      REQUIRE(looks < 100'000);  // else it looks again and again, and no time passes
      happen();
      const Todo todo = life.step(scene, now_);
      for (const Act& act : todo.acts) {
        note(act);
        perform_act(act);
      }
      if (life.outcome() != nullptr) {
        break;
      }
      const auto next_event = events_.empty() ? Clock::time_point::max() : events_.begin()->first;
      now_ = std::max(now_, std::min({todo.look_at, next_event, begin_ + when + 1ms}));
    }
    return life.outcome();
  }
  /// An act that takes this long.
  void pass(Milliseconds time) {
    const auto end = now_ + time;
    while (!events_.empty() && events_.begin()->first <= end) {
      now_ = std::max(now_, events_.begin()->first);
      happen();
    }
    now_ = end;
  }
  /// What is still to happen, after its end.
  void rest(Milliseconds until) { pass(std::chrono::duration_cast<Milliseconds>(begin_ + until - now_)); }

  [[nodiscard]] std::optional<int> when_done(const std::string& what) const {
    const auto found = std::ranges::find(done, what, &std::pair<int, std::string>::second);
    return found == done.end() ? std::nullopt : std::optional(found->first);
  }
  [[nodiscard]] std::size_t times(const std::string& what) const {
    return static_cast<std::size_t>(std::ranges::count(done, what, &std::pair<int, std::string>::second));
  }

 private:
  void happen() {
    while (!events_.empty() && events_.begin()->first <= now_) {
      const auto what = std::move(events_.begin()->second);
      events_.erase(events_.begin());
      what();
    }
  }

  void note(const Act& act) {
    const bool at_each_look =
        std::holds_alternative<act::LookForShells>(act) || std::holds_alternative<act::RestoreFiles>(act);
    if (!at_each_look && keeps_notes) {
      done.emplace_back(ms(), name_of(act));
    }
  }

  void perform_act(const Act& act) {
    if (const auto* begin = std::get_if<act::Begin>(&act)) {
      scene.long_acts[begin->act] = ActState::done;
    } else if (const auto* await = std::get_if<act::Await>(&act)) {
      scene.long_acts[await->act] = ActState::done;
    }
    if (perform) {
      perform(act);
    }
  }

 public:
  bool keeps_notes = true;
  bool over = false;  ///< its call has ended with an error

 private:
  Clock::time_point begin_ = epoch();
  Clock::time_point now_ = epoch();
  std::multimap<Clock::time_point, std::function<void()>> events_;
};

inline constexpr int kGroup = 7;

inline SeenForeground program(int group = kGroup) {
  SeenForeground front;
  front.who = SeenForeground::Who::program;
  front.group = group;
  return front;
}

inline SeenForeground own_shell(bool at_prompt) {
  SeenForeground front;
  front.who = SeenForeground::Who::its_shell;
  front.group = 1;
  front.at_prompt = at_prompt;
  front.its_shell_waits = at_prompt;
  return front;
}

/// One that runs a program of its own.
struct RunningPlay : Play {
  RunningPlay() : Play(Play::running()) {
    scene.start_read = true;
    scene.front = program();
  }
};

inline void end_at(Play& play, Milliseconds when, int code, Marker::By by = Marker::By::wrapper) {
  play.at(when, [&play, code, by] {
    play.scene.end_read = SeenEnd{by, code};
    play.scene.front = own_shell(true);
  });
}

inline void exit_file_at(Play& play, Milliseconds when, int code) {
  play.at(when, [&play, code] {
    play.scene.exit_file = code;
    play.scene.front = own_shell(true);
  });
}

inline void cancel_at(Play& play, Milliseconds when, bool force = false) {
  play.at(when, [&play, force] {
    play.scene.wanted.why = Reason::cancelled_by_client;
    play.scene.wanted.ends = true;
    play.scene.wanted.force = play.scene.wanted.force || force;
  });
}

inline void deadline_at(Play& play, Milliseconds when) {
  play.scene.wanted.deadline = Play::epoch() + when;
}

/// A log in which something comes every 100 ms.
inline void print_on(Play& play, Milliseconds from) {
  play.at(from, [&play, from] {
    play.scene.grew = play.now();
    print_on(play, from + 100ms);
  });
}

}  // namespace terminally::test
