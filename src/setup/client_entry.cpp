// Writes and reads the entry of this program in the configuration of each client.
#include "setup/client_entry.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "setup/json_edit.hpp"
#include "setup/toml_edit.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;
using Words = std::vector<std::string>;
using Format = McpClient::Format;

constexpr const char* kNpx = "npx";
constexpr const char* kPackage = "terminally-mcp";  // in npm's registry
constexpr const char* kAdviceBegin = "<!-- terminally-mcp: begin -->";
constexpr const char* kAdviceEnd = "<!-- terminally-mcp: end -->";
constexpr const char* kAdvice =
    "Run shell commands with the tools of the MCP server `terminally`: `execute_command` for what ends,\n"
    "`start_process` for servers and watchers, `wait_for` in place of sleeping and asking again. The tabs "
    "are real\n"
    "terminals: `cd`, variables and an activated environment stay, and what runs goes on while you do other "
    "things.";

ConfigPath path_of_entry(const McpClient& client) {
  return {std::string(client.servers), kServerName};
}

ordered_json entry_of(const McpClient& client, const ConfigText& text) {
  const std::optional<ordered_json> entry = client.format == Format::toml
                                                ? toml_table(text, path_of_entry(client))
                                                : json_value(text, path_of_entry(client));
  return entry.value_or(ordered_json());
}

/// The texts of an array, or none.
Words words_in(const ordered_json& entry, const char* field) {
  Words words;
  if (entry.is_object() && entry.contains(field) && entry[field].is_array()) {
    for (const ordered_json& word : entry[field]) {
      words.push_back(word.is_string() ? word.get<std::string>() : std::string());
    }
  }
  return words;
}

/// Whether the field is left out, or has nothing but texts.
bool has_only_texts(const ordered_json& entry, const char* field) {
  return !entry.contains(field) ||
         (entry[field].is_array() &&
          std::ranges::all_of(entry[field], [](const ordered_json& word) { return word.is_string(); }));
}

