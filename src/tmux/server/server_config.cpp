#include "tmux/server/server_config.hpp"
#include "tmux/wire/others_typed.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>

#include "shell/shell_text.hpp"
#include "system/account.hpp"
#include "tmux/wire/channel_session.hpp"
#include "tmux/wire/client.hpp"
#include "tmux/wire/rows.hpp"

namespace terminally {
namespace {

/// What the name of a window begins with that nobody has named: a shell assignment without effect.
constexpr const char* kNoName = "_=";

using Variables = std::map<std::string, std::string, std::less<>>;

/// So that nothing waits for a person who is not there. Each is what its program asks last, so that whatever
/// a command names goes before it: GIT_EDITOR would go before `EDITOR=…` and `git -c core.editor=…`.
/// --plain-env: none.
constexpr std::array<std::array<const char*, 2>, 4> kAgentEnvironment = {{
    {"PAGER", "cat"},
    {"EDITOR", ":"},
    {"GIT_TERMINAL_PROMPT", "0"},
    {"DEBIAN_FRONTEND", "noninteractive"},
}};

Variables our_variables() {
  Variables variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return variables;
}

bool is_utf8_locale(std::string_view locale) {
  return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos;
}

/// The first of these three that is set decides (locale(7)).
void set_utf8_locale(Variables& variables) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto found = variables.find(name);
    if (found != variables.end() && !found->second.empty()) {
      if (!is_utf8_locale(found->second)) {
        found->second = "C.UTF-8";
      }
      return;
    }
  }
  variables["LANG"] = "C.UTF-8";
}

/// The program as a word of the shell command that pipe-pane runs. pipe-pane expands formats and the time in
/// it first, so both are escaped.
std::string in_pipe_command(const std::filesystem::path& program) {
  std::string word;
  for (const char c : format_literal(posix_quoted(program.native()))) {
    word += c == '%' ? "%%" : std::string(1, c);
  }
  return word;
}

std::string set_tag(const std::string& tag) {
  return "set-option -pF @terminally_log " + quote(tag);
}

/// The status line of a person who has attached: all the width for the tabs, each with the id and the name
/// that the tools know it by, and the way out. tmux's own begins with its session's name, which says nothing
/// here.
std::string status_line() {
  constexpr const char* kTabFormat = " #{s/[.].*//:@terminally_log} #{=/60/...;q/h:window_name} ";
  std::string text;
  text += "set -g status-left ''\n";
  text += "set -g status-right ' C-b d leaves '\n";
  text += "set -g window-status-separator ''\n";
  text += "set -g window-status-format " + quote(kTabFormat) + "\n";
  text += "set -g window-status-current-format " + quote(std::string("#[reverse]") + kTabFormat) + "\n";
  return text;
}

/// The name of the shell; "shell" where it has characters that tmux may take for a format.
std::string name_for_windows() {
  const std::string name = std::filesystem::path(user_shell()).filename().string();
  const bool plain =
      std::ranges::all_of(name, [](unsigned char c) { return c < 0x80 && std::isalnum(c) != 0; });
  return plain ? name : "shell";
}

}  // namespace

std::string user_shell() {
  if (const char* shell = std::getenv("SHELL");
      shell != nullptr && ::access(shell, X_OK) == 0 && *shell == '/') {
    return shell;
  }
  if (const std::string& shell = own_account().shell;
      shell.starts_with('/') && ::access(shell.c_str(), X_OK) == 0) {
    return shell;
  }
  return "/bin/sh";
}

std::string mark_session(const std::string& name) {
  return "set-option -t '=" + name + ":' @terminally_tabs 1";
}

std::string log_writer_command(const Config& config) {
  return "exec " + in_pipe_command(config.helper_dir / "terminally-log") +
         " \"$TERMINALLY_LOG_DIR/pane-#{@terminally_log}.log\" " + std::to_string(config.log_segment_bytes) +
         " " + std::to_string(config.log_quota_bytes) + " " + std::to_string(config.min_free_bytes);
}

