// Reads a tool's arguments from JSON, and refuses wrong ones with an error that names them.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "toolkit/args.hpp"

namespace terminally {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxShown = 80;

/// A value as an error shows it: shortened JSON in ASCII, so that no cut can break a character.
std::string shown(const json& value) {
  if (value.is_structured()) {
    return value.is_array() ? "an array" : "an object";
  }
  return shortened(value.dump(-1, ' ', true, json::error_handler_t::replace), kMaxShown);
}

/// A key as part of a field's name: unchanged where it is readable.
std::string named(const std::string& key) {
  const bool plain =
      key.size() <= 80 && std::ranges::all_of(key, [](unsigned char c) { return c > ' ' && c < 0x7f; });
  return plain ? key : shown(key);
}

std::string in_words(Range range) {
  return std::to_string(range.min) + " to " + std::to_string(range.max);
}

template <class Names>
std::string joined(const Names& names, std::string_view quote) {
  std::string text;
  for (const std::string_view name : names) {
    text += text.empty() ? "" : ", ";
    text.append(quote).append(name).append(quote);
  }
  return text;
}

/// The first name that shares the longest common subsequence with `given`, or that has all of it ("cmd" is
/// meant for "command" rather than for "cwd"); empty where none shares most of it.
std::string_view nearest(std::string_view given, const std::vector<std::string_view>& names) {
  constexpr double kAlike = 0.59;  // "cmd" and "command" are alike by 0.6
  std::string_view found;
  double best = 0;
  for (const std::string_view name : names) {
    std::vector<std::size_t> row(name.size() + 1);
    for (const char c : given) {
      for (std::size_t i = 0, diagonal = 0; i < name.size(); ++i) {
        const std::size_t same = diagonal + (name[i] == c ? 1 : 0);
        diagonal = row[i + 1];
        row[i + 1] = std::max({same, row[i], row[i + 1]});
      }
    }
    const double alike =
        2.0 * static_cast<double>(row.back()) / static_cast<double>(given.size() + name.size());
    const double rank = alike + (row.back() == given.size() ? 1 : 0);
    if (alike > kAlike && rank > best) {
      found = name;
      best = rank;
    }
  }
  return found;
}

constexpr std::size_t kMostNamed = 10;
constexpr std::size_t kMaxMapEntries = 1'000;
constexpr std::size_t kMaxMapValueBytes = 32'768;
constexpr std::string_view kTabAllowed =
    "expected \"@\" and digits as list_tabs returns, or the name of one open tab";

}  // namespace

const json* ArgsReader::find(Text name, Need need, Text allowed) {
  known_.push_back(name);
  const auto found = arguments_.find(name);
  if (found != arguments_.end()) {
    return &*found;
  }
  if (need == Need::required) {
    refuse(name, "missing; " + std::string(allowed));
  }
  return nullptr;
}

/// Keeps the first ten problems: a list of hundreds teaches no more and costs a model many tokens.
void ArgsReader::refuse(Text name, const std::string& problem) {
  if (++problem_count_ <= kMostNamed) {
    problems_.append(problems_.empty() ? "" : "\n").append(name).append(": ").append(problem);
  }
}

std::optional<WindowId> ArgsReader::read_tab(Text name, Need need) {
  const json* given = find(name, need, kTabAllowed);
  if (given == nullptr) {
    return std::nullopt;
  }
  const auto id = given->is_string() ? parse_window_id(given->get_ref<const std::string&>()) : std::nullopt;
  if (!id) {
    refuse(name, shown(*given) + " is no tab id; " + std::string(kTabAllowed));
  }
  return id;
}

void ArgsReader::tab(Text name, WindowId& value, Text /*description*/) {
  value = read_tab(name, Need::required).value_or(value);
}

void ArgsReader::tab(Text name, std::optional<WindowId>& value, Text /*description*/) {
  value = read_tab(name, Need::optional);
}

void ArgsReader::one_of_tabs(Text name, WindowId& value, Text description, Text /*of_list*/) {
  tab(name, value, description);
}

bool ArgsReader::has_nul(Text name, const std::string& value) {
  const std::size_t nul = value.find('\0');
  if (nul != std::string::npos) {
    refuse(name, "has a NUL character at byte " + std::to_string(nul) + "; allowed: text without NUL");
  }
  return nul != std::string::npos;
}

const std::string* ArgsReader::read_text(Text name, Need need, Range bytes) {
  const std::string allowed = "allowed: text of " + in_words(bytes) + " bytes";
  const json* given = find(name, need, allowed);
  if (given == nullptr) {
    return nullptr;
  }
  if (!given->is_string()) {
    refuse(name, shown(*given) + " is no string; " + allowed);
    return nullptr;
  }
  const auto& text = given->get_ref<const std::string&>();
  if (text.empty() && bytes.min > 0 && need == Need::optional) {
    refuse(name, "is empty; leave it out for its default, or give text of " + in_words(bytes) + " bytes");
    return nullptr;
  }
  if (text.size() < bytes.min || text.size() > bytes.max) {
    refuse(name, "has " + std::to_string(text.size()) + " bytes; " + allowed);
    return nullptr;
  }
  return &text;
}

void ArgsReader::text(Text name, Need need, std::string& value, Range bytes, Text /*description*/) {
  const std::string* given = read_text(name, need, bytes);
  if (given != nullptr && !has_nul(name, *given)) {
    value = *given;
  }
}

void ArgsReader::content(Text name, std::string& value, std::uint64_t most_bytes, Text /*description*/) {
  if (const std::string* given = read_text(name, Need::required, {0, most_bytes}); given != nullptr) {
    value = *given;
  }
}

