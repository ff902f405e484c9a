#pragma once

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "config.hpp"
#include "config_in.hpp"
#include "event_loop.hpp"
#include "instance/instance.hpp"
#include "instance/tab_ids.hpp"
#include "paper_panes.hpp"
#include "places.hpp"
#include "scripted_tmux.hpp"
#include "system/foreground.hpp"
#include "system/proc.hpp"
#include "tmux/manager.hpp"

namespace terminally::test {

/// A tmux that opens, types into and closes panes that are there: terminally-shell with dash, on terminals of
/// their own. What it does is as quick as it can be; what else it should do, a test scripts.
class PaperTmux : public ScriptedTmux {
 public:
  explicit PaperTmux(const Config& config) : config_(config) { pid = 0; }

  std::unique_ptr<PaperServer> server;
  std::map<std::uint32_t, std::unique_ptr<PaperPane>> panes;
  bool condition_holds = false;  ///< of the pane, when something is to be typed unless it does
  std::string shell = "/bin/dash";

  [[nodiscard]] PaperPane& pane_of(const PaneRow& row) { return *panes.at(row.pane.number); }

  /// As by `kill -9`: with it its panes go.
  void end_server() {
    panes.clear();
    rows.clear();
    server.reset();
    pid = 0;
  }

 protected:
  TmuxAnswer perform(const std::string& commands) override {
    TmuxAnswer answer;
    for (const auto& words : tmux_commands(commands)) {
      const std::string target = value_of(words, "-t");
      const auto row = std::ranges::find_if(
          rows, [&](const PaneRow& one) { return to_string(one.pane) == target || one.window == target; });
      const bool at_window = words.front() == "new-window" || words.front() == "set-option" ||
                             words.front() == "set-environment" || words.front() == "set-hook" ||
                             words.front() == "has-session";
      if (!at_window && !target.empty() && row == rows.end()) {
        return failed("can't find pane: " + target);
      }
      answer.out += done_with(words, row);
      if (!error_.empty()) {
        return failed(std::exchange(error_, ""));
      }
    }
    return answer;
  }

 private:
  using Rows = std::vector<PaneRow>::iterator;

  std::string done_with(const std::vector<std::string>& words, Rows row) {
    const std::string& command = words.front();
    const std::string buffer = value_of(words, "-b");
    if (command == "new-session" || command == "new-window") {
      return open(words);
    }
    if (command == "list-panes") {
      return listed();
    }
    if (command == "display-message") {
      const bool of_server = words.back().starts_with("#{pid}");
      return of_server ? std::to_string(pid) + "\t" + std::to_string(generation_) + "\n" : "0\n";
    }
    if (command == "set-buffer") {
      buffers_[buffer] = words.back();
    } else if (command == "load-buffer") {
      buffers_[buffer] = content_of(words.back());
    } else if (command == "if-shell" && condition_holds) {
      buffers_.clear();
    } else if (command == "paste-buffer") {
      paste(buffer, *row);
    } else if (command == "send-keys" && words.back() == "Enter") {
      pane_of(*row).type("\r");
    } else if (command == "send-keys") {
      pane_of(*row).type(words.back() == "C-c" ? "\x03" : words.back());
    } else if (command == "rename-window") {
      row->name = expanded(words.back());
    } else if (command == "kill-window" || command == "kill-pane") {
      panes.erase(row->pane.number);
      rows.erase(row);
    }
    return "";
  }

  /// A format that is all text.
  static std::string expanded(std::string format) {
    for (std::size_t at = format.find("##"); at != std::string::npos; at = format.find("##", at + 1)) {
      format.erase(at, 1);
    }
    return format;
  }

  std::string listed() {
    std::string out;
    std::erase_if(rows, [this](const PaneRow& row) {
      return panes.contains(row.pane.number) && pane_of(row).has_ended();
    });
    for (const PaneRow& row : rows) {
      out += pane_line(row);
    }
    return out;
  }

  void paste(const std::string& buffer, const PaneRow& row) {
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end()) {
      error_ = "no buffer " + buffer;
      return;
    }
    std::string text = found->second;
    buffers_.erase(found);
    if (buffer != "terminally") {
      std::ranges::replace(text, '\n', '\r');
    }
    pane_of(row).type(text);
  }

  /// A server comes with its first session.
  void start_server() {
    const Instance instance(config_, config_.instance);
    const std::string text = content_of(instance.tmux_config());
    const auto number = [&text](const std::string& option) {
      return static_cast<std::uint32_t>(std::stoul(text.substr(text.find(option) + option.size() + 1)));
    };
    generation_ = number("@terminally_generation");
    first_id_ = number("@terminally_first_id");
    next_ = 0;
    server = std::make_unique<PaperServer>(instance.socket(), instance.cookie());
    pid = server->pid();
  }

