// Translates the names of tabs, hosts and errors between this side and a host.
// Waits for output of a host's tab by one long call there, over and over.

#include "toolkit/far_names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/timeout.hpp"

namespace terminally {

namespace {

using nlohmann::ordered_json;

constexpr std::array kErrorCodes = {
    std::pair{ErrorCode::invalid_argument, std::string_view("invalid_argument")},
    std::pair{ErrorCode::not_found, std::string_view("not_found")},
    std::pair{ErrorCode::tab_closed, std::string_view("tab_closed")},
    std::pair{ErrorCode::busy, std::string_view("busy")},
};
constexpr std::size_t kLongestName = 64;
constexpr std::array<std::string_view, 10> kOfATab = {"attach", "cancel",  "close", "exec", "export",
                                                      "grep",   "history", "send",  "tail", "wait"};
constexpr std::string_view kTabUri = "terminally://tab/";

bool is_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_id_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether an '@' after this text may begin an id.
bool may_begin_id(std::string_view before) {
  if (before.empty() || before.ends_with(kTabUri)) {
    return true;
  }
  constexpr std::string_view kJoined = "_.:%@/-";
  return !is_alnum(before.back()) && kJoined.find(before.back()) == std::string_view::npos;
}

/// Whether an id may end before this text: not inside a longer name.
bool may_end_id(std::string_view after) {
  if (after.empty()) {
    return true;
  }
  const bool goes_on = after.front() == '.' && after.size() > 1 && is_alnum(after[1]);
  return !is_alnum(after.front()) && after.front() != '_' && after.front() != '@' && !goes_on;
}

/// The length of the id that begins at `at`; 0 where none does.
std::size_t id_at(std::string_view text, std::size_t at) {
  if (text[at] != '@' || !may_begin_id(text.substr(0, at))) {
    return 0;
  }
  const auto* const begin = text.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  const auto* const end = std::find_if_not(begin, text.end(), is_id_digit);
  const auto after = static_cast<std::size_t>(end - text.begin());
  return begin != end && may_end_id(text.substr(after)) ? after - at : 0;
}

constexpr std::string_view kProgram = "terminally-mcp ";

/// The length of "terminally-mcp SUBCOMMAND " at the start of `text`, if a tab's name or "-- " follows. Else,
/// and before an id (see id_at), 0.
std::size_t command_line_at(std::string_view text) {
  if (!text.starts_with(kProgram)) {
    return 0;
  }
  const std::string_view words = text.substr(kProgram.size());
  const std::string_view subcommand = words.substr(0, words.find(' '));
  const std::string_view rest = words.substr(std::min(subcommand.size() + 1, words.size()));
  const bool has_name =
      !rest.empty() && rest.front() != '@' && (rest.front() != '-' || rest.starts_with("-- "));
  return is_of_a_tab(subcommand) && has_name ? text.size() - rest.size() : 0;
}

void put_host_inside(ordered_json& value, std::string_view host) {
  if (value.is_array()) {
    for (ordered_json& item : value) {
      put_host_inside(item, host);
    }
    return;
  }
  if (!value.is_object()) {
    return;
  }
  for (auto& [name, member] : value.items()) {
    if (name == "window_id" && member.is_string()) {
      member = std::string(host) + ":" + member.get<std::string>();
    } else if (name == "notes" && member.is_array()) {
      for (ordered_json& note : member) {
        note = note.is_string() ? ordered_json(with_host(note.get_ref<const std::string&>(), host)) : note;
      }
    } else {
      put_host_inside(member, host);
    }
  }
}

}  // namespace

bool is_of_a_tab(std::string_view subcommand) {
  return std::ranges::find(kOfATab, subcommand) != kOfATab.end();
}

bool is_host_name(std::string_view text) {
  const auto fits = [](char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= kLongestName && is_alnum(text.front()) &&
         std::ranges::all_of(text, fits);
}

std::optional<FarName> split_far_name(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || !is_host_name(text.substr(0, colon))) {
    return std::nullopt;
  }
  return FarName{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

std::string with_host(std::string_view text, std::string_view host) {
  constexpr std::string_view kNoTab = "without window_id";
  constexpr std::string_view kOpens = "create_tab";
  if (text.starts_with("path: ")) {  // about a file, whose name may look like an id
    return std::string(text);
  }
  const std::string prefix = std::string(host) + ":";
  const std::string argument = "with \"host\": \"" + std::string(host) + "\"";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t id = id_at(text, at);
    const std::size_t line = command_line_at(rest);
    const bool opens = rest.starts_with(kOpens);
    const std::size_t taken = std::max({id, line, opens ? kOpens.size() : 1});
    if (id != 0) {
      out.append(prefix);
    } else if (rest.starts_with(kNoTab)) {
      out.append(argument).append(" and ");
    }
    out.append(rest.substr(0, taken));
    if (line != 0) {
      out.append(prefix).append(rest[line] == '-' ? " " : "");
    } else if (opens) {
      out.append(" ").append(argument);
    }
    at += taken;
  }
  return out;
}

void put_host(ordered_json& result, std::string_view host) {
  put_host_inside(result, host);
  result["host"] = host;
}

std::string_view to_far_code(ErrorCode code) {
  const auto* const found =
      std::ranges::find_if(kErrorCodes, [code](const auto& known) { return known.first == code; });
  return found == kErrorCodes.end() ? "io" : found->second;
}

ErrorCode from_far_code(std::string_view text) {
  const auto* const found =
      std::ranges::find_if(kErrorCodes, [text](const auto& known) { return known.second == text; });
  return found == kErrorCodes.end() ? ErrorCode::io : found->first;
}

namespace {

using boost::asio::awaitable;

/// The bytes that the tab has printed so far; nullopt where the host cannot be asked now.
awaitable<std::optional<std::uint64_t>> printed_there(FarHosts& hosts, std::string host, WindowId window) {
  constexpr Milliseconds kWithin{500};
  const std::string id = host + ":" + to_string(window);
  const FarTabs tabs = co_await hosts.tabs(Clock::now() + kWithin);
  for (const auto& row : tabs.rows) {
    const auto bytes = row.find("log_bytes");
    if (row["window_id"] == id && bytes != row.end() && bytes->is_number_unsigned()) {
      co_return bytes->get<std::uint64_t>();
    }
  }
  co_return std::nullopt;
}

/// Whether the tab prints more than `so_far` within 50 s; returns as soon as it does. Throws on a lost link.
awaitable<bool> prints_more(FarHosts& hosts, std::string host, WindowId window, std::uint64_t so_far) {
  constexpr int kWaitMs = 50'000;
  nlohmann::json arguments;
  arguments["window_id"] = to_string(window);
  arguments["from_byte"] = so_far;
  arguments["max_bytes"] = 1;
  arguments["encoding"] = "base64";
  arguments["wait_ms"] = kWaitMs;
  FarCall call;
  call.host = std::move(host);
  call.tool = "stream_logs_from_tab";
  call.arguments = std::make_shared<const nlohmann::json>(std::move(arguments));
  const nlohmann::ordered_json chunk = co_await hosts.call(std::move(call));
  co_return chunk.value("chunk", nlohmann::ordered_json("")) != "";
}

}  // namespace

awaitable<std::optional<std::uint64_t>> next_output_there(std::shared_ptr<FarHosts> hosts, std::string host,
                                                          WindowId window,
                                                          std::optional<std::uint64_t> so_far) {
  constexpr Milliseconds kBetween{2'000};
  for (;;) {
    if (!so_far) {
      so_far = co_await printed_there(*hosts, host, window);
    }
    bool more = false;
    try {
      more = so_far && co_await prints_more(*hosts, host, window, *so_far);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): asked again
    }
    if (more) {
      co_return co_await printed_there(*hosts, host, window);
    }
    co_await sleep_for(kBetween);
  }
}

}  // namespace terminally