std::optional<std::uint64_t> ArgsReader::read_integer(Text name, Need need, Range range) {
  const std::string allowed = "allowed: an integer, " + in_words(range);
  const json* given = find(name, need, allowed);
  if (given == nullptr) {
    return std::nullopt;
  }
  const double number = given->is_number() ? given->get<double>() : 0.5;
  if (number != std::floor(number)) {
    refuse(name, shown(*given) + " is no integer; " + allowed);
    return std::nullopt;
  }
  if (number < static_cast<double>(range.min) || number > static_cast<double>(range.max)) {
    refuse(name, shown(*given) + " is out of range; " + allowed);
    return std::nullopt;
  }
  return given->get<std::uint64_t>();
}

void ArgsReader::integer(Text name, Need need, std::uint64_t& value, Range range, Text /*description*/) {
  value = read_integer(name, need, range).value_or(value);
}

void ArgsReader::integer(Text name, std::optional<std::uint64_t>& value, Range range, Text /*description*/) {
  value = read_integer(name, Need::optional, range);
}

std::optional<bool> ArgsReader::read_flag(Text name) {
  const json* given = find(name, Need::optional, "");
  if (given == nullptr) {
    return std::nullopt;
  }
  if (!given->is_boolean()) {
    refuse(name, shown(*given) + " is no boolean; allowed: true, false");
    return std::nullopt;
  }
  return given->get<bool>();
}

void ArgsReader::flag(Text name, bool& value, Text /*description*/) {
  value = read_flag(name).value_or(value);
}

void ArgsReader::flag(Text name, std::optional<bool>& value, Text /*description*/) {
  value = read_flag(name);
}

std::optional<std::size_t> ArgsReader::read_choice(Text name, Need need, const Names& names) {
  const std::string allowed = "allowed: " + joined(names, "\"");
  const json* given = find(name, need, allowed);
  if (given == nullptr) {
    return std::nullopt;
  }
  const auto found = std::ranges::find_if(
      names, [&](std::string_view name_allowed) { return given->is_string() && *given == name_allowed; });
  if (found == names.end()) {
    refuse(name, shown(*given) + " is unknown; " + allowed);
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - names.begin());
}

void ArgsReader::choice(Text name, std::size_t& value, const Names& names, Text /*description*/) {
  value = read_choice(name, Need::optional, names).value_or(value);
}

void ArgsReader::choice(Text name, Need need, std::optional<std::size_t>& value, const Names& names,
                        Text /*description*/) {
  value = read_choice(name, need, names);
}

void ArgsReader::text_map(Text name, std::map<std::string, std::string>& value, Text /*description*/) {
  const json* given = find(name, Need::optional, "");
  if (given == nullptr) {
    return;
  }
  if (!given->is_object() || given->size() > kMaxMapEntries) {
    const bool is_object = given->is_object();
    return refuse(
        name,
        (is_object ? "has " + std::to_string(given->size()) + " entries" : shown(*given) + " is no object") +
            "; allowed: up to " + std::to_string(kMaxMapEntries) + " names with string values");
  }
  for (const auto& [key, entry] : given->items()) {
    const std::string field = std::string(name) + "." + named(key);
    if (!entry.is_string() || entry.get_ref<const std::string&>().size() > kMaxMapValueBytes) {
      refuse(field, shown(entry) + (entry.is_string() ? " is too long" : " is no string") +
                        "; allowed: a string of 0 to " + std::to_string(kMaxMapValueBytes) + " bytes");
    } else if (!has_nul(field, key) && !has_nul(field, entry.get_ref<const std::string&>())) {
      value[key] = entry.get<std::string>();
    }
  }
}

void ArgsReader::texts(Text name, std::vector<std::string>& value, std::size_t most, Text /*description*/) {
  const std::string allowed = "allowed: an array of 1 to " + std::to_string(most) + " strings";
  const json* given = find(name, Need::required, allowed);
  if (given == nullptr) {
    return;
  }
  if (!given->is_array()) {
    return refuse(name, shown(*given) + " is no array; " + allowed);
  }
  if (given->empty() || given->size() > most) {
    return refuse(name, "has " + std::to_string(given->size()) + " entries; " + allowed);
  }
  for (std::size_t i = 0; i < given->size(); ++i) {
    const std::string entry = std::string(name) + "[" + std::to_string(i) + "]";
    const json& item = (*given)[i];
    if (!item.is_string()) {
      refuse(entry, shown(item) + " is no string; allowed: strings without NUL");
    } else if (!has_nul(entry, item.get_ref<const std::string&>())) {
      value.push_back(item.get<std::string>());
    }
  }
}

void ArgsReader::finish() {
  for (const auto& [name, value] : arguments_.items()) {
    if (std::ranges::find(known_, name) == known_.end()) {
      const std::string_view meant = nearest(std::string_view(name).substr(0, kMaxShown), known_);
      const std::string hint = meant.empty() ? "" : "; nearest: " + std::string(meant);
      refuse(shown(name),
             "unknown argument" + hint +
                 (known_.empty() ? "; this tool takes none" : "; allowed: " + joined(known_, "")));
    }
  }
  if (problem_count_ != 0) {
    const std::size_t more = problem_count_ - std::min(problem_count_, kMostNamed);
    throw Error(ErrorCode::invalid_argument,
                problems_ + (more == 0 ? "" : "\n… and " + std::to_string(more) + " more"));
  }
}

}  // namespace terminally
