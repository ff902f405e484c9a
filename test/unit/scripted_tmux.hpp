#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/event.hpp"
#include "tmux/wire/channel.hpp"
#include "tmux/wire/rows.hpp"

namespace terminally::test {

/// The words of a list of tmux commands, quotes undone: a vector for each command.
inline std::vector<std::vector<std::string>> tmux_commands(std::string_view text) {
  std::vector<std::vector<std::string>> commands(1);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
    } else if (text[i] == '\n' || text[i] == ';') {
      commands.emplace_back();
      ++i;
    } else {
      std::string word;
      for (char quoted = '\0'; i < text.size() && (quoted != '\0' || (text[i] != ' ' && text[i] != '\n'));
           ++i) {
        const char c = text[i];
        if (c == quoted) {
          quoted = '\0';
        } else if (quoted == '\0' && (c == '"' || c == '\'')) {
          quoted = c;
        } else if (quoted == '"' && c == '\\') {
          word += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 3)), nullptr, 8));
          i += 3;
        } else {
          word += c;
        }
      }
      commands.back().push_back(std::move(word));
    }
  }
  std::erase_if(commands, [](const auto& words) { return words.empty(); });
  return commands;
}

/// What follows an option among the words of a command; empty: it is not there.
inline std::string value_of(const std::vector<std::string>& words, std::string_view option) {
  const auto found = std::ranges::find(words, option);
  return found == words.end() || found + 1 == words.end() ? "" : *(found + 1);
}

/// A row as `list-panes` prints it.
inline std::string pane_line(const PaneRow& row) {
  const auto flag = [](bool is) { return is ? "1\t" : "0\t"; };
  std::string name;  // as tmux shows it
  for (const char c : row.name) {
    name += c == '\\' ? "\\\\" : std::string(1, c);
  }
  return row.tag + "\t" + row.session + "\t" + row.window + "\t" + flag(row.in_tabs) + to_string(row.pane) +
         "\t" + std::to_string(row.pane_pid) + "\t" + row.tty + "\t" + (row.window_active ? "1" : "0") +
         row.layouts + "\t" + flag(row.piped) + std::to_string(row.cols) + "\t" + std::to_string(row.rows) +
         "\t" + flag(row.alternate) + flag(row.person_types) + name + "\n";
}

/// A tmux server that is none: it answers as a test has told it, and keeps what it was asked.
class ScriptedTmux : public TmuxChannel {
 public:
  struct Asked {
    std::string commands;    ///< without what guards them, and without a newline behind them
    bool of_server = false;  ///< only for the server of one pid
    bool in_time = false;    ///< only before its deadline
    std::int64_t by = 0;     ///< that, as the server's clock shows it: a second since the epoch
    bool starts = false;
    Milliseconds deadline{0};
    std::vector<std::string> environment;
  };
  using Answers = std::function<TmuxAnswer(const std::string& commands)>;
  enum class Fate {
    answered,
    lost,  ///< nothing was done, and nothing came by the deadline
    late,  ///< nothing came by the deadline, and it is done behind it, unless it is guarded
    held,  ///< it is done and answered when the test says so (let_go_on), or nothing came by the deadline
  };

  int pid = 4'711;            ///< 0: no server listens
  std::vector<PaneRow> rows;  ///< what list-panes prints
  std::vector<Asked> asked;
  int clock_jumps = 0;  ///< so many guarded lists find their deadline over
  int let_gos = 0;
  std::function<void()> tell;
  std::optional<std::uint64_t> told;  ///< news(): as it grows, tmux tells of changes; none: nobody listens

  /// What lists of commands with `part` in them are answered; who was told last is asked first. `times`: so
  /// often.
  void on(std::string part, Answers answers, int times = kAlways) {
    rules_.push_back({std::move(part), std::move(answers), Fate::answered, times});
  }
  void print(std::string part, std::string out, int times = kAlways) {
    on(std::move(part), [out = std::move(out)](const std::string&) { return printed(out); }, times);
  }
  void fail(std::string part, std::string error, int times = kAlways) {
    on(std::move(part), [error = std::move(error)](const std::string&) { return failed(error); }, times);
  }
  void become(std::string part, Fate fate, int times = kAlways) {
    rules_.push_back({std::move(part), nullptr, fate, times});
  }
  void let_go_on() { goes_on_.set(); }

  static TmuxAnswer printed(std::string out) { return {std::move(out), "", false}; }
  static TmuxAnswer failed(std::string error) { return {"", std::move(error), false}; }

