#pragma once

#include <string>
#include <utility>

#include "manager_scene.hpp"

namespace terminally::test {

/// A tab that was closed, with this log; or one that is open, with it behind its prompt.
struct LoggedTab : ManagerScene {
  WindowId tab;
  std::uint64_t begin = 0;  ///< of what was written

  explicit LoggedTab(const std::string& text, bool open = false) {
    if (open) {
      tab = open_tab();
      REQUIRE(has_prompt(tab));
    } else {
      std::filesystem::create_directories(instance().generation(1));
    }
    begin = PaneLog(log_of(tab)).end();
    print(text);
  }
  void print(const std::string& text) const { append_to(log_of(tab), text); }
  LogLines last(std::uint64_t lines, TextView view = {}) {
    return run(manager->output().read_lines(tab, lines, std::move(view)));
  }
  [[nodiscard]] ReadLogChunk from(std::uint64_t byte) const {
    ReadLogChunk request;
    request.window_id = tab;
    request.from_byte = byte;
    return request;
  }
  [[nodiscard]] SearchLogs pattern(const std::string& text) const {
    SearchLogs request;
    request.window_id = tab;
    request.pattern = text;
    return request;
  }
  [[nodiscard]] WaitFor until(Until what, std::uint64_t timeout_ms) const {
    WaitFor wait;
    wait.window_id = tab;
    wait.waiting.until = what;
    wait.waiting.timeout_ms = timeout_ms;
    return wait;
  }
};

}  // namespace terminally::test
