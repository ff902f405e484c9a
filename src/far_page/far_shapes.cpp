// Takes from a host's messages what a page knows how to show.
#include "far_page/far_shapes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/ids.hpp"
#include "json/json_reader.hpp"

namespace terminally {
namespace {

using nlohmann::json;

/// A value of that kind; nothing for any other.
using Fit = std::optional<json>;
using Shape = Fit (*)(const json& value);

struct Field {
  const char* name;
  Shape shape;
};

constexpr std::size_t kLongestShortText = 4'096;
constexpr std::size_t kLongestText = std::size_t{64} << 10U;
constexpr std::size_t kLongestScreen = std::size_t{4} << 20U;
constexpr std::size_t kMostInList = 5'000;
constexpr std::uint64_t kMostCells = 10'000;
/// Numbers of scripts in a browser are whole up to here.
constexpr std::uint64_t kMostCount = std::uint64_t{1} << 53U;

Fit text_up_to(const json& value, std::size_t most) {
  return value.is_string() && value.get_ref<const std::string&>().size() <= most ? Fit(value) : std::nullopt;
}
Fit short_text(const json& value) {
  return text_up_to(value, kLongestShortText);
}
Fit text(const json& value) {
  return text_up_to(value, kLongestText + 4);
}
Fit screen_text(const json& value) {
  return text_up_to(value, kLongestScreen);
}
Fit window_id(const json& value) {
  return value.is_string() && parse_window_id(value.get_ref<const std::string&>()) ? Fit(value)
                                                                                   : std::nullopt;
}
Fit count(const json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= kMostCount ? Fit(value) : std::nullopt;
}
Fit whole(const json& value) {
  return value.is_number_integer() ? Fit(value) : std::nullopt;
}
Fit cells(const json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= kMostCells ? Fit(value) : std::nullopt;
}
Fit flag(const json& value) {
  return value.is_boolean() ? Fit(value) : std::nullopt;
}
Fit nothing(const json& /*value*/) {
  return json(nullptr);
}

template <Shape Inner>
Fit maybe(const json& value) {
  return value.is_null() ? Fit(value) : Inner(value);
}

template <Shape Inner>
Fit list_of(const json& value) {
  if (!value.is_array() || value.size() > kMostInList) {
    return std::nullopt;
  }
  json list = json::array();
  for (const json& one : value) {
    Fit taken = Inner(one);
    if (!taken) {
      return std::nullopt;
    }
    list.push_back(std::move(*taken));
  }
  return list;
}

Fit fields_of(const json& value, std::span<const Field> fields) {
  if (!value.is_object()) {
    return std::nullopt;
  }
  json object = json::object();
  for (const Field& field : fields) {
    const auto found = value.find(field.name);
    Fit taken = field.shape(found == value.end() ? json(nullptr) : *found);
    if (!taken) {
      return std::nullopt;
    }
    object[field.name] = std::move(*taken);
  }
  return object;
}

Fit who(const json& value) {
  constexpr std::array kFields = {Field{"name", short_text}, Field{"version", maybe<short_text>},
                                  Field{"person", flag}};
  return fields_of(value, kFields);
}

Fit awaiting(const json& value) {
  constexpr std::array kFields = {Field{"kind", short_text}, Field{"prompt", text},
                                  Field{"process", maybe<short_text>}, Field{"pid", maybe<count>}};
  return fields_of(value, kFields);
}

Fit survivor(const json& value) {
  constexpr std::array kFields = {Field{"pid", whole}, Field{"command", text}, Field{"why", text}};
  return fields_of(value, kFields);
}

Fit cancel(const json& value) {
  constexpr std::array kFields = {Field{"by", maybe<short_text>}, Field{"step", maybe<short_text>},
                                  Field{"survivors", list_of<survivor>}};
  return fields_of(value, kFields);
}

Fit command(const json& value) {
  constexpr std::array kFields = {Field{"id", short_text},
                                  Field{"kind", short_text},
                                  Field{"text", text},
                                  Field{"text_bytes", count},
                                  Field{"who", maybe<who>},
                                  Field{"state", short_text},
                                  Field{"reason", maybe<short_text>},
                                  Field{"exit", maybe<whole>},
                                  Field{"start", count},
                                  Field{"end", maybe<count>},
                                  Field{"typed_byte", count},
                                  Field{"at", count},
                                  Field{"ms", count},
                                  Field{"cwd", short_text},
                                  Field{"lines", maybe<count>},
                                  Field{"awaiting", maybe<awaiting>},
                                  Field{"cancel", maybe<cancel>},
                                  Field{"notes", list_of<text>}};
  return fields_of(value, kFields);
}

Fit holder(const json& value) {
  constexpr std::array kFields = {Field{"kind", short_text}, Field{"name", short_text}};
  return fields_of(value, kFields);
}

Fit control(const json& value) {
  constexpr std::array kFields = {Field{"holder", maybe<holder>}, Field{"until", maybe<count>}};
  return fields_of(value, kFields);
}

Fit tab(const json& value) {
  constexpr std::array kFields = {Field{"id", window_id},
                                  Field{"name", maybe<short_text>},
                                  Field{"host", nothing},
                                  Field{"cwd", maybe<short_text>},
                                  Field{"created_at", maybe<count>},
                                  Field{"foreground", maybe<short_text>},
                                  Field{"busy", flag},
                                  Field{"alternate", flag},
                                  Field{"cols", cells},
                                  Field{"rows", cells},
                                  Field{"log_bytes", count},
                                  Field{"first_byte", count},
                                  Field{"last_output_at", maybe<count>},
                                  Field{"control", maybe<control>},
                                  Field{"command", maybe<command>},
                                  Field{"closed_at", maybe<count>},
                                  Field{"closed_by", maybe<short_text>},
                                  Field{"keep_until", maybe<count>}};
  return fields_of(value, kFields);
}

Fit anything(const json& value) {
  return value;
}

Fit two_counts(const json& value) {
  Fit pair = list_of<count>(value);
  return pair && pair->size() == 2 ? pair : std::nullopt;
}

Fit hit(const json& value) {
  constexpr std::array kFields = {Field{"tab", window_id}, Field{"command", maybe<short_text>},
                                  Field{"byte", count}, Field{"text", short_text},
                                  Field{"marks", list_of<two_counts>}};
  return fields_of(value, kFields);
}

Fit cursor(const json& value) {
  constexpr std::array kFields = {Field{"row", cells}, Field{"col", cells}};
  return fields_of(value, kFields);
}

Fit rates(const json& value) {
  if (!value.is_object() || value.size() > kMostInList) {
    return std::nullopt;
  }
  for (const auto& [id, rate] : value.items()) {
    if (!parse_window_id(id) || !count(rate)) {
      return std::nullopt;
    }
  }
  return value;
}

/// Those of a list that are tabs: one of another shape is no reason to leave out the others.
Fit tabs(const json& value) {
  if (!value.is_array() || value.size() > kMostInList) {
    return std::nullopt;
  }
  json list = json::array();
  for (const json& one : value) {
    if (Fit taken = tab(one)) {
      list.push_back(std::move(*taken));
    }
  }
  return list;
}

Fit gap(const json& value) {
  if (!value.is_array() || value.size() != 3 || !count(value[0]) || !maybe<count>(value[1]) ||
      !short_text(value[2])) {
    return std::nullopt;
  }
  return value;
}

constexpr std::array kTabs = {Field{"tabs", tabs}};
constexpr std::array kTab = {Field{"tab", tab}};
constexpr std::array kGone = {Field{"tab", window_id}};
constexpr std::array kSize = {Field{"tab", window_id}, Field{"cols", cells}, Field{"rows", cells},
                              Field{"at", count}};
constexpr std::array kCommands = {Field{"tab", window_id}, Field{"commands", list_of<command>},
                                  Field{"more", flag}};
constexpr std::array kCommand = {Field{"tab", window_id}, Field{"command", command}};
constexpr std::array kWithdrawn = {Field{"tab", window_id}, Field{"command", short_text}};
constexpr std::array kRate = {Field{"rates", rates}};
constexpr std::array kGap = {Field{"ch", count}, Field{"from", count}, Field{"to", maybe<count>},
                             Field{"why", short_text}, Field{"detail", maybe<short_text>}};
constexpr std::array kScreen = {Field{"ch", count},        Field{"at", count},       Field{"cols", cells},
                                Field{"rows", cells},      Field{"alternate", flag}, Field{"cursor", cursor},
                                Field{"ansi", screen_text}};
constexpr std::array kControl = {Field{"tab", window_id}, Field{"holder", maybe<holder>},
                                 Field{"until", maybe<count>}};
constexpr std::array kHits = {Field{"id", anything},    Field{"hits", list_of<hit>},
                              Field{"searched", count}, Field{"total", count},
                              Field{"done", flag},      Field{"error", maybe<short_text>}};

struct Kind {
  std::string_view name;
  std::span<const Field> fields;
};
constexpr std::array kKinds = {
    Kind{"tabs", kTabs},           Kind{"tab", kTab},           Kind{"gone", kGone},
    Kind{"size", kSize},           Kind{"commands", kCommands}, Kind{"command", kCommand},
    Kind{"withdrawn", kWithdrawn}, Kind{"rate", kRate},         Kind{"gap", kGap},
    Kind{"screen", kScreen},       Kind{"control", kControl},   Kind{"hits", kHits}};

void rename(json& id, const std::string& host) {
  id = host + ":" + id.get<std::string>();
}

void rename_tab(json& one, const std::string& host) {
  rename(one["id"], host);
  one["host"] = host;
}

void rename_all(json& message, const std::string& host) {
  if (const auto one = message.find("tab"); one != message.end()) {
    if (one->is_object()) {
      rename_tab(*one, host);
    } else {
      rename(*one, host);
    }
  }
  if (const auto all = message.find("tabs"); all != message.end()) {
    std::ranges::for_each(*all, [&](json& one) { rename_tab(one, host); });
  }
  if (const auto hits = message.find("hits"); hits != message.end()) {
    std::ranges::for_each(*hits, [&](json& one) { rename(one["tab"], host); });
  }
  if (const auto found = message.find("rates"); found != message.end()) {
    json named = json::object();
    for (const auto& [id, rate] : found->items()) {
      named[host + ":" + id] = rate;
    }
    *found = std::move(named);
  }
}

}  // namespace

std::optional<json> told_of_host(const json& message, const std::string& host) {
  const auto type = text_field(message, "t");
  const auto* const kind =
      std::ranges::find_if(kKinds, [&](const Kind& one) { return type && one.name == *type; });
  if (kind == kKinds.end()) {
    return std::nullopt;
  }
  Fit taken = fields_of(message, kind->fields);
  if (taken) {
    rename_all(*taken, host);
    (*taken)["t"] = *type;
  }
  return taken;
}

std::optional<json> commands_of_host(const json& answer, const std::string& host) {
  Fit taken = fields_of(answer, kCommands);
  if (taken) {
    rename_all(*taken, host);
  }
  return taken;
}

std::optional<json> times_of_host(const json& answer) {
  constexpr std::array kFields = {Field{"times", list_of<two_counts>}};
  return fields_of(answer, kFields);
}

std::optional<json> gaps_of_host(const json& gaps) {
  return list_of<gap>(gaps);
}

}  // namespace terminally
