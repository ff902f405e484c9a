// Remembers which commands a client left running, and tells it of their end.
#include "mcp/left_running.hpp"

#include <nlohmann/json.hpp>

#include "json/json_reader.hpp"

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// The tab that a call was about.
std::optional<WindowId> tab_of_call(const json& arguments, const ordered_json& answer) {
  const auto said = text_field(answer, "window_id");
  const auto asked = said ? said : text_field(arguments, "window_id");
  return asked ? parse_window_id(*asked) : std::nullopt;
}

bool runs_on(const ordered_json& answer) {
  return text_field(answer, "state") == "running" || answer.value("started", ordered_json()) == true;
}

/// Whether the answer to a call in the command's tab tells how that command stands, and not another. Who
/// closes a tab knows.
bool shows(const json& arguments, const ordered_json& answer, const std::string& id) {
  const bool of_state = answer.contains("state") && !arguments.contains("command") &&
                        text_field(answer, "command_id").value_or(id) == id;
  return of_state || answer.contains("closed");
}

std::string how_it_ended(const CommandRecord& record) {
  return record.exit_code ? "exit " + std::to_string(*record.exit_code)
                          : std::string(to_string(record.state));
}

}  // namespace

std::vector<std::string> LeftRunning::news_beside(const json& arguments, const ordered_json& answer,
                                                  const Look& look) {
  const std::optional<WindowId> here = tab_of_call(arguments, answer);
  std::vector<std::string> news;
  std::erase_if(commands_, [&](const Command& command) {
    const std::optional<CommandRecord> record = look(command.tab, command.id);
    if (!record || record->state == CommandState::running) {
      return !record;
    }
    if (command.tab == here) {
      return shows(arguments, answer, command.id);  // else it is told with the next call elsewhere
    }
    const std::string tab = to_string(command.tab);
    news.push_back("in " + tab + " has ended meanwhile: " + first_words(record->command) + " (" +
                   how_it_ended(*record) + "); get_command_state {\"window_id\": \"" + tab +
                   "\", \"command_id\": \"" + command.id + "\"} has its output");
    return true;
  });
  const auto id = text_field(answer, "command_id");
  if (here && id && runs_on(answer)) {
    std::erase_if(commands_, [&id](const Command& command) { return command.id == *id; });
    commands_.push_back({*here, *id});
  }
  if (commands_.size() > kMost) {
    commands_.pop_front();
  }
  return news;
}

}  // namespace terminally
