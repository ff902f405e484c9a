#include "tmux/shells.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/base64.hpp"
#include "base/cancelled_text.hpp"
#include "base/command_file.hpp"
#include "base/no_multiplexer.hpp"
#include "base/one_of.hpp"
#include "base/posix_checksum.hpp"
#include "tmux/editor_key.hpp"
#include "tmux/shell_templates.hpp"
#include "tmux/shell_text.hpp"

namespace terminally {
namespace {

constexpr std::size_t kDisplayLimitBytes = 2'000;
constexpr int kDisplayLimitLines = 12;
constexpr std::size_t kInlineLineBytes = 900;

/// Fills in the `@NAME@` of a template.
std::string fill(std::string_view text, const std::map<std::string, std::string, std::less<>>& values) {
  std::string result;
  while (!text.empty()) {
    const std::size_t begin = text.find('@');
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('@', begin + 1);
    const auto value =
        end == std::string_view::npos ? values.end() : values.find(text.substr(begin + 1, end - begin - 1));
    if (begin == std::string_view::npos) {
      result += text;
      break;
    }
    if (value == values.end()) {
      result += text.substr(0, begin + 1);
      text.remove_prefix(begin + 1);
      continue;
    }
    result += text.substr(0, begin);
    result += value->second;
    text.remove_prefix(end + 1);
  }
  return result;
}

std::string single_quoted(std::string_view text, std::string_view escaped_quote) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += escaped_quote;
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

bool needs_no_quotes(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '.' || c == '_' || c == '-';
  });
}

