// Sends calls to hosts, and masks and renames what comes back.
#include "toolkit/far_calls.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/this_coro.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/digests.hpp"
#include "base/error.hpp"
#include "base/utf8.hpp"
#include "json/json_reader.hpp"
#include "secrets/text_guard.hpp"
#include "text/visible_text.hpp"
#include "toolkit/far_names.hpp"
#include "toolkit/far_schema.hpp"
#include "toolkit/file_answers.hpp"
#include "toolkit/progress_stream.hpp"
#include "toolkit/shared_args.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;
using nlohmann::json;
using nlohmann::ordered_json;

/// Fields with output of terminals: masked, and otherwise unchanged.
constexpr std::array<std::string_view, 8> kPrinted = {"output", "content", "chunk", "text",
                                                      "match",  "before",  "after", "line"};
constexpr Milliseconds kTabsWithin{500};
constexpr std::uint64_t kGuardedAtOnce = std::uint64_t{32} << 10U;

Error unknown_host(const FarHosts& hosts, std::string_view name) {
  std::string known;
  for (const std::string& host : hosts.names()) {
    known += (known.empty() ? "" : ", ") + host;
  }
  return {ErrorCode::invalid_argument,
          "host: \"" + shortened(name, 80) + "\" is unknown; configured: " + known};
}

bool is_known(const FarHosts& hosts, std::string_view name) {
  const std::vector<std::string> names = hosts.names();
  return std::ranges::find(names, name) != names.end();
}

/// Splits the host from an id or a name, if it is a known host. Throws for "x:@3" of an unknown host; "x:y"
/// may be the name of a tab on this side.
std::optional<FarName> far_tab(const FarHosts& hosts, const std::optional<std::string>& window_id) {
  std::optional<FarName> name = window_id ? split_far_name(*window_id) : std::nullopt;
  if (!name || is_known(hosts, name->host)) {
    return name;
  }
  if (parse_window_id(name->rest)) {
    throw unknown_host(hosts, name->host);
  }
  return std::nullopt;
}

/// A later call with the name would go to the host.
void refuse_name_of_host(const FarHosts& hosts, const std::optional<std::string>& name) {
  const std::optional<FarName> far = name ? split_far_name(*name) : std::nullopt;
  if (far && is_known(hosts, far->host)) {
    throw Error(ErrorCode::invalid_argument, "name: \"" + *name + "\" would mean a tab of the host \"" +
                                                 far->host + "\"; give a name that does not begin with \"" +
                                                 far->host + ":\"");
  }
}

/// Drops fields that are none of this program's, which have plain names: a strange name is unmasked text.
void drop_strange_names(ordered_json& object) {
  constexpr std::size_t kLongest = 64;
  const auto is_plain = [](const std::string& name) {
    return !name.empty() && name.size() <= kLongest &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  };
  for (auto member = object.begin(); member != object.end();) {
    member = is_plain(member.key()) ? std::next(member) : object.erase(member);
  }
}

/// What is done with the fields of kPrinted, as on this side.
enum class Printed : std::uint8_t {
  exact,    ///< nothing: base64 output is byte-exact, and a file's content may be written back
  raw,      ///< they are masked
  visible,  ///< in the plain and the rendered view characters that are not seen are named, too
};

/// Masks all strings, as all go to a model.
void guard_strings(ordered_json& value, TextGuard& guard, bool printed, Printed how) {
  if (value.is_string() && (!printed || how != Printed::exact)) {
    const auto& text = value.get_ref<const std::string&>();
    value = printed ? guard.masked(text) : guard.text(text);
    if (printed && how == Printed::visible) {
      value = visible_text(value.get_ref<const std::string&>());
    }
  } else if (value.is_object()) {
    drop_strange_names(value);
    for (auto& [name, member] : value.items()) {
      guard_strings(member, guard, std::ranges::find(kPrinted, name) != kPrinted.end(), how);
    }
  } else if (value.is_array()) {
    for (ordered_json& item : value) {
      guard_strings(item, guard, printed, how);
    }
  }
}

