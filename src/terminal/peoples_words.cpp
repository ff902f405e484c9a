// Puts people's commands in the place of tools, in messages that agents and people get alike.
#include "terminal/peoples_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

namespace terminally {
namespace {

struct PeoplesCommand {
  std::string_view tool;
  std::string_view command;
  std::string_view behind_tab;  ///< what its call has in place of the tool's other arguments
};

constexpr std::array kPeoplesCommands = {
    PeoplesCommand{"execute_command or start_process", "exec", ""},  // people have one for both
    PeoplesCommand{"execute_command", "exec", " -- COMMAND"},
    PeoplesCommand{"start_process", "exec", " -- COMMAND"},
    PeoplesCommand{"wait_for", "wait", ""},
    PeoplesCommand{"get_command_state", "history", ""},
    PeoplesCommand{"cancel_command", "cancel", ""},
    PeoplesCommand{"stop_process", "send", " --keys C-c"},
    PeoplesCommand{"send_text", "send", " TEXT"},
    PeoplesCommand{"send_keys", "send", " --keys KEY"},
    PeoplesCommand{"read_screen", "attach", ""},
    PeoplesCommand{"stream_logs_from_tab", "tail", ""},
    PeoplesCommand{"read_logs_from_tab", "tail", ""},
    PeoplesCommand{"search_logs", "grep", " PATTERN"},
    PeoplesCommand{"create_tab", "new", ""},
    PeoplesCommand{"list_tabs", "ls", ""},
    PeoplesCommand{"close_tab", "close", ""},
};

bool continues_word(std::string_view text, std::size_t at) {
  const auto is_of_name = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_' ||
                               text[i] == '-' || text[i] == '/');
  };
  return is_of_name(at) || (at < text.size() && text[at] == '.' && is_of_name(at + 1));
}

bool is_word_at(std::string_view text, std::size_t at, std::string_view word) {
  return text.substr(at).starts_with(word) && !continues_word(text, at + word.size()) &&
         (at == 0 || !continues_word(text, at - 1));
}

const PeoplesCommand* command_at(std::string_view text, std::size_t at) {
  const auto* const found = std::ranges::find_if(
      kPeoplesCommands, [&](const PeoplesCommand& one) { return is_word_at(text, at, one.tool); });
  return found == kPeoplesCommands.end() ? nullptr : found;
}

/// ` {"window_id": "@3", …}` behind a tool's name; empty: there are no arguments.
std::string_view arguments_at(std::string_view rest) {
  const std::size_t end = rest.find('}');
  return rest.starts_with(" {\"window_id\"") && end != std::string_view::npos ? rest.substr(0, end + 1)
                                                                              : std::string_view();
}

std::string command_line(const PeoplesCommand& command, std::string_view arguments) {
  const auto given = nlohmann::json::parse(arguments, nullptr, false);
  std::string line = "`terminally-mcp " + std::string(command.command);
  if (given.is_object()) {
    const auto tab = given.find("window_id");  // it may be somebody's text that looks like a call
    line += tab != given.end() && tab->is_string() ? " " + tab->get<std::string>() : "";
    line += command.behind_tab;
    line += given.contains("from_byte") ? " --from-byte " + given["from_byte"].dump() : "";
  } else if (command.behind_tab.starts_with(" --keys")) {
    line += " --keys";
  }
  return line + "`";
}

}  // namespace

std::string in_peoples_words(std::string_view message) {
  constexpr std::string_view kArgument = "window_id: ";
  constexpr std::string_view kTab = "window_id";
  constexpr std::string_view kTime = "timeout_ms";
  message.remove_prefix(message.starts_with(kArgument) ? kArgument.size() : 0);
  std::string said;
  for (std::size_t at = 0; at < message.size();) {
    std::size_t taken = 1;
    if (message[at] == '"') {
      taken = std::min(message.find('"', at + 1), message.size() - 1) - at + 1;
      said += message.substr(at, taken);
    } else if (const PeoplesCommand* const command = command_at(message, at)) {
      const std::string_view arguments = arguments_at(message.substr(at + command->tool.size()));
      said += command_line(*command, arguments);
      taken = command->tool.size() + arguments.size();
    } else if (is_word_at(message, at, kTab)) {
      said += "tab";
      taken = kTab.size();
    } else if (is_word_at(message, at, kTime)) {
      said += "--timeout-ms";
      taken = kTime.size();
    } else {
      said += message[at];
    }
    at += taken;
  }
  return said;
}

}  // namespace terminally
