// Says how a command stands, in the last line of a text answer.
#include "toolkit/answer_state.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "json/json_reader.hpp"
#include "record/record.hpp"
#include "toolkit/answer_words.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;

std::uint64_t number(const ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

/// "5.2 s", "12 s", "3 min 20 s".
std::string time_words(std::uint64_t ms) {
  constexpr std::uint64_t kTenth = 100;
  constexpr std::uint64_t kSecond = 1'000;
  constexpr std::uint64_t kMinute = 60;
  const std::uint64_t seconds = ms / kSecond;
  if (seconds >= kMinute) {
    return std::to_string(seconds / kMinute) + " min " + std::to_string(seconds % kMinute) + " s";
  }
  return std::to_string(seconds) + (seconds < 10 ? "." + std::to_string(ms % kSecond / kTenth) : "") + " s";
}

/// A call on the tab that can be made as it stands, up to what only the caller knows.
std::string call_on(const std::string& tab, const char* tool, const std::string& rest) {
  return std::string(tool) + " {\"window_id\": " + ordered_json(tab.empty() ? "main" : tab).dump() + rest +
         "}";
}

std::string awaiting_words(const ordered_json& awaiting, const std::string& tab) {
  const std::string kind = text_field(awaiting, "kind").value_or("");
  const std::string prompt = ": " + ordered_json(text_field(awaiting, "prompt").value_or(""))
                                        .dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  if (kind == "stopped") {
    return kind + prompt;
  }
  return kind == "program" ? "awaiting keys" + prompt + ": " + call_on(tab, "send_keys", R"(, "keys": […])")
                           : "awaiting a " + std::string(kind == "password" ? kind : "line") + prompt + ": " +
                                 call_on(tab, "send_text", R"(, "text": "…")");
}

/// A wait that has come back needs no advice to wait, nor does a shell within the tab's shell, which the next
/// command runs in.
bool is_to_wait(const ordered_json& answer) {
  const std::string reason = text_field(answer, "reason").value_or("");
  const auto awaiting = answer.find("awaiting_input");
  return !answer.contains("matched") && reason != "awaiting_input" && reason != "link_lost" &&
         (awaiting == answer.end() || !awaiting->is_object());
}

std::string running_words(const ordered_json& answer, const std::string& tab) {
  const auto awaiting = answer.find("awaiting_input");
  if (awaiting != answer.end() && awaiting->is_object()) {
    return awaiting_words(*awaiting, tab);
  }
  const std::string reason = text_field(answer, "reason").value_or("");
  const auto id = answer.find("command_id");
  if (reason == "link_lost" && id != answer.end()) {  // what ends in the tab may be another command
    return "state unknown: " +
           call_on(tab, "get_command_state",
                   ", \"command_id\": " + id->dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  }
  const std::uint64_t ms = number(answer, "duration_ms");
  std::string since = "running" + (ms > 0 ? " since " + time_words(ms) : "");
  if (!is_to_wait(answer)) {
    return since;
  }
  const std::string only_news =
      answer.contains("end_byte") ? ", \"from_byte\": " + std::to_string(number(answer, "end_byte")) : "";
  return since + ": " + call_on(tab, "wait_for", R"(, "until": "exit")" + only_news);
}

std::string omitted_words(const ordered_json& answer, const std::string& tab) {
  return std::to_string(number(answer, "omitted_bytes")) + " bytes left out: " +
         call_on(tab, "stream_logs_from_tab",
                 ", \"from_byte\": " + std::to_string(number(answer, "start_byte")));
}

}  // namespace

std::vector<std::string> state_words(const ordered_json& answer, const std::string& tab) {
  const auto state = text_field(answer, "state");
  if (!state) {
    return {};
  }
  const std::string own_tab = tab.empty() ? text_field(answer, "window_id").value_or("") : tab;
  const bool runs = state == "running";
  const std::string reason = text_field(answer, "reason").value_or("");
  std::vector<std::string> words;
  if (!runs && state != "completed") {
    words.push_back(value_words(*state));
  }
  if (answer.value("timed_out", ordered_json()) == true && reason != "timeout") {
    words.emplace_back("timed out");
  }
  if (!reason.empty() && reason != "handed_over" && !(runs && reason == "awaiting_input")) {
    words.push_back(value_words(reason));
  }
  if (runs) {
    words.push_back(running_words(answer, own_tab));
  }
  if (runs && answer.contains("timed_out") &&
      reason != "link_lost") {  // another command may be the tab's latest one by then
    words.push_back("command_id " + value_words(answer.value("command_id", ordered_json())));
    if (!is_to_wait(answer)) {
      words.push_back("next_byte " + std::to_string(number(answer, "end_byte")));
    }
  }
  if (number(answer, "omitted_bytes") > 0) {
    words.push_back(omitted_words(answer, own_tab));
  }
  return words;
}

bool is_said_by_state(std::string_view note, const ordered_json& answer) {
  return text_field(answer, "state") == "running" &&
         (note.starts_with(kStillRunning) || note.starts_with(kAwaitsText));
}

std::vector<std::string> asides(const ordered_json& answer, const std::string& tab) {
  constexpr std::uint64_t kWorthTelling = 1'000;
  std::vector<std::string> words;
  const std::uint64_t ms = number(answer, "duration_ms");
  if (ms >= kWorthTelling && text_field(answer, "state") != "running") {
    words.push_back(time_words(ms));
  }
  if (const auto window = text_field(answer, "window_id"); window && tab.empty()) {
    words.push_back(value_words(*window));
  }
  return words;
}

}  // namespace terminally
