#include "tmux/tab_keyboard.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <boost/asio.hpp>
#include <string>
#include <vector>

#include "config_in.hpp"
#include "instance/tab_ids.hpp"
#include "manager_scene.hpp"
#include "scripted_tmux.hpp"
#include "temp_files.hpp"
#include "tmux/wire/command_mark.hpp"

namespace terminally {
namespace {

using test::Failure;
using test::ScriptedTmux;

/// A tab whose pane is known to tmux only, and the list of commands that typed into it.
struct TypingTab {
  boost::asio::io_context io{1};
  test::TempDir directory;
  Config config = test::config_in(directory.path());
  Instance instance{config, "unit"};
  std::shared_ptr<ScriptedTmux> tmux = std::make_shared<ScriptedTmux>();
  std::shared_ptr<Tab> tab;
  std::unique_ptr<TabKeyboard> keyboard;

  struct Pasted {
    std::string text;
    unsigned mode = 0;
  };
  std::vector<Pasted> pasted;  ///< the files that tmux was told to load

  TypingTab() {
    std::filesystem::create_directories(instance.generation(1));
    std::filesystem::create_directories(instance.runtime());
    tab = std::make_shared<Tab>(WindowId{3}, PaneId{5}, home_of(instance, 1, WindowId{3}), tmux->pid);
    keyboard = std::make_unique<TabKeyboard>(TmuxClient(tmux, Milliseconds(4'000)).of_server(tmux->pid), tab);
    tmux->on("load-buffer", [this](const std::string& commands) {
      for (const auto& words : test::tmux_commands(commands)) {
        if (words.front() == "load-buffer") {
          struct stat file{};
          ::stat(words.back().c_str(), &file);
          pasted.push_back({test::content_of(words.back()), file.st_mode & 0777U});
        }
      }
      return TmuxAnswer{};
    });
  }
  Failure paste(const std::string& text, bool bracketed = false, bool enter = false) {
    return test::failure_of(io, done(keyboard->paste(text, bracketed, enter)));
  }
  OfferedKeys offer(const std::string& keys, const std::string& nonce) {
    return test::run(io, keyboard->offer(keys, nonce));
  }
  [[nodiscard]] bool has_left_files() const { return !std::filesystem::is_empty(instance.runtime()); }

  static Awaitable<bool> done(Awaitable<void> work) {
    co_await std::move(work);
    co_return true;
  }
};

}  // namespace

TEST_CASE("tab keyboard: copy mode is left first, in the same list, of this server and in time") {
  TypingTab typing;
  test::run(typing.io, typing.keyboard->type("send-keys -t \"%5\" -- Up"));
  const auto commands = test::tmux_commands(typing.tmux->last().commands);
  REQUIRE(commands.size() == 2);
  CHECK(commands[0] == std::vector<std::string>{"copy-mode", "-q", "-t", "%5"});
  CHECK(commands[1] == std::vector<std::string>{"send-keys", "-t", "%5", "--", "Up"});
  CHECK(typing.tmux->last().of_server);
  CHECK(typing.tmux->last().in_time);
}

TEST_CASE("tab keyboard: a text goes by a private file, of which nothing stays") {
  TypingTab typing;
  std::string text;
  for (int c = 1; c < 256; ++c) {
    text += static_cast<char>(c);
  }
  for (const auto& [bracketed, enter] :
       std::vector<std::pair<bool, bool>>{{false, false}, {true, false}, {false, true}, {true, true}}) {
    CAPTURE(bracketed);
    CAPTURE(enter);
    typing.pasted.clear();
    CHECK_FALSE(typing.paste(text, bracketed, enter).code);
    REQUIRE(typing.pasted.size() == 1);
    CHECK(typing.pasted[0].text == text);
    CHECK(typing.pasted[0].mode == 0600);
    CHECK_FALSE(typing.has_left_files());
    const auto commands = test::tmux_commands(typing.tmux->last().commands);
    REQUIRE(commands.size() == (enter ? 4 : 3));
    const auto& paste = commands[2];
    CHECK(paste.front() == "paste-buffer");
    CHECK(test::value_of(paste, "-t") == "%5");
    CHECK(test::value_of(paste, "-b") == test::value_of(commands[1], "-b"));
    CHECK(std::ranges::count(paste, "-d") == 1);  // it may be a password
    CHECK(std::ranges::count(paste, "-p") == (bracketed ? 1 : 0));
    if (enter) {
      CHECK(commands[3] == std::vector<std::string>{"send-keys", "-t", "%5", "Enter"});
    }
  }
  CHECK(typing.tmux->times_asked("paste-buffer") == 4);
}

TEST_CASE("tab keyboard: two texts never share a buffer") {
  TypingTab typing;
  static_cast<void>(typing.paste("a"));
  const std::string first = typing.tmux->last().commands;
  static_cast<void>(typing.paste("b"));
  const auto buffer = [](const std::string& commands) {
    return test::value_of(test::tmux_commands(commands)[1], "-b");
  };
  CHECK(buffer(first) != buffer(typing.tmux->last().commands));
}

TEST_CASE("tab keyboard: typed once or an error, and no file stays behind that") {
  struct Case {
    std::string error;  ///< of tmux; empty: it never answers
    ErrorCode code;
    std::string says;
  };
  for (const Case& one : std::vector<Case>{
           {"can't find pane: %5", ErrorCode::tab_closed, "tab @3 is closed; its log can still be read"},
           {"", ErrorCode::tmux_timeout, "tmux did not answer within 4000 ms"},
           {"no space for buffers", ErrorCode::tmux_failed, "tmux: no space for buffers"},
           {"no buffer paste-0123", ErrorCode::tmux_failed, "tmux: no buffer paste-0123"}}) {
    CAPTURE(one.error);
    TypingTab typing;
    if (one.error.empty()) {
      typing.tmux->become("load-buffer", ScriptedTmux::Fate::lost);
    } else {
      typing.tmux->fail("load-buffer", one.error);
    }
    const Failure failure = typing.paste("text");
    CHECK(failure.code == one.code);
    CHECK(failure.says(one.says));
    CHECK(typing.tmux->times_asked("load-buffer") == 1);
    CHECK_FALSE(typing.has_left_files());
  }
}

TEST_CASE("tab keyboard: another tmux server's pane of the same number gets nothing") {
  TypingTab typing;
  typing.tmux->pid = 4'712;
  CHECK(typing.paste("text").code == ErrorCode::tab_closed);
  CHECK(typing.pasted.empty());
  CHECK(typing.tmux->times_asked("paste-buffer") == 0);
}

TEST_CASE(
    "tab keyboard: a person's keys are typed while the command goes on, and the pane counts as touched") {
  TypingTab typing;
  const OfferedKeys offered = typing.offer("abc", "0123");
  CHECK(offered.fate == OfferedKeys::Fate::typed);
  CHECK(offered.bytes == 3);
  const std::string commands = typing.tmux->last().commands;
  CHECK(commands.find(quote(may_have_ended("0123"))) != std::string::npos);
  CHECK(commands.ends_with("@terminally_seen sent"));
  CHECK(typing.offer("\r", "").bytes == 1);
  CHECK(typing.tmux->last().commands.find("if-shell") == std::string::npos);  // nothing of ours runs
}

TEST_CASE("tab keyboard: what becomes of keys that were offered") {
  using Fate = OfferedKeys::Fate;
  struct Case {
    std::string error;  ///< empty: tmux never answers
    Fate fate;
    std::size_t bytes;
  };
  for (const Case& one : std::vector<Case>{{"no buffer terminally", Fate::held, 0},
                                           {"can't find pane: %5", Fate::held, 0},
                                           {"", Fate::unknown, 2},
                                           {"server exited unexpectedly", Fate::unknown, 2}}) {
    CAPTURE(one.error);
    TypingTab typing;
    if (one.error.empty()) {
      typing.tmux->become("paste-buffer", ScriptedTmux::Fate::lost);
    } else {
      typing.tmux->fail("paste-buffer", one.error);
    }
    const OfferedKeys offered = typing.offer("ab", "0123");
    CHECK(offered.fate == one.fate);
    CHECK(offered.bytes == one.bytes);
    CHECK(typing.tmux->times_asked("paste-buffer") == 1);  // never sent again
    // The path that kept it from being typed is what runs in the command: the next keys pass.
    const bool taken_over = one.error.starts_with("no buffer");
    CHECK(typing.tmux->times_asked("@terminally_path '0123 #{pane_path}'") == (taken_over ? 1 : 0));
  }
}

TEST_CASE("tab keyboard: keys that could not be sent at all are still the person's") {
  TypingTab typing;
  typing.tmux->on("paste-buffer", [](const std::string&) -> TmuxAnswer {
    throw Error(ErrorCode::io, "no descriptor is left");
  });
  CHECK(typing.offer("ab", "0123").fate == OfferedKeys::Fate::held);
}

TEST_CASE("tab keyboard: what tmux says about a tab that it has no more") {
  TypingTab typing;
  typing.tmux->fail("capture-pane", "can't find pane: %5");
  const TmuxClient client(typing.tmux, Milliseconds(100));
  Failure failure = test::failure_of(typing.io, answer_about(typing.tab, client.query("capture-pane -t %5")));
  CHECK(failure.code == ErrorCode::tab_closed);
  CHECK(failure.says("tab @3 is closed"));
  typing.tmux->become("capture-pane", ScriptedTmux::Fate::lost);
  failure = test::failure_of(typing.io, answer_about(typing.tab, client.query("capture-pane -t %5")));
  CHECK(failure.code == ErrorCode::tmux_timeout);
  typing.tmux->print("capture-pane", "rows\n");
  CHECK(test::run(typing.io, answer_about(typing.tab, client.query("capture-pane -t %5"))) == "rows\n");
}

TEST_CASE("tab keyboard: nothing is put at the prompt of a tab that has none") {
  TypingTab typing;
  const Failure failure = test::failure_of(typing.io, typing.keyboard->paste_at_prompt("text", Clock::now()));
  CHECK(failure.code == ErrorCode::tab_closed);  // its process is gone
  CHECK(typing.tmux->asked.empty());
}

}  // namespace terminally
