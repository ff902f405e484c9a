// Writes a call as a line of the audit log: masked, short, and without what may be a password.
#include "calls/audit_line.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/characters.hpp"
#include "base/utf8.hpp"
#include "json/json_rpc.hpp"
#include "secrets/text_guard.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// What a value of any kind takes at least: else a list of a million numbers would take nothing.
constexpr std::size_t kLeastTaken = 8;
constexpr std::size_t kMostOfOneText = 1'000;

/// More of a text than is shown: masking has to see whole secrets.
constexpr std::size_t kMasked = 32 * kMostAuditedBytes;

std::string audited_text(std::string_view text, std::size_t most, TextGuard* guard) {
  const std::string_view begin = whole_characters(text, kMasked);
  return shortened(guard != nullptr ? guard->text(begin) : std::string(begin), most);
}

/// The arguments of tools that may be a password, or the text of a file with one.
bool is_told_by_length(std::string_view name) {
  return is_one_of(name, {"text", "keys", "content", "env"});
}

/// Copies a value as far as there is room.
class AuditedCopy {
 public:
  explicit AuditedCopy(TextGuard* guard) : guard_(guard) {}

  [[nodiscard]] bool is_full() const { return left_ == 0; }

  std::string text(std::string_view text) {
    std::string shown = audited_text(text, std::min(left_, kMostOfOneText), guard_);
    take(shown.size());
    return shown;
  }

  ordered_json value(const json& given, bool by_length) {
    if (given.is_object()) {
      return object(given, by_length);
    }
    if (given.is_array()) {
      return array(given, by_length);
    }
    if (by_length) {
      const std::size_t bytes =
          given.is_string() ? given.get_ref<const std::string&>().size() : given.dump().size();
      return text("(" + std::to_string(bytes) + " bytes)");
    }
    if (given.is_string()) {
      return text(given.get_ref<const std::string&>());
    }
    take(kLeastTaken);
    return given;
  }

 private:
  ordered_json object(const json& given, bool by_length) {
    ordered_json copy = ordered_json::object();
    for (const auto& [name, member] : given.items()) {
      if (is_full()) {
        copy[std::string(kCutMark)] = std::to_string(given.size() - copy.size()) + " more";
        break;
      }
      const std::string key = text(name);  // first: it is what must not be cut
      copy[key] = value(member, by_length);
    }
    return copy;
  }

  ordered_json array(const json& given, bool by_length) {
    ordered_json copy = ordered_json::array();
    for (const json& member : given) {
      if (is_full()) {
        copy.push_back(std::to_string(given.size() - copy.size()) + " more");
        break;
      }
      copy.push_back(value(member, by_length));
    }
    return copy;
  }

  void take(std::size_t bytes) { left_ -= std::min(left_, std::max(bytes, kLeastTaken)); }

  TextGuard* guard_;
  std::size_t left_ = kMostAuditedBytes;
};

}  // namespace

ordered_json audited_arguments(const EndedCall& call, TextGuard* guard) {
  const bool is_call = call.method == "tools/call";
  const auto arguments = is_call ? call.params.find("arguments") : call.params.end();
  const json& given = arguments != call.params.end() ? *arguments : call.params;
  // What was meant by a wrong name, of an argument, a tool or a method, is not known.
  const bool is_refused = call.method.empty() || call.error == to_far_code(ErrorCode::invalid_argument) ||
                          call.error == std::to_string(kInvalidParams);
  AuditedCopy copy(guard);
  if (!given.is_object()) {
    return copy.value(given, true);
  }
  ordered_json shown = ordered_json::object();
  for (const auto& [name, member] : given.items()) {
    if (name == "_meta") {
      continue;
    }
    if (copy.is_full()) {
      shown[std::string(kCutMark)] = "more";
      break;
    }
    const std::string key = copy.text(name);
    shown[key] = copy.value(member, is_refused || (is_call && is_told_by_length(name)));
  }
  return shown;
}

std::string audit_line(std::int64_t epoch_ms, const std::string& instance, const EndedCall& call,
                       TextGuard* guard) {
  ordered_json line;
  line["at"] = iso_time(epoch_ms);
  line["instance"] = instance;
  line["by"] = call.by.identity;
  line["client"] = audited_text(call.client, kMostOfOneText, guard);
  line["method"] = call.method;
  if (!call.tool.empty()) {
    line["tool"] = call.tool;
  }
  line["arguments"] = audited_arguments(call, guard);
  line["outcome"] = to_string(call.outcome);
  if (!call.error.empty()) {
    line["error"] = call.error;
  }
  line["ms"] = std::chrono::duration_cast<Milliseconds>(call.took).count();
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace terminally
