// Configurations of clients as people have them: what is added is there, and removing it restores every byte.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "setup/client_entry.hpp"
#include "setup/json_edit.hpp"
#include "setup/toml_edit.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;

const ConfigPath kEntryPath = {"mcpServers", "terminally"};
const ordered_json kEntryValue = {{"command", "/bin/t"}, {"args", {"--agent"}}};

/// What is wrong, as text; empty where nothing is thrown.
template <class Act>
std::string complaint_of(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const std::vector<ConfigText> kJsonFiles = {
    std::nullopt,
    "",
    "\n",
    "  \n\n",
    "\xEF\xBB\xBF",
    "// only a comment",
    "// only a comment\n",
    "/* c */",
    "{}",
    "{}\n",
    "{ }\n",
    "{\n}\n",
    "{\r\n}\r\n",
    "\xEF\xBB\xBF{\n  \"a\": 1\n}\n",
    "{\"a\":1}",
    "{\"a\":1,}",
    "{ \"a\": 1 }\n",
    "{ /* none */ }",
    "{ // none\n}",
    "{\n  // none\n}\n",
    "{\n  \"a\": 1\n}",
    "{\n\t\"a\": 1\n}\n",
    "{\r\n    \"a\": [1, 2],\r\n    \"b\": {\"mcpServers\": {\"terminally\": 1}}\r\n}\r\n",
    "{\n  \"a\": 1, // last\n}\n",
    "{\n  \"a\": 1 // last\n}\n",
    "{\n  \"a\": 1 /* c */\n  , // odd\n}\n",
    "{\n  \"a\": \"}{[]//\\\" /* \\\\\"\n}\n",
    "{\n  \"mcpServers\": {}\n}\n",
    "{\n  \"mcpServers\": { }\n}\n",
    "{\n  \"mcpServers\": {\n  }\n}\n",
    "{\n  \"mcpServers\": {\n    // \"terminally\": {}\n  },\n  \"b\": 2\n}\n",
    "{\"mcpServers\":{\"other\":{\"command\":\"x\"}}}",
    "{\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    }\n  }\n}\n",
    "{\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }, // mine\n    /* more */\n  },\n}\n",
    "{\n  \"mcp\\u0053ervers\": {\"other\": 1}\n}\n",
    "{\"a\": {\"/p\": {\"mcpServers\": {\"terminally\": {\"command\": \"y\"}}}}, \"mcpServers\": {\"o\": 1}}",
};

/// Objects as people and programs write them, at random: with comments, trailing commas, and space anywhere.
class RandomJson {
 public:
  /// Has `mcpServers` now and then, and in it anything but an entry of ours.
  std::string text() { return space() + object(0) + space(); }

 private:
  std::size_t number(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }

  std::string space() {
    static const std::vector<std::string> kinds = {"",       "",   "",     " ",         "\n",
                                                   "\n    ", "\t", "\r\n", "/* , } */", " // ] \" {\n"};
    return kinds[number(kinds.size())] + kinds[number(kinds.size())];
  }

  std::string value(std::size_t depth) {
    static const std::vector<std::string> plain = {"1",    "-2.5e3",           "true", "null",
                                                   "\"\"", R"("a // } \" ]")", "[]",   "{}"};
    const std::size_t kind = number(depth > 3 ? plain.size() : plain.size() + 4);
    if (kind < plain.size()) {
      return plain[kind];
    }
    return kind % 2 == 0 ? object(depth + 1) : container('[', ']', depth, {"", "", ""});
  }

  std::string object(std::size_t depth) {
    std::vector<std::string> keys;
    for (const char* key : {"a", "mcpServers", "x y", "terminally"}) {
      const bool is_entry = depth < 2 && std::string(key) == "terminally";
      if (!is_entry && number(2) == 0) {
        keys.emplace_back(key);
      }
    }
    return container('{', '}', depth, keys);
  }

  std::string container(char open, char close, std::size_t depth, const std::vector<std::string>& keys) {
    std::string text = open + space();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool is_servers = depth == 0 && keys[i] == "mcpServers";
      text += open == '{' ? "\"" + keys[i] + "\"" + space() + ":" + space() : "";
      text += (is_servers ? object(depth + 1) : value(depth + 1)) + space();
      text += i + 1 < keys.size() || number(2) == 0 ? "," + space() : "";
    }
    return text + close;
  }

  std::mt19937 random_{27};
};

}  // namespace