/// The program and its arguments, in whichever field the client has them.
Words words_of(const ordered_json& entry) {
  Words words = words_in(entry, "command");
  if (entry.is_object() && entry.contains("command") && entry["command"].is_string()) {
    words.push_back(entry["command"].get<std::string>());
  }
  const Words arguments = words_in(entry, "args");
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

/// By its name, which a release may follow with its version: its place may be another by now.
bool is_this_program(const std::string& named, const std::string& program) {
  const std::string name = std::filesystem::path(named).filename().string();
  return name == std::filesystem::path(program).filename() ||
         (name.starts_with("terminally-mcp") && name.find(' ') == std::string::npos);
}

/// How many of the words start this program: its own, or those of npx with its package. 0: they do not, or by
/// options of npx (`-p`, `-c`) behind which words mean something else.
std::size_t starting_words(const Words& words, const std::string& program) {
  if (words.empty() || is_this_program(words.front(), program)) {
    return words.empty() ? 0 : 1;
  }
  const auto package = std::find_if(words.begin() + 1, words.end(), [](const std::string& word) {
    return !is_one_of(word, {"-y", "--yes", "-q", "--quiet", "--"});
  });
  const bool is_ours = std::filesystem::path(words.front()).filename() == kNpx && package != words.end() &&
                       (*package == kPackage || package->starts_with(kPackage + std::string("@")));
  return is_ours ? static_cast<std::size_t>(package - words.begin()) + 1 : 0;
}

/// What shows that the entry was made by somebody else, for something else; empty: it starts this program.
std::string why_not_ours(const ordered_json& entry, const std::string& program) {
  if (!entry.is_object() || !has_only_texts(entry, "args")) {
    return "it is written in a way that setup does not read";
  }
  if (field_of_address(entry) != nullptr) {
    return why_not_our_address(entry);
  }
  const ordered_json type = entry.value("type", ordered_json());
  if (!type.is_null() && type != "stdio" && type != "local") {
    return "its type is " + type.dump();
  }
  if (entry.value("command", ordered_json()).is_array() && !has_only_texts(entry, "command")) {
    return "it is written in a way that setup does not read";
  }
  const Words words = words_of(entry);
  return words.empty() || words.front().empty() ? "it names no program"
         : starting_words(words, program) > 0   ? ""
                                                : "it starts " + words.front();
}

/// Throws where the entry is somebody else's.
void refuse_others(const McpClient& client, const ordered_json& entry, const std::string& program) {
  if (entry.is_null()) {
    return;
  }
  if (const std::string why = why_not_ours(entry, program); !why.empty()) {
    throw Error(ErrorCode::invalid_argument, "\"" + std::string(client.servers) + "." + kServerName +
                                                 "\" is there, and is not of this program: " + why +
                                                 ". Rename it or take it out yourself");
  }
}

/// The arguments of an entry, with those of today in place of what earlier snippets had. What a person added
/// is right beside them: `--agent` leaves alone what another flag says.
Words mended(Words words) {
  static const Words earlier = {"--view", "rendered"};
  const Words& today = client_arguments();
  if (std::ranges::find(words, today.front()) != words.end()) {
    return words;
  }
  const auto [begin, end] = std::ranges::search(words, earlier);
  words.erase(begin, end);
  words.insert(words.begin(), today.begin(), today.end());
  return words;
}

/// The fields that an entry must have; others stay as they are, and so does how a person has npx start it.
ordered_json fields_of(const McpClient& client, const ordered_json& old, const std::string& program) {
  const Words had = words_of(old);
  const auto arguments = had.begin() + static_cast<std::ptrdiff_t>(starting_words(had, program));
  Words words = words_to_start(program);
  if (words.size() > 1 && arguments - had.begin() > 1) {
    words.assign(had.begin(), arguments);
  }
  const Words passed = mended(Words(arguments, had.end()));
  words.insert(words.end(), passed.begin(), passed.end());
  ordered_json fields;
  if (client.format == Format::one_array) {
    fields["type"] = "local";
    fields["command"] = words;
    return fields;
  }
  if (client.format == Format::typed_json) {
    fields["type"] = "stdio";
  }
  fields["command"] = words.front();
  fields["args"] = Words(words.begin() + 1, words.end());
  return fields;
}

ConfigText without_entry_of(const McpClient& client, const ConfigText& text) {
  return client.format == Format::toml ? without_toml_table(text, path_of_entry(client))
                                       : without_json_value(text, path_of_entry(client));
}

std::string with_json_fields(const ConfigText& text, const ConfigPath& path, const ordered_json& fields) {
  std::string result = text.value_or("");
  for (const auto& [name, value] : fields.items()) {
    ConfigPath place = path;
    place.push_back(name);
    // Of headers only ours is set, as a person may have added others.
    result =
        value.is_object() ? with_json_fields(result, place, value) : with_json_value(result, place, value);
  }
  return result;
}

std::string with_fields(const McpClient& client, const ConfigText& text, const ordered_json& fields) {
  const ConfigPath path = path_of_entry(client);
  if (client.format != Format::toml) {
    return entry_of(client, text).is_object() ? with_json_fields(text, path, fields)
                                              : with_json_value(text, path, fields);
  }
  ordered_json plain;
  ordered_json tables = ordered_json::object();
  for (const auto& [name, value] : fields.items()) {
    (value.is_object() ? tables : plain)[name] = value;
  }
  std::string result = with_toml_fields(text, path, plain);
  for (const auto& [name, table] : tables.items()) {
    result = with_toml_fields(result, {path.front(), path.back(), name}, table);
  }
  return result;
}

/// Adds fields to the entry, or makes it. One that is of the other kind is taken away first, as clients
/// refuse what has both a program and an address; of that one the fields stay that both have.
std::string with_entry_of(const McpClient& client, const ConfigText& text, const ordered_json& old,
                          ordered_json fields, bool allow) {
  ConfigText base = text;
  const bool was_for_http = field_of_address(old) != nullptr;
  if (old.is_object() && was_for_http != (field_of_address(fields) != nullptr)) {
    for (const char* name : {"disabled", "enabled", client.allow_field}) {
      if (old.contains(name)) {
        fields[name] = old[name];
      }
    }
    base = without_entry_of(client, text);
  }
  if (allow && allows_in_entry(client)) {
    fields[client.allow_field] = ordered_json::parse(client.allow_value);
  }
  return with_fields(client, base, fields);
}

/// Where our lines begin, and where the last of them does: npos where they are not whole. What stands behind
/// a first line without a last one may be a person's own.
std::pair<std::size_t, std::size_t> place_of_advice(const std::string& text) {
  constexpr std::size_t kNone = std::string::npos;
  for (std::size_t end = text.find(kAdviceEnd); end != kNone; end = text.find(kAdviceEnd, end + 1)) {
    if (const std::size_t begin = text.rfind(kAdviceBegin, end); begin != kNone) {
      return {begin, end};
    }
  }
  return {kNone, kNone};
}

}  // namespace

