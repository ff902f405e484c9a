#include "page/news.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "page/wire.hpp"
#include "record/records.hpp"

namespace terminally {
namespace {

using nlohmann::json;

constexpr std::size_t kCommandsAtWatch = 200;
constexpr std::int64_t kDayMs = 86'400'000;

json time_or_null(std::int64_t time_ms) {
  return time_ms == 0 ? json(nullptr) : json(time_ms);
}

CommandExtras extras_of(const SeenTab& tab, const SeenCommand& command) {
  CommandExtras extras;
  if (command.record.state == CommandState::running && &command == tab.last_command()) {
    extras.awaiting = tab.face.awaiting;
  }
  extras.step = step_of(command);
  return extras;
}

json hand_json(const SeenTab& tab, const SeenCommand& hand, LineCounts& lines) {
  CommandExtras extras;
  extras.lines = lines.of(tab.log, hand.record);
  json command = command_json(hand.record, extras, 0);
  command["kind"] = "hand";
  command["who"] = {{"name", hand.record.who}, {"version", nullptr}, {"person", true}};
  return command;
}

/// Adds to a tab's newest commands what was done by hand between them.
void add_by_hand(const SeenTab& tab, bool more, json& commands) {
  LineCounts lines;
  for (const SeenCommand& hand : tab.by_hand) {
    const auto next = std::find_if(commands.begin(), commands.end(), [&hand](const json& command) {
      return command["start"].get<std::uint64_t>() > hand.record.start_byte;
    });
    if (!more || next != commands.begin()) {
      commands.insert(next, hand_json(tab, hand, lines));
    }
  }
}

json command_message(const SeenTab& tab, json command) {
  json message;
  message["t"] = "command";
  message["tab"] = to_string(tab.window);
  message["command"] = std::move(command);
  return message;
}

/// In order of creation; closed ones behind all others, the newest of them first.
std::vector<const SeenTab*> in_order(const TabBoard& board) {
  std::vector<const SeenTab*> tabs;
  for (const auto& [window, tab] : board.tabs()) {
    tabs.push_back(&tab);
  }
  std::ranges::stable_sort(tabs, {}, [](const SeenTab* tab) { return -tab->closed_at_ms; });
  std::ranges::stable_partition(tabs, [](const SeenTab* tab) { return !tab->is_closed(); });
  return tabs;
}

}  // namespace

std::optional<std::uint64_t> LineCounts::of(const PaneLog& log, const CommandRecord& record) {
  const std::uint64_t bytes = record.end_byte - std::min(record.end_byte, record.start_byte);
  if (record.state == CommandState::running || bytes > kMostBytes || counted_bytes_ + bytes > kMostInAll) {
    return std::nullopt;
  }
  counted_bytes_ += bytes;
  std::uint64_t lines = 0;
  try {
    for (std::uint64_t at = record.start_byte; at < record.end_byte;) {
      const PaneLog::Slice slice = log.read(at, static_cast<std::size_t>(record.end_byte - at));
      if (slice.bytes.empty() || slice.from >= record.end_byte) {
        break;
      }
      lines += static_cast<std::uint64_t>(std::ranges::count(slice.bytes, '\n'));
      at = slice.next;
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  return lines;
}

json News::all(const TabBoard& board) {
  json tabs = json::array();
  known_.clear();
  for (const SeenTab* tab : in_order(board)) {
    tabs.push_back(tab_json(*tab));
    known_.insert(tab->window);
  }
  told_ = board.version();
  json message;
  message["t"] = "tabs";
  message["tabs"] = std::move(tabs);
  masked(message);
  return message;
}

std::vector<json> News::since(const TabBoard& board) {
  std::vector<json> news;
  json rates = json::object();
  for (const auto& [window, tab] : board.tabs()) {
    if (tab.version > told_) {
      json message;
      message["t"] = "tab";
      message["tab"] = tab_json(tab);
      news.push_back(std::move(message));
      known_.insert(window);
    }
    if (tab.control_version > told_) {
      json control = control_of(tab);
      json message;
      message["t"] = "control";
      message["tab"] = to_string(window);
      message["holder"] = control.is_null() ? json(nullptr) : control["holder"];
      message["until"] = control.is_null() ? json(nullptr) : control["until"];
      news.push_back(std::move(message));
    }
    for (const Withdrawn& command : tab.withdrawn) {
      if (command.version > told_) {
        json message;
        message["t"] = "withdrawn";
        message["tab"] = to_string(window);
        message["command"] = command.id;
        news.push_back(std::move(message));
      }
    }
    if (tab.rate_version > told_) {
      rates[to_string(window)] = tab.rate;
    }
    if (watched_.contains(window)) {
      add_watched(tab, news);
    }
  }
  if (!rates.empty()) {
    json message;
    message["t"] = "rate";
    message["rates"] = std::move(rates);
    news.push_back(std::move(message));
  }
  std::erase_if(known_, [&](WindowId window) {
    const bool gone = !board.tabs().contains(window);
    if (gone) {
      json message;
      message["t"] = "gone";
      message["tab"] = to_string(window);
      news.push_back(std::move(message));
    }
    return gone;
  });
  told_ = board.version();
  std::ranges::for_each(news, [this](json& message) { masked(message); });
  return news;
}

void News::add_watched(const SeenTab& tab, std::vector<json>& news) const {
  if (tab.size_version > told_) {
    news.push_back(size_message(tab));
  }
  LineCounts lines;
  for (const SeenCommand& command : tab.commands) {
    if (command.version > told_) {
      CommandExtras extras = extras_of(tab, command);
      extras.lines = lines.of(tab.log, command.record);
      news.push_back(command_message(tab, command_json(command.record, extras, kCommandText)));
    }
  }
  for (const SeenCommand& hand : tab.by_hand) {
    if (hand.version > told_) {
      news.push_back(command_message(tab, hand_json(tab, hand, lines)));
    }
  }
}

std::vector<json> News::watch(const TabBoard& board, WindowId window) {
  const SeenTab& tab = board.tab(window);
  ++watched_[window];
  std::vector<json> messages;
  messages.push_back(size_message(tab));
  json commands = commands_of(tab, kCommandsAtWatch, "");
  add_by_hand(tab, commands["more"].get<bool>(), commands["commands"]);
  commands["t"] = "commands";
  commands["tab"] = to_string(window);
  messages.push_back(std::move(commands));
  std::ranges::for_each(messages, [this](json& message) { masked(message); });
  return messages;
}

void News::unwatch(WindowId window) {
  const auto found = watched_.find(window);
  if (found != watched_.end() && --found->second == 0) {
    watched_.erase(found);
  }
}

json News::tab_json(const SeenTab& seen) const {
  const TabInfo& info = seen.info;
  json tab;
  tab["id"] = to_string(seen.window);
  tab["name"] = info.name.empty() ? json(nullptr) : json(info.name);
  tab["host"] = nullptr;
  tab["cwd"] = info.cwd;
  tab["created_at"] = time_or_null(seen.created_at_ms);
  tab["foreground"] = info.foreground;
  tab["busy"] = info.busy;
  tab["alternate"] = seen.face.alternate;
  tab["cols"] = seen.face.cols;
  tab["rows"] = seen.face.rows;
  tab["log_bytes"] = info.log_bytes;
  tab["first_byte"] = seen.first_byte;
  tab["last_output_at"] = time_or_null(info.last_output_at_ms);
  tab["control"] = control_of(seen);
  const SeenCommand* const last = seen.last_command();
  tab["command"] =
      last != nullptr ? command_json(last->record, extras_of(seen, *last), kTabsCommandText) : json(nullptr);
  tab["closed_at"] = time_or_null(seen.closed_at_ms);
  tab["closed_by"] = nullptr;
  tab["keep_until"] = seen.is_closed() ? json(seen.closed_at_ms + terms_.keep_days * kDayMs) : json(nullptr);
  return tab;
}

/// null: nobody has taken it over.
json News::control_of(const SeenTab& seen) const {
  const std::optional<Hold>& hold = seen.hold;
  if (!hold) {
    return nullptr;
  }
  json holder;
  holder["kind"] = hold->session == terms_.holder ? "you" : "person";
  holder["name"] = hold->name;
  json control;
  control["holder"] = std::move(holder);
  control["until"] = wall_clock_ms() + hold->left().count();
  return control;
}

void News::masked(json& message) const {
  if (terms_.hidden) {
    TextGuard guard(terms_.hidden);
    mask_texts(message, guard);
  }
}

json size_message(const SeenTab& tab) {
  json message;
  message["t"] = "size";
  message["tab"] = to_string(tab.window);
  message["cols"] = tab.face.cols;
  message["rows"] = tab.face.rows;
  message["at"] = tab.size_at;
  return message;
}

json commands_of(const SeenTab& tab, std::size_t limit, const std::string& before) {
  std::vector<CommandRecord> records = CommandRecords(records_beside(tab.log))
                                           .load(before.empty() ? limit + 1 : CommandRecords::kKeptCommands);
  if (!before.empty()) {
    const auto found = std::ranges::find(records, before, &CommandRecord::id);
    if (found == records.end()) {
      throw Error(ErrorCode::not_found,
                  "before: there is no command " + before + " in " + to_string(tab.window));
    }
    records.erase(found, records.end());
  }
  const bool more = records.size() > limit;
  records.erase(records.begin(),
                records.end() - static_cast<std::ptrdiff_t>(std::min(limit, records.size())));
  LineCounts lines;
  json commands = json::array();
  std::ranges::reverse(records);  // the newest are counted first
  for (CommandRecord& record : records) {
    settle_if_closed(tab, record);
    SeenCommand command{.record = std::move(record)};
    CommandExtras extras;
    if (const SeenCommand* last = tab.last_command();
        last != nullptr && last->record.id == command.record.id) {
      command = *last;
      extras = extras_of(tab, *last);
    }
    extras.lines = lines.of(tab.log, command.record);
    commands.push_back(command_json(command.record, extras, kCommandText));
  }
  std::reverse(commands.begin(), commands.end());
  json answer;
  answer["commands"] = std::move(commands);
  answer["more"] = more;
  return answer;
}

}  // namespace terminally