TEST_CASE("setup: an entry in JSON is there, nothing else changes, and it goes without a trace") {
  for (const ConfigText& file : kJsonFiles) {
    CAPTURE(file.value_or("no file"));
    const std::string with = with_json_value(file, kEntryPath, kEntryValue);
    CAPTURE(with);
    CHECK(json_value(with, kEntryPath) == kEntryValue);
    CHECK(with_json_value(with, kEntryPath, kEntryValue) == with);
    CHECK(without_json_value(with, kEntryPath) == file);
    CHECK(without_json_value(file, kEntryPath) == file);
    // Taking the added bytes out of the new text in one or two pieces gives the old one: no byte was
    // replaced.
    std::size_t at = 0;
    for (const char c : with) {
      at += at < file.value_or("").size() && (*file)[at] == c ? 1 : 0;
    }
    CHECK(at == file.value_or("").size());
  }
}

TEST_CASE("setup: an entry goes without a trace from any JSON") {
  RandomJson random;
  for (int i = 0; i < 1'000; ++i) {
    const std::string file = random.text();
    CAPTURE(file);
    const std::string with = with_json_value(file, kEntryPath, kEntryValue);
    CAPTURE(with);
    REQUIRE(json_value(with, kEntryPath) == kEntryValue);
    REQUIRE(without_json_value(with, kEntryPath) == file);
  }
}

TEST_CASE("setup: what others add and remove meanwhile stays so") {
  const std::string made = with_json_value(std::nullopt, kEntryPath, kEntryValue);
  const ConfigPath other = {"mcpServers", "other"};
  const std::string both = with_json_value(made, other, 1);
  CHECK(json_value(without_json_value(both, kEntryPath), other) == ordered_json(1));
  CHECK(without_json_value(without_json_value(both, kEntryPath), other) == std::nullopt);
  CHECK(without_json_value(without_json_value(both, other), kEntryPath) == std::nullopt);
  CHECK(without_json_value("{\n  \"mcpServers\": {\n    \"terminally\": 1,\n    \"b\": 2\n  }\n}\n",
                           kEntryPath) == "{\n  \"mcpServers\": {\n    \"b\": 2\n  }\n}\n");
  CHECK(without_json_value("{\"mcpServers\": {\n  // why\n  \"terminally\": 1 // c\n}}", kEntryPath) ==
        "{\"mcpServers\": {\n  // why // c\n}}");
}

TEST_CASE("setup: an entry looks as the file does") {
  CHECK(with_json_value("{\n\t\"a\": 1\n}\n", kEntryPath, kEntryValue) ==
        "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"terminally\": {\n\t\t\t\"command\": \"/bin/t\",\n"
        "\t\t\t\"args\": [\"--agent\"]\n\t\t}\n\t}\n}\n");
  CHECK(with_json_value("{\"mcpServers\": {\"a\": 1}}", kEntryPath, kEntryValue) ==
        "{\"mcpServers\": {\"a\": 1, \"terminally\": { \"command\": \"/bin/t\", \"args\": [\"--agent\"] }}}");
  CHECK(with_json_value("{\r\n  \"a\": 1, // last\r\n}", {"b"}, 2) ==
        "{\r\n  \"a\": 1, // last\r\n  \"b\": 2,\r\n}");
}