/// The bytes to be masked, roughly.
std::uint64_t size_of(const ordered_json& value) {
  constexpr std::uint64_t kEach = 32;
  std::uint64_t size = kEach;
  if (value.is_string()) {
    size += value.get_ref<const std::string&>().size();
  } else if (value.is_structured()) {
    for (const ordered_json& item : value) {
      size += size_of(item);
    }
  }
  return size;
}

/// Masks a large value on the worker thread, with a guard of its own whose counts are added to `guard`.
awaitable<ordered_json> guarded_result(FarHosts& hosts, ordered_json value, std::shared_ptr<TextGuard> guard,
                                       Printed how) {
  const std::uint64_t size = size_of(value);
  if (size <= kGuardedAtOnce) {
    guard_strings(value, *guard, false, how);
    co_return value;
  }
  const auto shared = std::make_shared<ordered_json>(std::move(value));
  const auto apart = std::make_shared<TextGuard>(guard->shared_secrets());
  std::function<void()> work = [shared, apart, how] { guard_strings(*shared, *apart, false, how); };
  co_await hosts.worker().run(size, std::move(work));
  guard->count(apart->counts());
  co_return std::move(*shared);
}

Printed printed_by(const Tool& tool, const json& arguments, View view) {
  if (tool.traits.exact_content || arguments.value("encoding", json()) == "base64") {
    return Printed::exact;
  }
  ViewArgs asked;
  for (auto [name, flag] : {std::pair{"strip_ansi", &asked.strip_ansi}, {"render", &asked.render}}) {
    if (const auto given = arguments.find(name); given != arguments.end() && given->is_boolean()) {
      *flag = given->get<bool>();
    }
  }
  const TextView shown = asked.view({view, nullptr});
  return shown.strip_ansi || shown.render ? Printed::visible : Printed::raw;
}

/// Whether the tool has to do with files alone: a name of one may look like an id of a tab.
bool is_of_files(const Tool& tool) {
  return tool.traits.takes_host && tool.traits.begins == Begins::nothing && !tool.traits.names_tab;
}

void refuse_misfit(const Tool& tool, const ordered_json& result, const std::string& host) {
  if (const std::string field = misfit(tool, result); !field.empty()) {
    throw Error(ErrorCode::io, host + ": the host answered with a malformed result: field \"" + field +
                                   "\"; versions may differ (list_hosts)");
  }
}

/// Notes the values in a file's content that the host does not know to be secret.
awaitable<ordered_json> with_content_note(FarHosts& hosts, ordered_json value,
                                          std::shared_ptr<const Secrets> secrets) {
  const std::string content = text_field(value, "content").value_or("");
  const bool encoded = text_field(value, "encoding") == "base64";
  const auto note = std::make_shared<std::string>();
  std::function<void()> work = [content, encoded, secrets, note] {
    *note = note_on_named_values(*secrets, encoded ? decode_base64(content).value_or("") : content);
  };
  co_await hosts.worker().run(content.size(), std::move(work));
  if (!note->empty()) {
    value["notes"].push_back(*note);
  }
  co_return value;
}

/// Passes the far call's steps to the client's stream, which masks values that span two steps, and bounds
/// what waits for a slow client. The function may be kept and called after the call is over.
ReportProgress into(std::weak_ptr<ProgressStream> stream, std::shared_ptr<TextGuard> guard) {
  return [stream = std::move(stream), guard = std::move(guard)](const Progress& step) {
    const std::shared_ptr<ProgressStream> open = stream.lock();
    if (!open) {
      return Taken::never;
    }
    Progress masked = step;
    if (guard && masked.awaiting_input) {
      masked.awaiting_input->prompt = guard->text(masked.awaiting_input->prompt);
    }
    open->pass_on(masked);
    return Taken::yes;
  };
}

}  // namespace

