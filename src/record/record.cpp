// Names the states and the reasons of commands.
// Encodes and decodes the record of a command as one line of JSON.

#include "record/record.hpp"

#include <algorithm>
#include <climits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "base/utf8.hpp"

namespace terminally {

std::string_view to_string(CommandState state) {
  switch (state) {
    case CommandState::running:
      return "running";
    case CommandState::completed:
      return "completed";
    case CommandState::cancelled:
      return "cancelled";
    case CommandState::failed:
      break;
  }
  return "failed";
}

std::string how_to_answer(const AwaitingInput& awaiting) {
  switch (awaiting.kind) {
    case AwaitingInput::Kind::line:
    case AwaitingInput::Kind::password:
      return std::string(kAwaitsText) + "send_text answers it";
    case AwaitingInput::Kind::program:
      return "it waits for keys: read_screen shows it, send_keys and send_text drive it";
    case AwaitingInput::Kind::stopped:
      break;
  }
  return awaiting.prompt +
         "; no key reaches it there, and what waits for it does not go on: end it by cancel_command, and run "
         "it in the foreground (`timeout` needs --foreground), or, if somebody stopped it, let it go on with "
         "kill -CONT";
}

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::none:
      break;
    case Reason::timeout:
      return "timeout";
    case Reason::cancelled_by_client:
      return "cancelled_by_client";
    case Reason::cancelled_by_person:
      return "cancelled_by_person";
    case Reason::interrupted_in_tab:
      return "interrupted_in_tab";
    case Reason::shell_exited:
      return "shell_exited";
    case Reason::tab_closed:
      return "tab_closed";
    case Reason::tmux_server_lost:
      return "tmux_server_lost";
    case Reason::no_shell_answered:
      return "no_shell_answered";
    case Reason::handed_over:
      return "handed_over";
    case Reason::awaiting_input:
      return "awaiting_input";
  }
  return "";
}

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Only the beginning of a longer command is kept: the record is for people and `verbose`, not for a rerun.
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

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 53U;  ///< offsets that every JSON reader keeps exact
constexpr std::int64_t kMostMs = std::int64_t{1} << 43U;       ///< 278 years: as nanoseconds they fit 64 bits

/// A whole number in a range. Throws for any other value, which we did not write.
template <typename T>
T whole(const json& value, T least, T most) {
  const bool in_range = value.is_number_unsigned()
                            ? std::cmp_less_equal(value.get<std::uint64_t>(), most) &&
                                  std::cmp_greater_equal(value.get<std::uint64_t>(), least)
                            : value.is_number_integer() &&
                                  std::cmp_less_equal(value.get<std::int64_t>(), most) &&
                                  std::cmp_greater_equal(value.get<std::int64_t>(), least);
  if (!in_range) {
    throw std::out_of_range("no number of a record");
  }
  return value.get<T>();
}

/// The numbers of a record by name. Those that older versions did not write may be missing.
class Amounts {
 public:
  explicit Amounts(const json& line) : line_(line) {}

  [[nodiscard]] std::uint64_t offset(const char* name) const {
    return whole<std::uint64_t>(line_.at(name), 0, kMostBytes);
  }
  [[nodiscard]] std::int64_t ms(const char* name) const {
    return whole(line_.value(name, json(0)), -kMostMs, kMostMs);
  }
  [[nodiscard]] std::uint64_t count(const char* name) const {
    return whole<std::uint64_t>(line_.value(name, json(0)), 0, UINT64_MAX);
  }
  [[nodiscard]] int pid(const char* name) const { return whole(line_.value(name, json(0)), 0, INT_MAX); }

 private:
  const json& line_;
};

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
  // A cut name has kCutMark, so that masking knows that a secret may go on there.
  return name.empty() ? "command" : name + (name.size() < command.size() ? std::string(kCutMark) : "");
}

