#include "shell/editor_key.hpp"

#include "shell/fill.hpp"
#include "shell/shell_quoting.hpp"
#include "shell/shell_templates.hpp"
#include "text/ansi.hpp"
#include "text/blanks.hpp"

namespace terminally {
namespace {

std::string last_line(std::string_view text) {
  return std::string(without_blanks(text.substr(text.rfind('\n') + 1)));
}

}  // namespace

std::string editor_key_action(ShellKind shell, const std::filesystem::path& script) {
  std::string action =
      fill_line(shell_template(shell).editor_key, {{"SCRIPT", quoted_for(shell, script.string())}});
  switch (shell) {
    case ShellKind::bash:
      return posix_quoted(R"("\e[7707~": )" + action);
    case ShellKind::fish:
      return quoted_for(shell, action);
    case ShellKind::zsh:
    case ShellKind::posix:
      break;
  }
  return action;
}

bool is_of_editor(ShellKind shell, const TerminalMode& mode) {
  if (mode.line || mode.echo || shell == ShellKind::posix) {
    return false;
  }
  return shell == ShellKind::zsh ? mode.newline_is_cr : !mode.cr_is_enter;
}

std::string telling_script(ShellKind shell, const std::filesystem::path& answer) {
  return fill(shell_template(shell).editor_tells, {{"ANSWER", quoted_for(shell, answer.string())}});
}

std::string putting_script(ShellKind shell, const std::string& text, const std::filesystem::path& answer) {
  return fill(shell_template(shell).editor_puts,
              {{"ANSWER", quoted_for(shell, answer.string())}, {"TEXT", text}});
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
