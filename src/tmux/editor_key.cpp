#include "tmux/editor_key.hpp"

#include "tmux/ansi.hpp"
#include "tmux/awaiting_input.hpp"

namespace terminally {
namespace {

// No answer is written in part: each is one printf, and ends with a NUL.
constexpr std::string_view kBashTells =
    R"sh(\builtin printf '%s\0' "$READLINE_LINE" "${PS2+${PS2@P}}" >| @ANSWER@
READLINE_LINE=
)sh";
constexpr std::string_view kBashPuts =
    R"sh(case $READLINE_LINE in ('') READLINE_LINE=@TEXT@ READLINE_POINT=${#READLINE_LINE}; \builtin printf '\0' >| @ANSWER@;; esac
)sh";

constexpr std::string_view kZshTells =
    R"sh(case $CONTEXT in (start|cont) \builtin printf '%s\0' "$PREBUFFER$BUFFER" >| @ANSWER@;; esac
)sh";
constexpr std::string_view kZshPuts =
    R"sh(case $CONTEXT$PENDING$KEYS_QUEUED_COUNT$BUFFER in (start00) BUFFER=@TEXT@ CURSOR=${#BUFFER}; \builtin printf '\0' >| @ANSWER@;; esac
)sh";

constexpr std::string_view kFishTells = R"sh(if builtin test (builtin status current-command) = fish
builtin printf '%s\0' (builtin commandline | builtin string collect -N) >@ANSWER@
end
)sh";
constexpr std::string_view kFishPuts = R"sh(set -l __mcp_line (builtin commandline)
if builtin test (builtin status current-command)"$__mcp_line" = fish
builtin commandline -r -- @TEXT@
builtin printf '\0' >@ANSWER@
end
)sh";

struct KeyScripts {
  std::string_view tells;
  std::string_view puts;
};

KeyScripts scripts_of(ShellKind shell) {
  switch (shell) {
    case ShellKind::bash:
      return {kBashTells, kBashPuts};
    case ShellKind::zsh:
      return {kZshTells, kZshPuts};
    case ShellKind::fish:
      return {kFishTells, kFishPuts};
    case ShellKind::posix:
      break;
  }
  return {};
}

std::string last_line(std::string_view text) {
  return std::string(without_blanks(text.substr(text.rfind('\n') + 1)));
}

/// `text` is filled in last, and not looked through.
std::string fill(std::string_view shape, const std::string& answer, const std::string& text) {
  std::string script(shape);
  if (const std::size_t at = script.find("@ANSWER@"); at != std::string::npos) {
    script.replace(at, 8, answer);
  }
  if (const std::size_t at = script.find("@TEXT@"); at != std::string::npos) {
    script.replace(at, 6, text);
  }
  return script;
}

}  // namespace

std::string editor_key_action(ShellKind shell, const std::filesystem::path& script) {
  const std::string file = quoted_for(shell, script.string());
  switch (shell) {
    case ShellKind::bash:
      // A simple command: in an open quote, or behind `case x in`, bash knows no reserved word.
      return posix_quoted(R"("\e[7707~": \builtin . )" + file + " 2>/dev/null");
    case ShellKind::zsh:
      return R"(\builtin . )" + file;
    case ShellKind::fish:
      return quoted_for(shell, "builtin source " + file);
    case ShellKind::posix:
      break;
  }
  return {};
}

bool is_of_editor(ShellKind shell, const TerminalMode& mode) {
  if (mode.line || mode.echo || shell == ShellKind::posix) {
    return false;
  }
  return shell == ShellKind::zsh ? mode.newline_is_cr : !mode.cr_is_enter;
}

std::string telling_script(ShellKind shell, const std::filesystem::path& answer) {
  return fill(scripts_of(shell).tells, quoted_for(shell, answer.string()), {});
}

std::string putting_script(ShellKind shell, const std::string& text, const std::filesystem::path& answer) {
  return fill(scripts_of(shell).puts, quoted_for(shell, answer.string()), text);
}

std::optional<HalfTyped> decode_half_typed(ShellKind shell, std::string_view answer) {
  if (!answer.ends_with('\0')) {
    return std::nullopt;
  }
  answer.remove_suffix(1);
  HalfTyped half;
  if (shell == ShellKind::bash) {
    const std::size_t end = answer.find('\0');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    half.text = answer.substr(0, end);
    half.next_prompt = answer.substr(end + 1);
    return half;
  }
  if (shell == ShellKind::fish && answer.ends_with('\n')) {
    answer.remove_suffix(1);  // `commandline` ends what it tells with one
  }
  half.text = answer;
  half.whole = true;
  return half;
}

std::string drawn_prompt(std::string_view log) {
  constexpr std::string_view kRowCleared = "\x1b[K";
  const std::size_t cleared = log.rfind(kRowCleared);
  if (cleared == std::string_view::npos) {
    return {};
  }
  return last_line(strip_ansi(log.substr(cleared + kRowCleared.size())));
}

bool is_first_line(const HalfTyped& half, std::string_view prompt) {
  return !prompt.empty() && half.prompt == prompt && last_line(strip_ansi(half.next_prompt)) != prompt;
}

}  // namespace terminally