std::string encode_record(const CommandRecord& record) {
  ordered_json line = {
      {"id", record.id},
      {"nonce", record.nonce},
      {"command", shortened(record.command, kKeptCommandBytes)},
      {"who", record.who},
      {"state", to_string(record.state)},
      {"reason", to_string(record.reason)},
      {"exit_code", record.exit_code ? ordered_json(*record.exit_code) : ordered_json(nullptr)},
      {"timed_out", record.timed_out},
      {"typed_byte", record.typed_byte},
      {"start_byte", record.start_byte},
      {"end_byte", record.end_byte},
      {"started_at_ms", record.started_at_ms},
      {"started_steady_ms", record.started_steady_ms},
      {"deadline_steady_ms", record.deadline_steady_ms},
      {"started_ticks", record.started_ticks},
      {"shell_pid", record.shell_pid},
      {"shell_image", record.shell_image},
      {"older_jobs", record.older_jobs},
      {"duration_ms", record.duration_ms},
      {"cwd", record.cwd},
  };
  if (const auto& way = record.shell_gateway) {
    line["shell_gateway"] = {{"pid", way->process.pid},
                             {"start_ticks", way->process.start_ticks},
                             {"name", way->name},
                             {"ends_with_command", way->ends_with_command},
                             {"seen_steady_ms", way->seen_steady_ms},
                             {"told_steady_ms", way->told_steady_ms},
                             {"told_people_steady_ms", way->told_people_steady_ms}};
  }
  if (!record.task_key.empty()) {
    line["task_key"] = record.task_key;
  }
  for (const Survivor& survivor : record.survivors) {
    line["survivors"].push_back(
        {{"pid", survivor.pid}, {"command", survivor.command}, {"why", survivor.why}});
  }
  if (!record.notes.empty()) {
    line["notes"] = record.notes;
  }
  if (record.unread_from != 0) {
    line["unread_from"] = record.unread_from;
  }
  if (record.spares_unseen) {
    line["spares_unseen"] = true;
  }
  if (record.signalled) {
    line["signalled"] = true;
  }
  if (record.owned_apart) {
    line["owned_apart"] = true;
  }
  if (record.withdrawn) {
    line["withdrawn"] = true;
  }
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::optional<CommandRecord> decode_record(std::string_view text) {
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object()) {
    return std::nullopt;
  }
  try {
    const Amounts numbers(line);
    CommandRecord record;
    record.id = line.at("id");
    record.nonce = line.at("nonce");
    record.command = line.at("command");
    // Versions that kept no image cut a command without kCutMark, which masking needs.
    if (!line.contains("shell_image") && record.command.size() + 3 >= kKeptCommandBytes) {
      record.command += kCutMark;
    }
    record.who = line.value("who", "");
    record.task_key = line.value("task_key", "");
    record.state = enum_from(
        line.at("state").get<std::string>(),
        {CommandState::running, CommandState::completed, CommandState::cancelled, CommandState::failed},
        CommandState::failed);
    record.reason = enum_from(
        line.at("reason").get<std::string>(),
        {Reason::timeout, Reason::cancelled_by_client, Reason::cancelled_by_person,
         Reason::interrupted_in_tab, Reason::shell_exited, Reason::tab_closed, Reason::tmux_server_lost,
         Reason::no_shell_answered, Reason::handed_over, Reason::awaiting_input},
        Reason::none);
    if (const json& code = line.at("exit_code"); !code.is_null()) {
      record.exit_code = whole(code, INT_MIN, INT_MAX);
    }
    record.timed_out = line.at("timed_out");
    record.typed_byte = numbers.offset("typed_byte");
    record.start_byte = numbers.offset("start_byte");
    record.end_byte = numbers.offset("end_byte");
    record.unread_from = line.contains("unread_from") ? numbers.offset("unread_from") : 0;
    record.started_at_ms = numbers.ms("started_at_ms");
    record.started_steady_ms = numbers.ms("started_steady_ms");
    record.deadline_steady_ms = numbers.ms("deadline_steady_ms");
    record.spares_unseen = line.value("spares_unseen", false);
    record.started_ticks = numbers.count("started_ticks");
    record.shell_pid = numbers.pid("shell_pid");
    record.shell_image = numbers.count("shell_image");
    for (const json& pid : line.value("older_jobs", std::vector<json>())) {
      record.older_jobs.push_back(whole(pid, 0, INT_MAX));
    }
    if (const auto way = line.find("shell_gateway"); way != line.end()) {
      const Amounts of_way(*way);
      record.shell_gateway = ShellGateway{{of_way.pid("pid"), of_way.count("start_ticks")},
                                          way->at("name"),
                                          way->at("ends_with_command"),
                                          of_way.ms("seen_steady_ms"),
                                          of_way.ms("told_steady_ms"),
                                          of_way.ms("told_people_steady_ms")};
    }
    record.duration_ms = whole<std::uint64_t>(line.at("duration_ms"), 0, kMostMs);
    record.cwd = line.at("cwd");
    for (const json& survivor : line.value("survivors", std::vector<json>())) {
      record.survivors.push_back({Amounts(survivor).pid("pid"), survivor.at("command"), survivor.at("why")});
    }
    record.notes = line.value("notes", std::vector<std::string>());
    record.signalled = line.value("signalled", false);
    record.owned_apart = line.value("owned_apart", false);
    record.withdrawn = line.value("withdrawn", false);
    const bool ends_before_it_starts =
        record.state != CommandState::running && record.end_byte < record.start_byte;
    return ends_before_it_starts ? std::nullopt : std::optional(std::move(record));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::uint64_t ran_for_ms(const CommandRecord& record) {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, steady_ms(Clock::now()) - record.started_steady_ms));
}

void note_once(std::vector<std::string>& notes, std::string note) {
  if (!note.empty() && std::ranges::find(notes, note) == notes.end()) {
    notes.push_back(std::move(note));
  }
}

}  // namespace terminally
