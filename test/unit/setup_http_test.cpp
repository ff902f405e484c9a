// The entries by which clients reach `serve`.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "setup/client_entry.hpp"
#include "setup/http_entry.hpp"

namespace terminally {
namespace {

const std::string kHere = "/opt/terminally-mcp";

HttpWish http_wish(const std::string& token) {
  HttpWish wish;
  wish.token = token;
  return wish;
}

std::string with_http(const McpClient& client, const ConfigText& text, const HttpWish& wish) {
  return with_http_entry(client, text, kHere, wish, false);
}

std::string why_refused(const McpClient& client, const ConfigText& text, const HttpWish& wish) {
  try {
    static_cast<void>(with_http(client, text, wish));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// What a configuration may be before: each is restored.
std::vector<ConfigText> before_of(const McpClient& client) {
  if (client.format == McpClient::Format::toml) {
    return {std::nullopt, "", "a = 1", "a = 1\n", "# mine\r\n[b]\r\nc = 2\r\n"};
  }
  return {std::nullopt, "{}\n", "{\n  // mine\n  \"a\": [1, 2],\n}\n", R"({"a": 1})"};
}

}  // namespace

TEST_CASE("setup: every client's entry for HTTP is made, read, mended and taken away") {
  for (const McpClient& client : all_clients()) {
    CAPTURE(client.name);
    if (*client.http.url == '\0') {
      CHECK(client.name == "claude-desktop");
      CHECK(why_refused(client, std::nullopt, http_wish("1a2b"))
                .find("`terminally-mcp setup claude-desktop`") != std::string::npos);
      continue;
    }
    for (const ConfigText& before : before_of(client)) {
      CAPTURE(before.value_or("no file"));
      const std::string made = with_http(client, before, http_wish("1a2b"));
      CAPTURE(made);
      const auto server = server_in(client, made, kHere);
      REQUIRE(server);
      CHECK(server->url == "http://127.0.0.1:7332/mcp/" + std::string(client.name));
      CHECK(server->token == "1a2b");
      CHECK(server->not_ours.empty());
      CHECK(server->argv.empty());
      CHECK(with_http(client, made, http_wish("1a2b")) == made);
      CHECK(without_entry(client, made, kHere) == before);

      const std::string mended = with_http(client, made, {"127.0.0.1:8000", "work", "3c4d"});
      CHECK(server_in(client, mended, kHere)->url == "http://127.0.0.1:8000/mcp/work");
      CHECK(server_in(client, mended, kHere)->token == "3c4d");
      CHECK(server_in(client, with_http(client, mended, http_wish("3c4d")), kHere)->url ==
            "http://127.0.0.1:8000/mcp/work");
      CHECK(mended.find("1a2b") == std::string::npos);
      CHECK(without_entry(client, mended, kHere) == before);
      CHECK(without_entry(client, with_http_entry(client, before, kHere, http_wish("1a2b"), true), kHere) ==
            before);
    }
  }
}

TEST_CASE("setup: an entry becomes one for HTTP and back, and has nothing of the other kind") {
  for (const McpClient& client : all_clients()) {
    CAPTURE(client.name);
    for (const ConfigText& before : before_of(client)) {
      if (*client.http.url == '\0') {
        continue;
      }
      CAPTURE(before.value_or("no file"));
      const std::string started = with_entry(client, before, kHere, true);
      const std::string reached = with_http(client, started, http_wish("1a2b"));
      CAPTURE(reached);
      const auto server = server_in(client, reached, kHere);
      CHECK(server->argv.empty());
      CHECK(server->token == "1a2b");
      CHECK((reached.find(client.allow_field) != std::string::npos) == true);
      const std::string again = with_entry(client, reached, kHere, false);
      CHECK(server_in(client, again, kHere)->url.empty());
      CHECK(server_in(client, again, kHere)->not_ours.empty());
      CHECK(again.find("1a2b") == std::string::npos);
      CHECK(without_entry(client, again, kHere) == before);
    }
  }
  const McpClient& codex = client_named("codex");
  const std::string off = "[mcp_servers.terminally]\ncommand = \"/opt/terminally-mcp\"\nenabled = false\n";
  CHECK(server_in(codex, with_http(codex, off, http_wish("1a2b")), kHere)->is_disabled);
}

TEST_CASE("setup: a file of a project gets the name of a variable, or is refused") {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"claude", R"("Bearer ${TERMINALLY_TOKEN}")"},
      {"cursor", R"("Bearer ${env:TERMINALLY_TOKEN}")"},
      {"vscode", R"("Bearer ${env:TERMINALLY_TOKEN}")"},
      {"codex", R"(bearer_token_env_var = "TERMINALLY_TOKEN")"},
      {"gemini", R"("Bearer ${TERMINALLY_TOKEN}")"},
      {"opencode", R"("Bearer {env:TERMINALLY_TOKEN}")"},
  };
  for (const auto& [name, form] : forms) {
    CAPTURE(name);
    const McpClient& client = client_named(name);
    const std::string made = with_http(client, std::nullopt, http_wish(""));
    CAPTURE(made);
    CHECK(made.find(form) != std::string::npos);
    CHECK(server_in(client, made, kHere)->token.empty());
    CHECK(server_in(client, made, kHere)->not_ours.empty());
    CHECK(with_http(client, made, http_wish("1a2b")) == made);  // who names a variable keeps it
    CHECK(without_entry(client, made, kHere) == std::nullopt);
  }
  CHECK(why_refused(client_named("zed"), std::nullopt, http_wish("")).find("without --project") !=
        std::string::npos);
}

TEST_CASE("setup: what a person added to an entry for HTTP stays") {
  const McpClient& gemini = client_named("gemini");
  const std::string own =
      R"({"mcpServers": {"terminally": {"httpUrl": "http://localhost:9000/mcp/own", "headers": {"X-Mine": "1", "Authorization": "Bearer 1a2b"}, "timeout": 5}}})";
  CHECK(
      with_http(gemini, own, http_wish("3c4d")) ==
      R"({"mcpServers": {"terminally": {"httpUrl": "http://localhost:9000/mcp/own", "headers": {"X-Mine": "1", "Authorization": "Bearer 3c4d"}, "timeout": 5}}})");
}

TEST_CASE("setup: an address is ours on this machine and at /mcp only") {
  for (const char* url :
       {"http://127.0.0.1:7332/mcp", "http://localhost:1/mcp/work", "http://[::1]:80/mcp/a.b"}) {
    CAPTURE(url);
    CHECK(parse_serve_url(url));
  }
  CHECK(parse_serve_url("http://localhost:81/mcp/work")->place.port == 81);
  CHECK(parse_serve_url("http://localhost:81/mcp/work")->authority == "localhost:81");
  CHECK(parse_serve_url("http://localhost:81/mcp/work")->path == "/mcp/work");
  for (const char* url : {"",
                          "http://",
                          "https://127.0.0.1:7332/mcp",
                          "http://127.0.0.1/mcp",
                          "http://127.0.0.1:7332",
                          "http://127.0.0.1:7332/mcpx",
                          "http://127.0.0.1:7332/sse",
                          "http://10.0.0.1:7332/mcp",
                          "http://example.org:7332/mcp",
                          "http://unix:/x/mcp",
                          "http://localhost.example.org:1/mcp",
                          "http://127.0.0.1:7332/mcp/",
                          "http://127.0.0.1:7332/mcp/a/b",
                          "http://127.0.0.1:7332/mcp/x HTTP/1.1",
                          "http://127.0.0.1:7332/mcp/x\r\nX: y",
                          "http://127.0.0.1:7332/mcp/\033[2J",
                          "http://[::1%25x]:80/mcp",
                          "http://[::1%\r\n]:80/mcp",
                          "http://127.0.0.1:7332/mcp/..",
                          "http://127.0.0.1:7332/mcp/a2345678901234567890123456789012x"}) {
    CAPTURE(url);
    CHECK_FALSE(parse_serve_url(url));
  }
  const McpClient& claude = client_named("claude");
  for (const char* entry :
       {R"({"url": "https://x/mcp"})", R"({"type": "sse", "url": "http://127.0.0.1:7332/mcp"})",
        R"({"url": "http://127.0.0.1:7332/mcp", "command": "/opt/terminally-mcp"})", R"({"url": 7332})"}) {
    CAPTURE(entry);
    const std::string text = std::string(R"({"mcpServers": {"terminally": )") + entry + "}}";
    CHECK_FALSE(server_in(claude, text, kHere)->not_ours.empty());
    CHECK(why_refused(claude, text, http_wish("1a2b")).find("is not of this program") != std::string::npos);
    CHECK_THROWS_AS(static_cast<void>(without_entry(claude, text, kHere)), Error);
  }
}

}  // namespace terminally