  std::string open(const std::vector<std::string>& words) {
    const std::string format = value_of(words, "-F");
    if (pid == 0) {
      start_server();
    }
    const Instance instance(config_, config_.instance);
    PaneRow row;
    row.pane = PaneId{next_};
    row.window = "@" + std::to_string(next_);
    row.tag = "@" + std::to_string(first_id_ + next_);
    row.session = "$0";
    row.in_tabs = true;
    row.cols = 120;
    row.name = expanded(value_of(words, "-n"));
    ++next_;
    std::vector<std::string> environment{"PATH=/usr/bin:/bin",
                                         "PS1=$ ",
                                         "TERMINALLY_RUN=" + instance.runtime().string(),
                                         "TERMINALLY_FILES=" + instance.files().string(),
                                         "TERMINALLY_NAME=" + instance.cookie(),
                                         "TERMINALLY_LOG_DIR=" + instance.generation(generation_).string(),
                                         "TMUX_PANE=" + to_string(row.pane)};
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "-e" && !words[i + 1].starts_with("TERMINALLY_SHELL=")) {
        environment.push_back(words[i + 1]);
      }
    }
    environment.push_back("TERMINALLY_SHELL=" + shell);
    const auto program = std::ranges::find(words, "--");
    auto pane =
        std::make_unique<PaperPane>(Argv{*(program + 1), "tab"}, environment, expanded(value_of(words, "-c")),
                                    log_path(instance.generation(generation_), row.tag));
    row.pane_pid = pane->pid();
    row.tty = pane->tty();
    panes[row.pane.number] = std::move(pane);
    rows.push_back(row);
    const std::string of_server = std::to_string(pid) + "\t" + std::to_string(generation_) + "\t";
    return (format.starts_with("#{pid}") ? of_server : "") + pane_line(row);
  }

  const Config& config_;
  std::uint32_t generation_ = 0;
  std::uint32_t first_id_ = 0;
  std::uint32_t next_ = 0;
  std::map<std::string, std::string> buffers_;
  std::string error_;
};

inline QueryCommand latest_of(WindowId tab) {
  QueryCommand query;
  query.window_id = tab;
  return query;
}

/// A manager of a named instance in a directory of its own, with a tmux of paper.
class ManagerScene {
 public:
  std::optional<boost::asio::io_context> io{1};
  TempDir directory{in_memory()};
  Config config = made_config();
  std::shared_ptr<PaperTmux> tmux = std::make_shared<PaperTmux>(config);
  std::unique_ptr<TmuxManager> manager = another_manager();

  explicit ManagerScene(const std::function<void(Config&)>& change = {}) {
    if (change) {
      change(config);
      manager = another_manager();
    }
  }
  ~ManagerScene() {
    manager.reset();
    tmux->end_server();
    remove_with_all(instance().files());
  }
  ManagerScene(const ManagerScene&) = delete;
  ManagerScene& operator=(const ManagerScene&) = delete;

  /// As by `kill -9` of our server, and a new one of the same instance: nothing of the first runs on.
  void restart() {
    manager.reset();
    io.reset();
    io.emplace(1);
    manager = another_manager();
  }
  [[nodiscard]] Instance instance() const { return {config, config.instance}; }

  template <typename T>
  T run(boost::asio::awaitable<T> work) {
    return test::run(*io, std::move(work));
  }
  template <typename T>
  Failure failure(boost::asio::awaitable<T> work) {
    return failure_of(*io, std::move(work));
  }
  template <typename Condition>
  bool comes_true(Condition condition) {
    return test::comes_true(*io, std::move(condition));
  }
  /// Turns of the event loop until nothing is to be done but to wait.
  void settle() {
    io->restart();
    while (io->poll() > 0) {
    }
  }

  WindowId open_tab(const std::string& name = "work") {
    CreateTab create;
    create.name = name;
    create.cwd = directory.path();
    create.shell = "/bin/sh";
    return run(manager->tabs().create(create)).window_id;
  }
  [[nodiscard]] PaneRow& row_of(WindowId tab) {
    const auto row = std::ranges::find(tmux->rows, std::optional(tab),
                                       [](const PaneRow& one) { return parse_window_id(one.tag); });
    REQUIRE(row != tmux->rows.end());
    return *row;
  }
  [[nodiscard]] PaperPane& pane_of(WindowId tab) { return tmux->pane_of(row_of(tab)); }
  [[nodiscard]] std::filesystem::path log_of(WindowId tab, std::uint32_t generation = 1) const {
    return log_path(instance().generation(generation), to_string(tab));
  }
  /// Its shell is at its prompt: it has shown it, and reads what is typed there.
  bool has_prompt(WindowId tab) {
    return comes_true([&] {
      const PaneRow& row = row_of(tab);
      const auto pane = process_info(row.pane_pid);
      return content_of(log_of(tab)).ends_with("$ ") && pane &&
             prompt_state(look_at_foreground(pane->id()), row.tty) == Prompt::ready;
    });
  }

  CommandResult execute(WindowId tab, std::string command, std::uint64_t timeout_ms = 10'000) {
    ExecuteCommand request;
    request.window_id = tab;
    request.command = std::move(command);
    request.timeout_ms = timeout_ms;
    return run(manager->commands().execute(std::move(request)));
  }
  CommandResult cancel(WindowId tab, bool force = false) {
    return run(manager->stops().cancel_command(latest_of(tab), force));
  }

 private:
  [[nodiscard]] std::unique_ptr<TmuxManager> another_manager() {
    return std::make_unique<TmuxManager>(io->get_executor(), config, tmux);
  }
  Config made_config() {
    Config made = config_in(directory.path());
    made.helper_dir = std::filesystem::path(kLogProgram).parent_path();
    made.instance = "unit";
    made.tmux = directory / "no-tmux";
    return made;
  }
};

/// Whether one of the notes has this in it.
inline bool any_note(const std::vector<std::string>& notes, std::string_view part) {
  return std::ranges::any_of(notes,
                             [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace terminally::test
