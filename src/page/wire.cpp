#include "page/wire.hpp"

#include <algorithm>
#include <cstring>

#include "base/utf8.hpp"
#include "system/proc.hpp"
#include "toolkit/answers.hpp"

namespace terminally {
namespace {

using nlohmann::json;

json awaiting_json(const std::optional<AwaitingInput>& awaiting) {
  if (!awaiting) {
    return nullptr;
  }
  const auto process = awaiting->pid != 0 ? process_info(awaiting->pid) : std::nullopt;
  return {{"kind", to_string(awaiting->kind)},
          {"prompt", awaiting->prompt},
          {"process", process ? json(process->name) : json(nullptr)},
          {"pid", awaiting->pid != 0 ? json(awaiting->pid) : json(nullptr)}};
}

/// A record's `who` is a client's name and version, "cli" or "a person".
json who_json(const std::string& who) {
  if (who.empty()) {
    return nullptr;
  }
  const bool person = who == "cli" || who == "a person";
  const std::size_t blank = person ? std::string::npos : who.find(' ');
  return {{"name", who.substr(0, blank)},
          {"version", blank == std::string::npos ? json(nullptr) : json(who.substr(blank + 1))},
          {"person", person}};
}

json survivors_json(const std::vector<Survivor>& survivors) {
  json array = json::array();
  for (const Survivor& survivor : survivors) {
    array.push_back({{"pid", survivor.pid}, {"command", survivor.command}, {"why", survivor.why}});
  }
  return array;
}

json ended_by(Reason reason) {
  switch (reason) {
    case Reason::cancelled_by_client:
      return "client";
    case Reason::cancelled_by_person:
    case Reason::interrupted_in_tab:
      return "person";
    case Reason::timeout:
      return "timeout";
    default:
      return nullptr;
  }
}

json cancel_json(const CommandRecord& record, std::string_view step) {
  const json by = ended_by(record.reason);
  if (by.is_null() && record.survivors.empty()) {
    return nullptr;
  }
  return {{"by", by},
          {"step", step.empty() ? json(nullptr) : json(step)},
          {"survivors", survivors_json(record.survivors)}};
}

}  // namespace

std::string wire_text(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

json command_json(const CommandRecord& record, const CommandExtras& extras, std::size_t most_text) {
  const bool runs = record.state == CommandState::running;
  json command;
  command["id"] = record.id;
  command["kind"] = "command";
  command["text"] = whole_characters(record.command, most_text);
  command["text_bytes"] = record.command.size();
  command["who"] = who_json(record.who);
  command["state"] = to_string(record.state);
  command["reason"] = record.reason == Reason::none ? json(nullptr) : json(to_string(record.reason));
  command["exit"] = or_null(record.exit_code);
  command["start"] = record.start_byte;
  command["end"] = runs ? json(nullptr) : json(std::max(record.start_byte, record.end_byte));
  command["typed_byte"] = record.typed_byte;
  command["at"] = record.started_at_ms;
  command["ms"] = runs ? ran_for_ms(record) : record.duration_ms;
  command["cwd"] = record.cwd;
  command["lines"] = or_null(extras.lines);
  command["awaiting"] = awaiting_json(extras.awaiting);
  command["cancel"] = cancel_json(record, extras.step);
  command["notes"] = record.notes;
  return command;
}

std::vector<WireGap> gaps_before(const PaneLog& log, std::uint64_t from, const PaneLog::Slice& slice) {
  std::vector<WireGap> gaps;
  if (slice.gap_bytes.value_or(0) > 0) {
    const PaneLog::Gap gap = log.gap_between(from, slice.from);
    gaps.push_back({.from = from,
                    .bytes = slice.from - from,
                    .why = gap.unwritten > 0 ? "lost" : "removed",
                    .detail = gap.error != 0 ? std::strerror(gap.error) : ""});
  }
  if (slice.gap_unknown) {
    gaps.push_back({.from = slice.from, .bytes = std::nullopt, .why = "unknown", .detail = ""});
  }
  return gaps;
}

void mask_texts(json& message, TextGuard& guard) {
  if (message.is_string()) {
    message = guard.masked(to_valid_utf8(message.get_ref<const std::string&>()));
  } else if (message.is_structured()) {
    for (auto& part : message) {
      mask_texts(part, guard);
    }
  }
}

}  // namespace terminally