// The hooks pipe every window from its first byte, also one that a person opens by hand. No user text is in
// them: the logs' directory comes through the environment, tags are numbers. A pane keeps its tag, and so its
// log and its tab, wherever a person moves it. Splits get a log of their own; `pipe-pane` without -o on a
// fresh pane only. resize-window makes a window's size manual, so that no
// watcher's terminal changes it; `set -g window-size manual` says the same, but crashes tmux 3.3a at
// new-session. rename-window gives a name the escaped form that rows.cpp reads: new-window keeps it as it is,
// so that a backslash could mean two things. A window that nobody named is called by the first word of
// default-command, kNoName: it gets the name of its shell.
std::string tmux_hooks(const Config& config) {
  const std::string pipe = " ; pipe-pane " + quote(log_writer_command(config));
  const std::string set_up = set_tag(kNewTabTag) + pipe + " ; resize-window -x " +
                             std::to_string(config.cols) + " -y " + std::to_string(config.rows) +
                             " ; rename-window '#{?#{==:#{window_name}," + kNoName + "}," +
                             name_for_windows() + ",#{window_name}}' ; " + set_untouched();
  std::string text;
  text += "set-hook -g after-new-window " + quote(set_up) + "\n";
  // A session that shares our windows (`terminally-mcp attach @3`) fires this as well, and that of our
  // channels: what has a tag, or is to be no tab, is left alone. Only here, as tmux 3.3a leaks what an
  // if-shell runs (1 KB a window).
  text += "set-hook -g after-new-session " +
          quote(std::string("if-shell -F '#{||:") + kIsChannelSession +
                ",#{||:#{pane_pipe},#{@terminally_log}}}' '' " + quote(set_up)) +
          "\n";
  text += "set-hook -g after-split-window " + quote(set_tag(std::string(kNewTabTag) + ".#{pane_id}") + pipe) +
          "\n";
  // tmux would keep the last thousand of our commands, with all that was typed, for show-messages.
  return text + touch_hooks() + count_layouts() + "set -s message-limit 0\n";
}

std::string tmux_config_text(const Config& config, std::uint32_t generation, std::uint32_t first_id) {
  const std::string cols = std::to_string(config.cols);
  const std::string rows = std::to_string(config.rows);
  std::string text;
  const auto line = [&text](const std::string& words) { text += words + "\n"; };
  line("set -g @terminally_now '%s'");
  line("set -g @terminally_generation " + std::to_string(generation));
  line("set -g @terminally_first_id " + std::to_string(first_id));
  line("set -s exit-empty off");
  line("set -s escape-time 10");
  line("set -s set-clipboard off");
  line("set -g default-terminal tmux-256color");
  line("set -g allow-passthrough off");
  line("set -g allow-rename off");
  line("set -g automatic-rename off");
  line("set -g default-size " + cols + "x" + rows);
  line("set -g history-limit " + std::to_string(config.history_limit));
  line("set -g remain-on-exit off");
  line("set -g destroy-unattached off");
  line("set -g bell-action none");
  line("set -g update-environment ''");
  line("set -g default-shell /bin/sh");
  line("set -g default-command " + quote(std::string(kNoName) + " exec \"$TERMINALLY_PANE_SHELL\" tab"));
  text += tmux_hooks(config) + status_line();
  return text;
}

std::vector<std::string> tmux_environment(const Config& config, const Instance& instance,
                                          std::uint32_t generation) {
  Variables variables = our_variables();
  std::erase_if(variables, [](const auto& entry) {
    // TMOUT of the shell that our client was started from would end idle tabs.
    return entry.first == "TMUX" || entry.first == "TMOUT" || entry.first.starts_with("TMUX_") ||
           entry.first.starts_with("TERMINALLY_");
  });
  set_utf8_locale(variables);
  if (!config.plain_env) {
    variables.erase("VISUAL");  // a person's, which would go before the EDITOR of a command
    for (const auto& [name, value] : kAgentEnvironment) {
      variables[name] = value;
    }
  }
  variables["TERMINALLY_RUN"] = instance.runtime().string();
  variables["TERMINALLY_FILES"] = instance.files().string();
  variables["TERMINALLY_NAME"] = instance.cookie();
  variables["TERMINALLY_SHELL"] = user_shell();
  variables["TERMINALLY_PANE_SHELL"] = (config.helper_dir / "terminally-shell").string();
  variables["TERMINALLY_LOG_DIR"] = instance.generation(generation).string();
  std::vector<std::string> environment;
  environment.reserve(variables.size());
  for (const auto& [name, value] : variables) {
    environment.push_back(name + "=" + value);
  }
  return environment;
}

}  // namespace terminally