/// Whether a `return` in a text may give this code, for all that can be seen: it has no number of its own, or
/// this one.
bool may_return(std::string_view text, std::string_view code) {
  constexpr std::string_view kReturn = "return";
  constexpr std::string_view kEndsNumber = " \t\n;&|})";
  for (std::size_t at = text.find(kReturn); at != std::string_view::npos; at = text.find(kReturn, at)) {
    at += kReturn.size();
    const std::size_t begin = std::min(text.find_first_not_of(" \t", at), text.size());
    const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    const bool is_number = end > begin && (end == text.size() || is_one_of(text[end], kEndsNumber));
    if (!is_number || text.substr(begin, end - begin) == code) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string posix_quoted(std::string_view text) {
  return single_quoted(text, "'\\''");
}

std::string fish_quoted(std::string_view text) {
  std::string doubled;
  for (const char c : text) {
    doubled += c;
    if (c == '\\') {
      doubled += c;
    }
  }
  return single_quoted(doubled, "\\'");
}

std::string quoted_for(ShellKind kind, std::string_view text) {
  return kind == ShellKind::fish ? fish_quoted(text) : posix_quoted(text);
}

std::optional<ShellKind> shell_kind(std::string_view program) {
  if (const std::size_t slash = program.rfind('/'); slash != std::string_view::npos) {
    program.remove_prefix(slash + 1);
  }
  if (program.starts_with('-')) {
    program.remove_prefix(1);
  }
  static const std::map<std::string_view, ShellKind> kinds = {
      {"bash", ShellKind::bash},  {"rbash", ShellKind::bash},    {"zsh", ShellKind::zsh},
      {"fish", ShellKind::fish},  {"dash", ShellKind::posix},    {"sh", ShellKind::posix},
      {"ash", ShellKind::posix},  {"ksh", ShellKind::posix},     {"ksh93", ShellKind::posix},
      {"mksh", ShellKind::posix}, {"busybox", ShellKind::posix},
  };
  const auto found = kinds.find(program);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

std::string shell_word(std::string_view text) {
  return needs_no_quotes(text) ? std::string(text) : posix_quoted(text);
}

std::string command_for_display(std::string_view command) {
  while (!command.empty() && command.back() == '\n') {
    command.remove_suffix(1);
  }
  std::string shown = "$ ";
  int lines = 1;
  for (const char c : command) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' && ++lines > kDisplayLimitLines) {
      return shown + "\\r\\n> ...\\r\\n";
    }
    if (shown.size() > kDisplayLimitBytes && byte < 0x80) {
      return shown + "...\\r\\n";
    }
    if (c == '\n') {
      shown += "\\r\\n> ";
    } else if (c == '\\') {
      shown += "\\\\";
    } else if (c == '\t') {
      shown += "\\t";
    } else if (byte >= 0x20 && byte != 0x7f) {
      shown += c;
    } else {
      shown += {'^', static_cast<char>(byte ^ 0x40U)};
    }
  }
  return shown + "\\r\\n";
}

ShellScript shell_script(ShellKind kind, const ShellCommand& command) {
  const std::string id = command_id_of(command.nonce);
  const std::string base = (command.directory / id).string();
  const auto path_of = [&command](CommandFile file) {
    return (command.directory / command_file(command.nonce, file)).string();
  };
  const auto word = [kind](const std::string& text) { return quoted_for(kind, text); };
  const std::map<std::string, std::string, std::less<>> values = {
      {"N", "__mcp_" + id},
      {"NONCE", command.nonce},
      {"WRAPPER", word(base)},
      {"TEXT", word(path_of(CommandFile::text))},
      {"END", word(path_of(CommandFile::end))},
      {"HOOK", word(path_of(CommandFile::hook))},
      {"HISTORY", word(path_of(CommandFile::history))},
      {"TAKEN", word(path_of(CommandFile::taken))},
      {"EXIT", word((command.directory / (command.nonce + ".exit")).string())},
      {"DIRECTORY", word(path_of(CommandFile::directory))},
      {"CANCELLED", word(path_of(CommandFile::cancelled))},
      {"CANCELLED_LINE", word(std::string("\\r\\n") + kCancelledText + "\\r\\n")},  // for printf's %b
      {"DISPLAY", word(command_for_display(command.text))},
      {"HELPER", word(command.helper.string())},
      {"PREVIOUS", std::to_string(command.previous_exit)},
      {"EDITOR_KEY", editor_key_action(kind, command.editor_key)},
      {"EXIT_LOST", command.exit_lost ? "1" : ""},
      {"NO_MUX", word(kNoMultiplexer)},
      {"RETURNS_126", may_return(command.text, "126") ? "1" : ""},
      {"EXITS", command.text.find("exit") != std::string::npos ? "1" : ""},
  };
  const ShellTemplate& shape = shell_template(kind);
  ShellScript script;
  script.files.push_back({base, fill(shape.wrapper, values)});
  std::string text = command.text + (command.text.ends_with('\n') ? "" : "\n");
  if (is_complete_text(kind, command.text)) {
    text += fill(shape.epilogue, values);
  }
  script.files.push_back({path_of(CommandFile::text), std::move(text)});
  if (kind == ShellKind::bash) {
    script.files.push_back({path_of(CommandFile::history),
                            ""});  // ours, so that the shell's umask does not make it readable for others
  }
  script.files.push_back({path_of(CommandFile::taken), std::string(kNotTaken)});
  if (!shape.end.empty()) {
    script.files.push_back({path_of(CommandFile::end), fill(shape.end, values)});
  }
  if (!shape.hook.empty()) {
    script.files.push_back({path_of(CommandFile::hook), fill(shape.hook, values)});
  }
  const auto source = [&](const std::string& path) {
    return " " + std::string(shape.source) + " " + (needs_no_quotes(path) ? path : word(path));
  };
  script.typed_line = source(base);
  script.mending_line =
      shape.mend.empty() ? script.typed_line : " " + std::string(shape.mend) + ";" + script.typed_line;
  script.probe_line = shape.end.empty() ? ""
                                        : " " + std::string(shape.mend) + (shape.mend.empty() ? "" : ";") +
                                              source(path_of(CommandFile::end));
  script.own_line_marks = {". " + base, ". '" + base, "__mcp_" + id + "_"};
  return script;
}

std::vector<std::string> inline_lines(const ShellCommand& command) {
  const std::string name = "__mcp_" + command_id_of(command.nonce);
  std::map<std::string, std::string, std::less<>> values = {
      {"N", name},
      {"NONCE", command.nonce},
      {"DISPLAY", posix_quoted(command_for_display(command.text))},
      {"COMMAND", posix_quoted(command.text + (command.text.ends_with('\n') ? "" : "\n"))},
  };
  values["END_CODE"] = posix_quoted(fill(inline_end_template(), values));
  values["RUN"] = posix_quoted(fill(inline_run_template(), values));
  const std::string payload = encode_base64(fill(inline_template(), values));
  values["PAYLOAD"] = payload;
  values["SUM"] = std::to_string(posix_checksum(payload));
  values["SIZE"] = std::to_string(payload.size());
  // One command over several lines: a continued line leaves no quote open when a part of them is lost.
  std::vector<std::string> lines;
  const std::string filled = fill(inline_typed_template(), values);
  const std::size_t end = filled.find(payload) + payload.size();
  for (std::size_t at = 0; at < end; at += kInlineLineBytes) {
    lines.push_back(filled.substr(at, std::min(kInlineLineBytes, end - at)) + "\\");
  }
  lines.push_back(filled.substr(end));
  return lines;
}

}  // namespace terminally