std::optional<FarRoute> far_route(const FarHosts& hosts, const Tool& tool, const json& arguments) {
  const std::optional<FarName> tab = far_tab(hosts, text_field(arguments, "window_id"));
  const auto host = tool.traits.takes_host ? arguments.find("host") : arguments.end();
  if (host == arguments.end() && !tab) {
    if (tool.traits.names_tab) {
      refuse_name_of_host(hosts, text_field(arguments, "name"));
    }
    return std::nullopt;
  }
  FarRoute route;
  json changed = arguments;
  if (host != arguments.end()) {
    if (!host->is_string() || !is_known(hosts, host->get_ref<const std::string&>())) {
      throw unknown_host(hosts, host->is_string() ? host->get<std::string>() : host->dump());
    }
    route.host = host->get<std::string>();
    changed.erase("host");
  }
  if (tab) {
    if (!route.host.empty() && route.host != tab->host) {
      throw Error(ErrorCode::invalid_argument, "host: \"" + route.host +
                                                   "\" contradicts window_id, a tab of \"" + tab->host +
                                                   "\"; leave host out");
    }
    route.host = tab->host;
    changed["window_id"] = tab->rest;
  }
  route.arguments = std::make_shared<const json>(std::move(changed));
  return route;
}

awaitable<ordered_json> call_there(FarHosts& hosts, const Tool& tool, FarRoute route, Caller caller,
                                   std::shared_ptr<TextGuard> guard) {
  const bool streamed = static_cast<bool>(caller.progress);
  const Printed printed = printed_by(tool, *route.arguments, caller.peer->view);
  const auto stream = std::make_shared<ProgressStream>(co_await boost::asio::this_coro::executor,
                                                       std::exchange(caller.progress, nullptr), guard);
  if (streamed) {
    caller.progress = into(stream, guard);
  }
  FarCall call{.host = route.host,
               .tool = std::string(tool.name),
               .traits = tool.traits,
               .read_only = tool.annotations.read_only,
               .arguments = std::move(route.arguments),
               .caller = std::move(caller)};
  ordered_json result;
  try {
    result = co_await hosts.call(std::move(call));
  } catch (const Error& error) {
    const std::string text =
        route.host + ": " + (is_of_files(tool) ? error.what() : with_host(error.what(), route.host));
    throw Error(error.code(), guard ? guard->text(text) : text);
  }
  refuse_misfit(tool, result, route.host);
  if (guard && tool.traits.exact_content) {
    result = co_await with_content_note(hosts, std::move(result), guard->shared_secrets());
  }
  if (guard) {
    result = co_await guarded_result(hosts, std::move(result), guard, printed);
  }
  if (is_of_files(tool)) {
    result["host"] = route.host;
  } else {
    put_host(result, route.host);
  }
  co_await stream->finish(result.value("state", ordered_json()) == "running");
  if (stream->skipped_bytes() > 0) {
    result["notes"].push_back(std::to_string(stream->skipped_bytes()) +
                              " bytes of text skipped in the stream");
  }
  if (const std::string note = guard ? guard->note() : ""; !note.empty()) {
    result["notes"].push_back(note);
  }
  co_return result;
}

awaitable<void> add_far_tabs(FarHosts& hosts, ordered_json& result, std::shared_ptr<TextGuard> guard) {
  FarTabs far = co_await hosts.tabs(Clock::now() + kTabsWithin);
  if (guard) {
    far.rows = co_await guarded_result(hosts, std::move(far.rows), guard, Printed::raw);
  }
  for (ordered_json& row : far.rows) {
    result["tabs"].push_back(std::move(row));
  }
  for (const std::string& note : far.notes) {
    result["notes"].push_back(guard ? guard->text(note) : note);
  }
}

void describe_hosts(const Traits& traits, ordered_json& entry) {
  if (traits.takes_host) {
    ordered_json& host = entry["inputSchema"]["properties"]["host"];
    host["type"] = "string";
    host["description"] = "See list_hosts.";
  }
  ordered_json said;
  said["description"] = "The host whose paths, pids and times these are; absent: this machine.";
  said["type"] = "string";
  ordered_json& properties = entry["outputSchema"]["properties"];
  if (traits.lists_tabs) {
    properties["tabs"]["items"]["properties"]["host"] = said;
  }
  if (!traits.describes_hosts) {
    properties["host"] = said;
  }
}

}  // namespace terminally
