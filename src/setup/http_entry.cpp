// Writes and reads the fields of an entry that is reached over HTTP.
#include "setup/http_entry.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "instance/instance_name.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kPath = "/mcp";
constexpr const char* kHeader = "Authorization";
constexpr std::string_view kBearer = "Bearer ";

std::string text_in(const ordered_json& object, const char* field) {
  const ordered_json value = object.is_object() ? object.value(field, ordered_json()) : ordered_json();
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::string header_in(const McpClient& client, const ordered_json& entry) {
  return entry.is_object() ? text_in(entry.value(client.http.headers, ordered_json()), kHeader) : "";
}

/// A variable is a word in braces, with every client that has them in headers.
bool names_variable(const McpClient& client, const ordered_json& entry) {
  const bool by_field =
      client.format == McpClient::Format::toml && !text_in(entry, client.http.variable).empty();
  return by_field || header_in(client, entry).find('{') != std::string::npos;
}

void add_token(const McpClient& client, const std::string& token, ordered_json& fields) {
  if (token.empty() && client.format == McpClient::Format::toml) {
    fields[client.http.variable] = kTokenVariable;
    return;
  }
  fields[client.http.headers] = ordered_json::object();
  fields[client.http.headers][kHeader] =
      std::string(kBearer) + (token.empty() ? client.http.variable : token);
}

/// "/mcp", or that of an instance. The file may be anybody's, and the path becomes part of a request.
bool is_path_of_serve(std::string_view path) {
  if (!path.starts_with(kPath)) {
    return false;
  }
  path.remove_prefix(kPath.size());
  return path.empty() || (path.front() == '/' && is_instance_name(path.substr(1)));
}

/// Letters, digits, and what is in addresses of this machine.
bool is_plain_authority(std::string_view authority) {
  return authority.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.:[]") == std::string_view::npos;
}

}  // namespace

std::optional<ServeUrl> parse_serve_url(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  constexpr std::string_view kName = "localhost:";
  if (!url.starts_with(kScheme)) {
    return std::nullopt;
  }
  url.remove_prefix(kScheme.size());
  const std::size_t slash = std::min(url.find('/'), url.size());
  ServeUrl found;
  found.authority = url.substr(0, slash);
  found.path = url.substr(slash);
  if (!is_path_of_serve(found.path) || !is_plain_authority(found.authority)) {
    return std::nullopt;
  }
  const bool is_named = found.authority.starts_with(kName);
  try {
    found.place =
        parse_listen_place(is_named ? "127.0.0.1:" + found.authority.substr(kName.size()) : found.authority);
  } catch (const Error&) {  // not of this machine
    return std::nullopt;
  }
  return found.place.socket.empty() ? std::optional(std::move(found)) : std::nullopt;
}

void refuse_without_http(const McpClient& client, bool in_project) {
  const std::string title(client.title);
  const std::string name(client.name);
  if (*client.http.url == '\0') {
    throw Error(ErrorCode::invalid_argument,
                title +
                    " takes no address on this machine in its file, only a program that it starts: use "
                    "`terminally-mcp setup " +
                    name + "`, without --http");
  }
  if (in_project && *client.http.variable == '\0') {
    throw Error(ErrorCode::invalid_argument,
                "a token is not written into a file of a project, which others read, and " + title +
                    " knows no variable for it there: use `terminally-mcp setup " + name +
                    " --http`, without --project, which writes your own configuration");
  }
}

const char* field_of_address(const ordered_json& entry) {
  for (const char* field : {"url", "httpUrl", "serverUrl"}) {
    if (entry.is_object() && entry.contains(field)) {
      return field;
    }
  }
  return nullptr;
}

std::string why_not_our_address(const ordered_json& entry) {
  const char* field = field_of_address(entry);
  if (entry.contains("command")) {
    return std::string("it has both \"command\" and \"") + field + "\"";
  }
  const ordered_json type = entry.value("type", ordered_json());
  if (!type.is_null() && type != "http" && type != "remote") {
    return "its type is " + type.dump();
  }
  const std::string url = text_in(entry, field);
  return parse_serve_url(url) ? "" : std::string("it has \"") + field + "\", which is no address of `serve`";
}

std::string address_in(const ordered_json& entry) {
  const char* field = field_of_address(entry);
  return field == nullptr ? "" : text_in(entry, field);
}

std::string token_in(const McpClient& client, const ordered_json& entry) {
  const std::string header = header_in(client, entry);
  return names_variable(client, entry) || !header.starts_with(kBearer) ? "" : header.substr(kBearer.size());
}

ordered_json http_fields(const McpClient& client, const ordered_json& old, const HttpWish& wish) {
  refuse_without_http(client, wish.token.empty());
  const auto there = parse_serve_url(address_in(old));
  // A file of a project may be anybody's: the token goes to no port that it names.
  const std::string known = there && !wish.token.empty()
                                ? there->authority
                                : to_string(ListenPlace()).substr(std::string("http://").size());
  const std::string path =
      wish.instance.empty() && there
          ? there->path
          : std::string(kPath) + "/" + (wish.instance.empty() ? std::string(client.name) : wish.instance);
  ordered_json fields;
  if (*client.http.type != '\0') {
    fields["type"] = client.http.type;
  }
  fields[client.http.url] = "http://" + (wish.authority.empty() ? known : wish.authority) + path;
  if (!names_variable(client, old)) {
    add_token(client, wish.token, fields);
  }
  return fields;
}

}  // namespace terminally