  [[nodiscard]] std::size_t times_asked(std::string_view part) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        asked, [&](const Asked& one) { return one.commands.find(part) != std::string::npos; }));
  }
  /// The last one with `part` in it.
  [[nodiscard]] const Asked& last(std::string_view part = "") const {
    for (const Asked& one : std::views::reverse(asked)) {
      if (one.commands.find(part) != std::string::npos) {
        return one;
      }
    }
    throw std::runtime_error("tmux was never asked: " + std::string(part));
  }

  [[nodiscard]] Awaitable<TmuxAnswer> run(std::string commands, Milliseconds deadline) override {
    return answer(std::move(commands), {}, false, deadline);
  }
  [[nodiscard]] Awaitable<TmuxAnswer> start(std::string commands, std::vector<std::string> environment,
                                            Milliseconds deadline) override {
    return answer(std::move(commands), std::move(environment), true, deadline);
  }
  [[nodiscard]] std::optional<std::uint64_t> news() const override { return told; }
  void on_news(std::function<void()> listener) override { tell = std::move(listener); }
  void let_go() override { ++let_gos; }

 protected:
  /// Of what no rule answers.
  virtual TmuxAnswer perform(const std::string& commands) {
    std::string out;
    const bool lists = commands.starts_with("list-panes");
    const bool asks_for_active = commands.starts_with("display-message -p -t ");
    for (const PaneRow& row : rows) {
      if (lists) {
        out += pane_line(row);
      } else if (asks_for_active && row.window_active &&
                 value_of(tmux_commands(commands).front(), "-t") == row.session + ":") {
        out += untold(row) + "\n";
      }
    }
    return printed(out);
  }

 private:
  static constexpr int kAlways = 1'000'000;

  struct Rule {
    std::string part;
    Answers answers;
    Fate fate = Fate::answered;
    int times = 0;
  };

  /// What is left of a list once its guards are looked at: of `%if "CONDITION"`, one of its branches.
  std::string unguarded(std::string commands, Asked& asked_for) {
    while (commands.starts_with("%if ")) {
      const std::size_t begin = commands.find("\" ") + 2;
      const std::size_t otherwise = commands.rfind(" %else ");
      const std::size_t end = commands.rfind(" %endif");
      const std::string condition = commands.substr(0, begin);
      bool holds = false;
      std::size_t branch = otherwise;  // where the first one ends
      if (const std::string other = "#{!=:#{pid},"; condition.find(other) != std::string::npos) {
        asked_for.of_server = true;
        holds = std::stoi(condition.substr(condition.find(other) + other.size())) != pid;
        branch = commands.find(" %else ");  // what it guards may have one as well
      } else if (const std::string now = "#{T:@terminally_now},"; condition.find(now) != std::string::npos) {
        asked_for.in_time = true;
        asked_for.by = std::stoll(condition.substr(condition.find(now) + now.size()));
        holds = clock_jumps == 0 && wall_clock_ms() / 1'000 < asked_for.by;
        clock_jumps -= clock_jumps > 0 ? 1 : 0;
      } else {
        throw std::runtime_error("no condition that is known: " + condition);
      }
      commands =
          holds ? commands.substr(begin, branch - begin) : commands.substr(branch + 7, end - branch - 7);
    }
    return commands;
  }

  TmuxAnswer answer_of(const Rule* rule, const std::string& commands) {
    if (const std::string says = "display-message -p \"terminally: "; commands.starts_with(says)) {
      return printed(tmux_commands(commands).front().back() + "\n");
    }
    return rule != nullptr ? rule->answers(commands) : perform(commands);
  }

  // NOLINTNEXTLINE(performance-unnecessary-value-param): a coroutine keeps what it is given
  Awaitable<TmuxAnswer> answer(std::string commands, std::vector<std::string> environment, bool starts,
                               Milliseconds deadline) {
    const auto give_up_at = Clock::now() + deadline;
    if (pid == 0 && !starts) {
      co_return failed("no server running on /tmp/tmux.sock");
    }
    Asked now;
    while (commands.ends_with('\n')) {
      commands.pop_back();
    }
    now.commands = unguarded(std::move(commands), now);
    now.starts = starts;
    now.deadline = deadline;
    now.environment = std::move(environment);
    asked.push_back(now);
    Rule* rule = nullptr;
    const Rule* effect = nullptr;
    for (Rule& one : rules_) {
      const bool is_it = one.times > 0 && now.commands.find(one.part) != std::string::npos;
      rule = is_it ? &one : rule;
      effect = is_it && one.answers ? &one : effect;
    }
    const Fate fate = rule == nullptr ? Fate::answered : rule->fate;
    if (rule != nullptr) {
      --rule->times;
    }
    if (fate == Fate::held) {
      const bool in_time = co_await goes_on_.wait_by(give_up_at);
      if (!in_time) {
        co_return TmuxAnswer{"", "", true};
      }
    }
    if (fate == Fate::late && !now.in_time) {
      static_cast<void>(answer_of(effect, now.commands));
    }
    if (fate == Fate::late || fate == Fate::lost) {
      co_return TmuxAnswer{"", "", true};
    }
    co_return answer_of(effect, now.commands);
  }

  std::list<Rule> rules_;
  Event goes_on_;
};

}  // namespace terminally::test
