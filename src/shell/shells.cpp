// Puts a value in the place of each `__NAME__` of a script.
// Makes the files and the typed lines that run one command in a shell.

#include "shell/shells.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/characters.hpp"
#include "base/conventions.hpp"
#include "base/digests.hpp"
#include "shell/shell_templates.hpp"
#include "shell/shell_text.hpp"

namespace terminally {

namespace {

constexpr std::string_view kMark = "__";

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::string fill(std::string_view script, const ScriptValues& values) {
  std::string filled;
  std::size_t done = 0;
  for (std::size_t at = script.find(kMark); at != std::string_view::npos; at = script.find(kMark, at)) {
    const std::size_t begin = at + kMark.size();
    const std::size_t end = script.find(kMark, begin);
    const std::string_view name = end == std::string_view::npos ? "" : script.substr(begin, end - begin);
    if (!is_name(name)) {
      at = begin;  // a name of the shell's own, such as __mcp_seen
      continue;
    }
    const auto value = values.find(name);
    if (value == values.end()) {
      throw std::logic_error("a script has __" + std::string(name) + "__, which has no value");
    }
    filled += script.substr(done, at - done);
    filled += value->second;
    done = at = end + kMark.size();
  }
  return filled += script.substr(done);
}

std::string fill_line(std::string_view script, const ScriptValues& values) {
  if (script.ends_with('\n')) {
    script.remove_suffix(1);
  }
  return fill(script, values);
}

namespace {

constexpr std::size_t kDisplayLimitBytes = 2'000;
constexpr int kDisplayLimitLines = 12;
constexpr std::size_t kInlineLineBytes = 900;

/// Whether a `return` in a text may give this code: it has this number, or none that can be read.
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

/// Whether a text may ask for the parts of the pipeline before it.
bool asks_for_parts(std::string_view text) {
  return text.find("pipestatus") != std::string_view::npos ||
         text.find("PIPESTATUS") != std::string_view::npos;
}

/// Whether a text may ask for the last argument of the command before it, or for the shell's name.
bool asks_for_last_argument_or_name(std::string_view text) {
  constexpr std::array<std::string_view, 4> kAsks = {"$_", "${_", "$0", "${0"};
  return std::ranges::any_of(kAsks, [text](std::string_view ask) { return text.find(ask) != text.npos; });
}

}  // namespace

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
  const std::string name = "__mcp_" + id;
  const ScriptValues values = {
      {"NAME", name},
      {"VAR", name + "_"},
      {"NONCE", command.nonce},
      {"WRAPPER", word(base)},
      {"TEXT", word(path_of(CommandFile::text))},
      {"INPUT", command.input.empty() ? "" : "<" + word(command.input.string())},
      {"END", word(path_of(CommandFile::end))},
      {"HOOK", word(path_of(CommandFile::hook))},
      {"TAKEN", word(path_of(CommandFile::taken))},
      {"EXIT", word((command.directory / (command.nonce + ".exit")).string())},
      {"DIRECTORY", word(path_of(CommandFile::directory))},
      {"CANCELLED", word(path_of(CommandFile::cancelled))},
      {"CANCELLED_LINE", word(std::string("\\r\\n") + kCancelledText + "\\r\\n")},  // for printf's %b
      {"BY_PERSON", word(path_of(CommandFile::by_person))},
      {"BY_PERSON_LINE", word(std::string("\\r\\n") + kCancelledInBrowserText + "\\r\\n")},
      {"BY_HAND", word(path_of(CommandFile::by_hand))},
      {"BY_HAND_LINE", word(std::string("\\r\\n") + kCancelledByHandText + "\\r\\n")},
      {"DISPLAY", word(command_for_display(command.text))},
      {"HELPER", word(command.helper.string())},
      {"PREVIOUS", std::to_string(command.previous_exit)},
      {"EXIT_LOST", command.exit_lost ? "1" : ""},
      {"NO_MUX", word(kNoMultiplexer)},
      {"RETURNS_126", may_return(command.text, "126") ? "1" : ""},
      {"ASKS_PARTS", asks_for_parts(command.text) ? "1" : ""},
      {"EXITS", command.text.find("exit") != std::string::npos ? "1" : ""},
  };
  const ShellTemplate& shape = shell_template(kind);
  ShellScript script;
  script.files.push_back({base, fill(shape.wrapper, values)});
  const bool has_prologue = asks_for_last_argument_or_name(command.text) && !asks_for_parts(command.text);
  std::string text = has_prologue ? fill_line(shape.prologue, values) : "";
  text += command.text + (command.text.ends_with('\n') ? "" : "\n");
  if (!may_be_unfinished(kind, command.text)) {
    text += fill(shape.epilogue, values);
  }
  script.files.push_back({path_of(CommandFile::text), std::move(text)});
  script.files.push_back({path_of(CommandFile::taken), std::string(kNotTaken)});
  if (!shape.end.empty()) {
    script.files.push_back({path_of(CommandFile::end), fill(shape.end, values)});
  }
  if (!shape.hook.empty()) {
    script.files.push_back({path_of(CommandFile::hook), fill(shape.hook, values)});
  }
  const auto source = [&](const std::string& path) {
    return " " + fill_line(shape.source, {{"FILE", word_for(kind, path)}});
  };
  script.typed_line = source(base);
  const std::string mend = shape.mend.empty() ? "" : fill_line(shape.mend, {}) + ";";
  script.mending_line = (mend.empty() ? "" : " " + mend) + script.typed_line;
  script.probe_line = shape.end.empty() ? "" : " " + mend + source(path_of(CommandFile::end));
  script.own_line_marks = {". " + base, ". '" + base, name + "_"};
  return script;
}

std::string cd_command(std::optional<ShellKind> kind, const std::string& directory) {
  const std::string_view script = kind ? shell_template(*kind).cd : inline_template().cd;
  return fill_line(script, {{"DIRECTORY", quoted_for(kind.value_or(ShellKind::posix), directory)}});
}

std::vector<std::string> inline_lines(const ShellCommand& command) {
  const std::string name = "__mcp_" + command_id_of(command.nonce);
  const InlineTemplate& shape = inline_template();
  ScriptValues values = {
      {"NAME", name},
      {"VAR", name + "_"},
      {"NONCE", command.nonce},
      {"DISPLAY", posix_quoted(command_for_display(command.text))},
      {"PREVIOUS", std::to_string(command.previous_exit)},
  };
  // Which shell it is, is not known: dash reads on where bash does not.
  values["COMMAND"] =
      posix_quoted(command.text + (command.text.ends_with('\n') ? "" : "\n") +
                   (may_be_unfinished(ShellKind::posix, command.text) ? "" : fill(shape.epilogue, values)));
  values["END_CODE"] = posix_quoted(fill(shape.end, values));
  values["RUN"] = posix_quoted(fill(shape.run, values));
  const std::string payload = encode_base64(fill(shape.payload, values));
  values["PAYLOAD"] = payload;
  values["SUM"] = std::to_string(posix_checksum(payload));
  values["SIZE"] = std::to_string(payload.size());
  // One command over several continued lines: they leave no quote open when some of them are lost.
  std::vector<std::string> lines;
  const std::string filled = " " + fill_line(shape.typed, values);
  const std::size_t end = filled.find(payload) + payload.size();
  for (std::size_t at = 0; at < end; at += kInlineLineBytes) {
    lines.push_back(filled.substr(at, std::min(kInlineLineBytes, end - at)) + "\\");
  }
  lines.push_back(filled.substr(end));
  return lines;
}

}  // namespace terminally