const Words& client_arguments() {
  static const Words arguments = {"--agent"};
  return arguments;
}

Words words_to_start(const std::string& program) {
  const bool is_in_cache_of_npx = program.find("/_npx/") != std::string::npos;
  return is_in_cache_of_npx ? Words{kNpx, "-y", kPackage} : Words{program};
}

std::optional<StartedServer> server_in(const McpClient& client, const ConfigText& text,
                                       const std::string& program) {
  const ordered_json entry = entry_of(client, text);
  if (entry.is_null()) {
    return std::nullopt;
  }
  StartedServer server;
  server.not_ours = why_not_ours(entry, program);
  server.url = address_in(entry);
  server.token = token_in(client, entry);
  server.argv = words_of(entry);
  for (const char* field : {"env", "environment"}) {
    if (entry.is_object() && entry.contains(field) && entry[field].is_object()) {
      for (const auto& [name, value] : entry[field].items()) {
        server.environment[name] = value.is_string() ? value.get<std::string>() : std::string();
      }
    }
  }
  server.is_disabled = entry.is_object() && (entry.value("disabled", ordered_json()) == true ||
                                             entry.value("enabled", ordered_json()) == false);
  return server;
}

std::string with_entry(const McpClient& client, const ConfigText& text, const std::string& program,
                       bool allow) {
  const ordered_json old = entry_of(client, text);
  refuse_others(client, old, program);
  return with_entry_of(client, text, old, fields_of(client, old, program), allow);
}

std::string with_http_entry(const McpClient& client, const ConfigText& text, const std::string& program,
                            const HttpWish& wish, bool allow) {
  const ordered_json old = entry_of(client, text);
  refuse_others(client, old, program);
  return with_entry_of(client, text, old, http_fields(client, old, wish), allow);
}

ConfigText without_entry(const McpClient& client, const ConfigText& text, const std::string& program) {
  refuse_others(client, entry_of(client, text), program);
  return without_entry_of(client, text);
}

bool allows_in_entry(const McpClient& client) {
  return *client.allow_field != '\0';
}

std::string with_allowance(const McpClient& client, const ConfigText& text) {
  return with_json_element(text, {"permissions", "allow"}, client.allow_value);
}

ConfigText without_allowance(const McpClient& client, const ConfigText& text) {
  return without_json_element(text, {"permissions", "allow"}, client.allow_value);
}

/// Lines of an earlier version are replaced where they stand.
std::string with_advice(const ConfigText& text) {
  const std::string block = std::string(kAdviceBegin) + "\n" + kAdvice + "\n" + kAdviceEnd;
  const std::string whole = text.value_or("");
  const auto [begin, end] = place_of_advice(whole);
  if (end == std::string::npos) {
    return with_block(text, block);
  }
  const std::string line_end = line_end_of(whole);
  std::string lines;
  for (const char c : block) {
    lines += c == '\n' ? line_end : std::string(1, c);
  }
  return whole.substr(0, begin) + lines + whole.substr(end + std::string_view(kAdviceEnd).size());
}

ConfigText without_advice(const ConfigText& text) {
  const std::string whole = text.value_or("");
  const auto [begin, end] = place_of_advice(whole);
  if (end == std::string::npos) {
    return text;
  }
  const std::size_t line_end = whole.find('\n', end);
  return without_block(whole, begin, line_end == std::string::npos ? whole.size() : line_end + 1);
}

}  // namespace terminally
