#include "tmux/records.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/utf8.hpp"

namespace terminally {
namespace {

using nlohmann::json;

/// A longer command is kept by its beginning: the record is for people and for `verbose`, not for running it
/// again.
constexpr std::size_t kKeptCommandBytes = 4096;

template <typename Enum>
Enum enum_from(std::string_view text, std::initializer_list<Enum> all, Enum otherwise) {
  for (const Enum value : all) {
    if (to_string(value) == text) {
      return value;
    }
  }
  return otherwise;
}

std::string encode(const CommandRecord& record) {
  json line = {
      {"id", record.id},
      {"nonce", record.nonce},
      {"command", record.command.substr(0, kKeptCommandBytes)},
      {"state", to_string(record.state)},
      {"reason", to_string(record.reason)},
      {"exit_code", record.exit_code ? json(*record.exit_code) : json(nullptr)},
      {"timed_out", record.timed_out},
      {"typed_byte", record.typed_byte},
      {"start_byte", record.start_byte},
      {"end_byte", record.end_byte},
      {"started_at_ms", record.started_at_ms},
      {"deadline_at_ms", record.deadline_at_ms},
      {"duration_ms", record.duration_ms},
      {"cwd", record.cwd},
  };
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<CommandRecord> decode(std::string_view text) {
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object()) {
    return std::nullopt;
  }
  try {
    CommandRecord record;
    record.id = line.at("id");
    record.nonce = line.at("nonce");
    record.command = line.at("command");
    record.state = enum_from(
        line.at("state").get<std::string>(),
        {CommandState::running, CommandState::completed, CommandState::cancelled, CommandState::failed},
        CommandState::failed);
    record.reason = enum_from(line.at("reason").get<std::string>(),
                              {Reason::timeout, Reason::cancelled_by_client, Reason::interrupted_in_tab,
                               Reason::shell_exited, Reason::tab_closed, Reason::tmux_server_lost,
                               Reason::no_shell_answered, Reason::handed_over, Reason::awaiting_input},
                              Reason::none);
    if (line.at("exit_code").is_number_integer()) {
      record.exit_code = line.at("exit_code").get<int>();
    }
    record.timed_out = line.at("timed_out");
    record.typed_byte = line.at("typed_byte");
    record.start_byte = line.at("start_byte");
    record.end_byte = line.at("end_byte");
    record.started_at_ms = line.at("started_at_ms");
    record.deadline_at_ms = line.at("deadline_at_ms");
    record.duration_ms = line.at("duration_ms");
    record.cwd = line.at("cwd");
    return record;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string first_words(const std::string& command) {
  std::string name;
  for (const char c : whole_words(command, 40)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      break;
    }
    name += c;
  }
  return name.empty() ? "command" : name;
}

void CommandRecords::append(const CommandRecord& record) const {
  append_file(path_, encode(record));
}

std::vector<CommandRecord> CommandRecords::load() const {
  std::vector<CommandRecord> records;
  const std::string content = read_file(path_).value_or("");
  std::string_view rest = content;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (auto record = decode(rest.substr(0, end))) {
      const auto same = std::find_if(records.rbegin(), records.rend(),
                                     [&](const auto& other) { return other.id == record->id; });
      if (same == records.rend()) {
        records.push_back(std::move(*record));
      } else {
        *same = std::move(*record);
      }
    }
    if (end == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(end + 1);
  }
  return records;
}

std::optional<CommandRecord> CommandRecords::latest() const {
  auto records = load();
  return records.empty() ? std::nullopt : std::optional(std::move(records.back()));
}

std::optional<CommandRecord> CommandRecords::find(std::string_view id) const {
  for (CommandRecord& record : load()) {
    if (record.id == id) {
      return std::move(record);
    }
  }
  return std::nullopt;
}

}  // namespace terminally
