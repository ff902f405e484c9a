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
#include "instance/instance.hpp"
#include "instance/tab_ids.hpp"
#include "paper_panes.hpp"
#include "scripted_tmux.hpp"
#include "tmux/manager.hpp"

namespace terminally::test {

/// What a call threw, or that it threw nothing.
struct Failure {
  std::optional<ErrorCode> code;
  std::string text;

  [[nodiscard]] bool says(std::string_view part) const { return text.find(part) != std::string::npos; }
};

/// Runs the event loop until the work is done, or for 20 s.
inline void run_until(boost::asio::io_context& io, const bool& done) {
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done && std::chrono::steady_clock::now() < give_up_at) {
    io.restart();
    io.run_one_until(give_up_at);
  }
  REQUIRE(done);
}

/// asio makes an empty result where there is none.
template <typename T>
boost::asio::awaitable<std::optional<T>> perhaps(boost::asio::awaitable<T> work) {
  std::optional<T> result;
  result.emplace(co_await std::move(work));
  co_return result;
}

template <typename T>
T run(boost::asio::io_context& io, boost::asio::awaitable<T> work) {
  bool done = false;
  std::exception_ptr failure;
  std::optional<T> result;
  boost::asio::co_spawn(io, perhaps(std::move(work)), [&](std::exception_ptr thrown, std::optional<T> made) {
    failure = std::move(thrown);
    result = std::move(made);
    done = true;
  });
  run_until(io, done);
  if (failure) {
    std::rethrow_exception(failure);
  }
  return std::move(*result);
}

inline void run(boost::asio::io_context& io, boost::asio::awaitable<void> work) {
  bool done = false;
  std::exception_ptr failure;
  boost::asio::co_spawn(io, std::move(work), [&](std::exception_ptr thrown) {
    failure = std::move(thrown);
    done = true;
  });
  run_until(io, done);
  if (failure) {
    std::rethrow_exception(failure);
  }
}

template <typename T>
Failure failure_of(boost::asio::io_context& io, boost::asio::awaitable<T> work) {
  try {
    static_cast<void>(run(io, std::move(work)));
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

/// A call that goes on while the test does something else.
template <typename T>
class UnderWay {
 public:
  UnderWay(boost::asio::io_context& io, boost::asio::awaitable<T> work) : io_(io) {
    boost::asio::co_spawn(
        io, std::move(work),
        boost::asio::bind_cancellation_slot(cancel_.slot(), [this](std::exception_ptr thrown, T made) {
          failure_ = std::move(thrown);
          result_ = std::move(made);
          done_ = true;
        }));
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  [[nodiscard]] bool is_done() const { return done_; }
  void cancel() { cancel_.emit(boost::asio::cancellation_type::terminal); }
  T result() {
    run_until(io_, done_);
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    return std::move(*result_);
  }

 private:
  boost::asio::io_context& io_;
  boost::asio::cancellation_signal cancel_;
  bool done_ = false;
  std::exception_ptr failure_;
  std::optional<T> result_;
};

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
                             words.front() == "set-environment" || words.front() == "set-hook";
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
    std::erase_if(
        rows, [this](const PaneRow& row) { return panes.contains(row.pane.number) && pane_of(row).ended(); });
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
  void run(boost::asio::awaitable<void> work) { test::run(*io, std::move(work)); }
  template <typename T>
  Failure failure(boost::asio::awaitable<T> work) {
    return failure_of(*io, std::move(work));
  }
  Failure failure(boost::asio::awaitable<void> work) { return failure_of(*io, done(std::move(work))); }
  /// Turns of the event loop until it is so, for 10 s at most.
  template <typename Condition>
  bool comes_true(Condition condition) {
    const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    bool is_so = condition();
    while (!is_so && std::chrono::steady_clock::now() < give_up_at) {
      io->restart();
      io->run_one_for(std::chrono::milliseconds(5));
      is_so = condition();
    }
    return is_so;
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
    return run(manager->create_tab(create)).window_id;
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
  /// Its shell is at its prompt.
  bool has_prompt(WindowId tab) {
    return comes_true([&] { return content_of(log_of(tab)).ends_with("$ "); });
  }

  CommandResult execute(WindowId tab, std::string command, std::uint64_t timeout_ms = 10'000) {
    ExecuteCommand request;
    request.window_id = tab;
    request.command = std::move(command);
    request.timeout_ms = timeout_ms;
    return run(manager->execute(std::move(request)));
  }

 private:
  [[nodiscard]] std::unique_ptr<TmuxManager> another_manager() {
    return std::make_unique<TmuxManager>(io->get_executor(), config, tmux);
  }
  static boost::asio::awaitable<bool> done(boost::asio::awaitable<void> work) {
    co_await std::move(work);
    co_return true;
  }
  Config made_config() {
    Config made;
    made.runtime_root = directory / "r";
    made.state_root = directory / "s";
    made.helper_dir = std::filesystem::path(TERMINALLY_LOG_PATH).parent_path();
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