TEST_CASE("setup: JSON that cannot be edited is refused, and says why") {
  const auto complaint = [](const std::string& text) {
    return complaint_of([&] { static_cast<void>(with_json_value(text, kEntryPath, kEntryValue)); });
  };
  CHECK(complaint("[]") == "the whole is no object");
  CHECK(complaint("\"text\"") == "the whole is no object");
  CHECK(complaint("{\"mcpServers\": []}") == "\"mcpServers\" is no object");
  CHECK(complaint("{\"mcpServers\": null}") == "\"mcpServers\" is no object");
  CHECK(complaint("{\"mcpServers\": {}, \"a\": 1, \"mcpServers\": {}}") ==
        "\"mcpServers\" is there twice; remove one of them");
  CHECK(complaint("{\"mcpServers\": {\"terminally\": 1, \"terminally\": 2}}") ==
        "\"terminally\" is there twice; remove one of them");
  for (const char* text : {"{\n\"a\": 1\n", "{\n\"a\" 1}", "{\n\"a\": 'b'}", "{\n\"a\": 1,,}", "{\n,}",
                           "{\n\"a\": \"\xFF\"}", "{\n/* }", "{\n\"a\": 1} x", "{\nmcpServers: {}}"}) {
    CAPTURE(text);
    CHECK(complaint(text).find(" is not JSON") != std::string::npos);
  }
  CHECK(complaint("{\n\"a\": 1,\n\"b\" 2}").starts_with("line 3 "));
  const std::string deep(100'000, '[');
  CHECK(complaint("{\"a\": " + deep + "}").find(" is not JSON") != std::string::npos);
}

TEST_CASE("setup: an element of a list goes as it came") {
  const ConfigPath list = {"permissions", "allow"};
  for (const ConfigText& file : std::vector<ConfigText>{
           std::nullopt, "{}", "{\n  \"permissions\": {\n    \"allow\": []\n  }\n}\n",
           "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls)\", // c\n    ],\n  }\n}\n",
           "{\"permissions\": {\"deny\": [\"mcp__terminally\"]}}"}) {
    CAPTURE(file.value_or("no file"));
    const std::string with = with_json_element(file, list, "mcp__terminally");
    CHECK(with_json_element(with, list, "mcp__terminally") == with);
    CHECK(json_value(with, list)->back() == ordered_json("mcp__terminally"));
    CHECK(without_json_element(with, list, "mcp__terminally") == file);
  }
  CHECK(complaint_of([&] {
          static_cast<void>(with_json_element("{\"permissions\": {\"allow\": {}}}", list, "x"));
        }) == "\"permissions.allow\" is no array");
}

TEST_CASE("setup: a table in TOML is there, nothing else changes, and it goes without a trace") {
  const ConfigPath table = {"mcp_servers", "terminally"};
  const std::vector<ConfigText> files = {
      std::nullopt,
      "",
      "\n",
      "\xEF\xBB\xBF",
      "model = \"x\"",
      "model = \"x\"\n",
      "model = \"x\"\n\n\n",
      "model = \"x\"\r\n[a]\r\nb = 1 # [mcp_servers.terminally]\r\n",
      "# only a comment",
      "a = \"\"\"\n[mcp_servers.terminally]\ncommand = 1\n\\\"\"\"\"\"\n",
      "a = '''\n[mcp_servers.terminally]\n'''\nb = '\\'\n",
      "a = [\n  [\"mcp_servers\"], # ]\n  [1, 2],\n]\n[mcp_servers.other]\ncommand = \"y\"\n",
      "[mcp_servers.other]\nenv = { A = \"]\", B = '}' }\n[\"mcp_servers\".\"other two\"]\nx = 1979-05-27\n",
      "[projects.\"/a.b/c\"]\ntrust_level = \"trusted\"\n\n[other.mcp_servers.terminally]\ncommand = 'z'\n",
      "[[list]]\na = 1\n[[list]]\na = 2\n",
  };
  for (const ConfigText& file : files) {
    CAPTURE(file.value_or("no file"));
    const std::string with = with_toml_fields(file, table, kEntryValue);
    CAPTURE(with);
    CHECK(toml_table(with, table) == kEntryValue);
    CHECK(with.starts_with(file.value_or("")));
    CHECK(with_toml_fields(with, table, kEntryValue) == with);
    CHECK(without_toml_table(with, table) == file);
    CHECK(without_toml_table(file, table) == file);
  }
}

TEST_CASE("setup: a table in TOML is mended where it stands") {
  const ConfigPath table = {"mcp_servers", "terminally"};
  const std::string old =
      "[mcp_servers.terminally] # mine\nenabled = true\ncommand = '/old' # why\nargs = [\n  \"--view\", # "
      "v\n  'raw',\n]\n"
      "\n[mcp_servers.terminally.env]\nA = \"b\"\n\n[z]\ny = 1\n";
  CHECK(toml_table(old, table)->dump() ==
        R"({"enabled":true,"command":"/old","args":["--view","raw"],"env":{"A":"b"}})");
  CHECK(
      with_toml_fields(old, table, {{"command", "/new"}, {"approve", "yes"}}) ==
      "[mcp_servers.terminally] # mine\napprove = \"yes\"\nenabled = true\ncommand = \"/new\" # why\n"
      "args = [\n  \"--view\", # v\n  'raw',\n]\n\n[mcp_servers.terminally.env]\nA = \"b\"\n\n[z]\ny = 1\n");
  CHECK(without_toml_table(old, table) == "\n[z]\ny = 1\n");
  const std::string dotted = "[mcp_servers]\nterminally.command = \"/old\"\nother.command = \"x\"\n";
  CHECK(with_toml_fields(dotted, table, {{"command", "/new"}}) ==
        "[mcp_servers]\nterminally.command = \"/new\"\nother.command = \"x\"\n");
  CHECK(without_toml_table(dotted, table) == "[mcp_servers]\nother.command = \"x\"\n");
}

TEST_CASE("setup: TOML that cannot be edited is refused, and says why") {
  const ConfigPath table = {"mcp_servers", "terminally"};
  const auto complaint = [&](const std::string& text) {
    return complaint_of([&] { static_cast<void>(with_toml_fields(text, table, kEntryValue)); });
  };
  CHECK(
      complaint("[mcp_servers]\nterminally = { command = \"x\" }\n") ==
      "line 2 has mcp_servers.terminally on one line, and not as [mcp_servers.terminally]; change that line");
  CHECK(complaint("mcp_servers = {}\n").starts_with("line 1 has mcp_servers on one line"));
  CHECK(complaint("[[mcp_servers]]\n").starts_with("line 1 has mcp_servers as an array of tables"));
  CHECK(complaint("[mcp_servers.terminally]\n[mcp_servers.terminally]\n").find("second time") !=
        std::string::npos);
  CHECK(complaint("[mcp_servers]\nterminally.env = 1\n").find("without a line [mcp_servers.terminally]") !=
        std::string::npos);
  for (const char* text : {"a = 1\n[b", "a = 1\nb", "a = 1\nb =\n", "a = 1\nb = \"c\nd\"", "a = 1\n= 2",
                           "a = 1\n\"\"\"x", "a = 1\n[b] c", "a = 1\nb = ]", "a = 1\nb = [1"}) {
    CAPTURE(text);
    CHECK(complaint(text).find(" is not TOML") != std::string::npos);
    CHECK(complaint(text).starts_with("line 2"));
  }
}

TEST_CASE("setup: every client's entry is made, read, mended and taken away") {
  const std::string here = "/opt/it's \"here\"/terminally-mcp";
  const std::string there = "/new/terminally-mcp-2.0-x86_64";
  for (const McpClient& client : all_clients()) {
    CAPTURE(client.name);
    const std::string made = with_entry(client, std::nullopt, here, false);
    CAPTURE(made);
    const auto server = server_in(client, made, here);
    REQUIRE(server);
    CHECK(server->argv == std::vector<std::string>{here, "--agent"});
    CHECK_FALSE(server->is_disabled);
    CHECK(server->not_ours.empty());
    CHECK(with_entry(client, made, here, false) == made);
    CHECK(without_entry(client, made, here) == std::nullopt);
    const std::string moved = with_entry(client, made, there, true);
    CHECK(server_in(client, moved, there)->argv.front() == there);
    CHECK((moved.find(client.allow_field) != std::string::npos) == true);
    CHECK(without_entry(client, moved, here) == std::nullopt);
    CHECK(server_in(client, std::nullopt, here) == std::nullopt);
    const std::string renamed = with_entry(client, std::nullopt, "/bin/tmcp", false);
    CHECK(without_entry(client, renamed, "/bin/tmcp") == std::nullopt);
    CHECK_THROWS_AS(static_cast<void>(without_entry(client, renamed, here)), Error);
  }
}

TEST_CASE("setup: what a person added to the entry stays") {
  const McpClient& claude = client_named("claude");
  const std::string mine = "/new/terminally-mcp";
  const std::string own =
      R"({"mcpServers": {"terminally": {"args": ["--instance", "work"], "command": "/old/terminally-mcp", "env": {"A": "b"}, "disabled": true}}})";
  const std::string mended = with_entry(claude, own, mine, false);
  CHECK(
      mended ==
      R"({"mcpServers": {"terminally": {"args": ["--agent", "--instance", "work"], "command": "/new/terminally-mcp", "env": {"A": "b"}, "disabled": true}}})");
  CHECK(server_in(claude, mended, mine)->environment == std::map<std::string, std::string>{{"A", "b"}});
  CHECK(server_in(claude, mended, mine)->is_disabled);
  const std::string raw =
      R"({"mcpServers": {"terminally": {"command": "/new/terminally-mcp", "args": ["--view=raw"]}}})";
  const std::string raw_as_agent =
      R"({"mcpServers": {"terminally": {"command": "/new/terminally-mcp", "args": ["--agent", "--view=raw"]}}})";
  CHECK(with_entry(claude, raw, mine, false) == raw_as_agent);
  CHECK(with_entry(claude, raw_as_agent, mine, false) == raw_as_agent);
  const std::string earlier =
      R"({"mcpServers": {"terminally": {"command": "/new/terminally-mcp", "args": ["--view", "rendered", "--hosts", "h"]}}})";
  const std::string today =
      R"({"mcpServers": {"terminally": {"command": "/new/terminally-mcp", "args": ["--agent", "--hosts", "h"]}}})";
  CHECK(with_entry(claude, earlier, mine, false) == today);
}

TEST_CASE("setup: an entry that is somebody else's is neither mended nor taken away") {
  const std::string mine = "/opt/terminally-mcp";
  const auto foreign = [&](const McpClient& client, const std::string& text) {
    CAPTURE(text);
    CHECK_THROWS_AS(static_cast<void>(with_entry(client, text, mine, false)), Error);
    CHECK_THROWS_AS(static_cast<void>(without_entry(client, text, mine)), Error);
    const auto server = server_in(client, text, mine);
    CHECK((!server || !server->not_ours.empty()));
  };
  for (const char* entry :
       {R"("/opt/terminally-mcp")", R"({})", R"({"url": "https://x"})",
        R"({"command": "/opt/terminally-mcp", "httpUrl": "https://x"})",
        R"({"type": "http", "command": "/opt/terminally-mcp"})",
        R"({"command": "ssh", "args": ["build1", "/opt/terminally-mcp"]})",
        R"({"command": "env", "args": ["A=b", "/opt/terminally-mcp"]})",
        R"({"command": "/opt/terminally-mcp --view raw"})", R"({"command": {"path": "/opt/terminally-mcp"}})",
        R"({"command": "/opt/terminally-mcp", "args": ["--port", 80]})",
        R"({"command": ["/opt/terminally-mcp", 7]})", R"({"disabled": true})"}) {
    foreign(client_named("claude"), std::string(R"({"mcpServers": {"terminally": )") + entry + "}}");
    foreign(client_named("opencode"), std::string(R"({"mcp": {"terminally": )") + entry + "}}");
  }
  const McpClient& codex = client_named("codex");
  const std::string table = "[mcp_servers.terminally]\n";
  for (const std::string& text : {
           table + "url = \"https://x\"\n",
           table + "command = 'ssh'\nargs = ['build1', 'terminally-mcp']\n",
           table + "command = '''/opt/terminally-mcp'''\n",
           table + "command = \"/opt/terminally-mcp\"\nargs = ['''--x''']\n",
           table + "command = \"/opt/terminally-mcp\"\nargs = [\"\\U0001F600\"]\n",
           std::string("[mcp_servers]\nterminally = { command = \"/opt/terminally-mcp\" }\n"),
       }) {
    foreign(codex, text);
  }
  const std::string array = "[[mcp_servers.terminally]]\ncommand = \"/opt/terminally-mcp\"\n";
  CHECK_THROWS_AS(static_cast<void>(with_entry(codex, array, mine, false)), Error);
  CHECK_THROWS_AS(static_cast<void>(without_entry(codex, array, mine)), Error);
  const std::string literal =
      table + "command = '/old/terminally-mcp'\nargs = ['--agent', '--view', 'raw']\n";
  CHECK(with_entry(codex, literal, mine, false) ==
        table + "command = \"/opt/terminally-mcp\"\nargs = ['--agent', '--view', 'raw']\n");
  CHECK(without_entry(codex, literal, mine) == std::nullopt);
}

TEST_CASE("setup: what npx has put into its cache is started by npx") {
  using Words = std::vector<std::string>;
  const std::string cached = "/home/ann/.npm/_npx/1a2b/node_modules/terminally-mcp/terminally-mcp-x64";
  const std::string installed = "/opt/terminally-mcp";
  for (const McpClient& client : all_clients()) {
    CAPTURE(client.name);
    const std::string made = with_entry(client, std::nullopt, cached, false);
    CAPTURE(made);
    CHECK(server_in(client, made, cached)->argv == Words{"npx", "-y", "terminally-mcp", "--agent"});
    CHECK(server_in(client, made, installed)->not_ours.empty());
    CHECK(with_entry(client, made, cached, false) == made);
    CHECK(without_entry(client, made, installed) == std::nullopt);
    const std::string native = with_entry(client, made, installed, false);
    CHECK(server_in(client, native, installed)->argv == Words{installed, "--agent"});
    CHECK(with_entry(client, native, cached, false) == made);
  }
  const McpClient& claude = client_named("claude");
  const auto entry = [](const std::string& args) {
    return R"({"mcpServers": {"terminally": {"command": "/usr/bin/npx", "args": [)" + args + "]}}}";
  };
  const std::string pinned = entry(R"("-y", "terminally-mcp@0.1", "--agent", "--view=raw")");
  CHECK(server_in(claude, with_entry(claude, pinned, cached, false), cached)->argv ==
        Words{"/usr/bin/npx", "-y", "terminally-mcp@0.1", "--agent", "--view=raw"});
  for (const char* args : {R"("-y", "another-mcp")", R"("-y")", R"("terminally-mcp-page", "terminally-mcp")",
                           R"("-p", "terminally-mcp", "terminally-mcp")", R"("-c", "terminally-mcp")"}) {
    CHECK(server_in(claude, entry(args), cached)->not_ours == "it starts /usr/bin/npx");
  }
}

TEST_CASE("setup: what stands in a comment is no entry") {
  const McpClient& claude = client_named("claude");
  const std::string mine = "/opt/terminally-mcp";
  const std::string text = "{\n  // \"mcpServers\": {\"terminally\": {\"url\": \"x\"}}\n}\n";
  CHECK(without_entry(claude, text, mine) == text);
  CHECK(without_entry(claude, with_entry(claude, text, mine, false), mine) == text);
}

TEST_CASE("setup: advice for agents comes and goes as a block") {
  for (const ConfigText& file :
       std::vector<ConfigText>{std::nullopt, "", "# Mine", "# Mine\n", "# Mine\r\n\r\n"}) {
    CAPTURE(file.value_or("no file"));
    const std::string with = with_advice(file);
    CHECK(with.find("`execute_command`") != std::string::npos);
    CHECK(with_advice(with) == with);
    CHECK(without_advice(with) == file);
    CHECK(without_advice(file) == file);
  }
  const std::string older = "a\n<!-- terminally-mcp: begin -->\nold\n<!-- terminally-mcp: end -->\nb\n";
  CHECK(with_advice(older).find("old") == std::string::npos);
  CHECK(with_advice(older).ends_with("end -->\nb\n"));
  CHECK(without_advice(older) == "a\nb\n");
  // Somebody has deleted the last line of the first block: what stands behind it is theirs.
  const std::string cut = "<!-- terminally-mcp: begin -->\nmine\n";
  const std::string added = with_advice(cut);
  CHECK(with_advice(added) == added);
  CHECK(without_advice(added) == cut);
  const std::string stray = "<!-- terminally-mcp: end -->\nmine\n";
  CHECK(without_advice(with_advice(stray)) == stray);
}

}  // namespace terminally
