#include "secrets/secrets.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/digests.hpp"
#include "mcp/failures.hpp"
#include "secrets/text_guard.hpp"
#include "secrets_samples.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

std::shared_ptr<Secrets> all_secrets() {
  auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("KNOWN", "correct horse battery staple"));
  REQUIRE(secrets->add("MULTI", "first line of it\nshort\nsecond line of it\n"));
  return secrets;
}

std::string masked(const std::shared_ptr<Secrets>& secrets, std::string_view text) {
  return TextGuard(secrets).masked(text);
}

std::string expected(const Sample& sample) {
  return sample.before + "\xC2\xABredacted:" + sample.kind + "\xC2\xBB" + sample.after;
}

}  // namespace

TEST_CASE("A11 secrets: each form is masked, and nothing around it") {
  const auto secrets = all_secrets();
  std::set<std::string> kinds;
  for (const Sample& sample : secret_samples()) {
    CHECK(masked(secrets, sample.text()) == expected(sample));
    kinds.insert(sample.kind);
  }
  CHECK(kinds.size() == SecretRules::kCount + 1);
}

TEST_CASE("A11 secrets: one that stands behind an escape is masked, and no letters of a longer word are") {
  const auto secrets = all_secrets();
  const auto is_lone_word = [](const Sample& sample) {
    return sample.before.empty() && sample.kind != "private-key" && sample.kind != "env-assign" &&
           sample.kind != "KNOWN";
  };
  std::size_t tried = 0;
  for (const Sample& sample : secret_samples()) {
    if (!is_lone_word(sample)) {
      continue;
    }
    ++tried;
    for (const std::string before :
         {"file:///a%20b%01", "%C3%A9", "%c3%a9", R"("a\n)", R"("a\t)", R"(\x1b)", R"(\u001b)"}) {
      CHECK(masked(secrets, before + sample.text()) == before + expected(sample));
    }
  }
  CHECK(tried > 5);
  const std::string token = "ghp_" + repeated("aB3dE6gH9jK2", 36);
  for (const std::string before : {"x", "9", "A9", "%A", "%2", "%G1", R"(\q)", R"(\x1)", "_"}) {
    CHECK(masked(secrets, before + token) == before + token);
  }
}

TEST_CASE("A11 secrets: masking twice changes nothing, in any order of samples") {
  const auto secrets = all_secrets();
  const std::vector<Sample> samples = secret_samples();
  for (const Sample& a : samples) {
    for (const Sample& b : samples) {
      const std::string once = masked(secrets, a.text() + b.text());
      CHECK(masked(secrets, once) == once);
    }
  }
}

TEST_CASE("A11 secrets: a private key ends at its END, before what is no key, or after 200 lines") {
  const auto secrets = all_secrets();
  const std::string begin = "-----BEGIN PRIVATE KEY-----\n";
  const std::string line = repeated("MIIEvQIBADANBg", 64) + "\n";
  const std::string mask = "\xC2\xABredacted:private-key\xC2\xBB";
  CHECK(masked(secrets, begin + line + "$ ls -l here\nfile\n") == mask + "\n$ ls -l here\nfile\n");
  std::string numbered = "     1\t" + begin;
  for (int i = 2; i < 20; ++i) {
    numbered += "     " + std::to_string(i) + "\t" + line;
  }
  CHECK(masked(secrets, numbered + "    20\t-----END PRIVATE KEY-----\nend\n") ==
        "     1\t" + mask + "\nend\n");
  std::string endless = begin;
  for (int i = 0; i < 300; ++i) {
    endless += line;
  }
  CHECK(masked(secrets, endless) == mask + "\n" + endless.substr(begin.size() + line.size() * 199));
  CHECK(masked(secrets, "{\"key\": \"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n\"}") ==
        "{\"key\": \"" + mask + "\\n\"}");
}

TEST_CASE("C11: a key without an END ends before the first line that can be none of its lines") {
  const auto secrets = all_secrets();
  const std::string begin = "-----BEGIN RSA PRIVATE KEY-----\n";
  const std::string line = repeated("MIIEvQIBADANBg", 64) + "\n";
  const std::string mask = "\xC2\xABredacted:private-key\xC2\xBB\n";
  for (const auto& [key, rest] : std::vector<std::pair<std::string, std::string>>{
           {"", "ok 1\nPASS\nok 3\n"},
           {"", "PASS\nFAIL\n"},
           {"", "test/unit/a_test.cpp:12: passed\n"},
           {"", "Error: a key is wanted\n"},
           {"", "........\n........\n"},
           {"\n", "text\n"},
           {line + line, "done.\n\nmore\n"},
           {line + line + "QUJD\n", "PASS\n"},  // one short line ends a key
           {line + "QUI=\n", "12 tests\n"},
           {"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n" + line, "Proc-Type: 4\n"},
           {line + "=AbCd\n", "ok\n"},
           {"    2\t" + line + "    3\t" + line + "    4\tQUI=\n", "    5\ttext here\n"}}) {
    CAPTURE(key);
    CAPTURE(rest);
    CHECK(masked(secrets, begin + key + rest) == mask + rest);
    CHECK(masked(secrets, "x\r\n" + begin + key + rest) == "x\r\n" + mask + rest);
  }
  TextGuard guard(secrets);
  CHECK(guard.masked(begin + line + line + "PASS ok\n") == mask + "PASS ok\n");
  CHECK(guard.note().find("private-key 1 (3 lines)") != std::string::npos);
  // What is printed on may still be one of its lines.
  for (const char* open : {"", "MII", "-----E", "Proc-Ty", "DEK-Info: AES"}) {
    bool in_key = false;
    static_cast<void>(secrets->find(begin + open, true, in_key));
    CHECK(in_key);
  }
  bool in_key = false;
  static_cast<void>(secrets->find(begin + "a word", true, in_key));
  CHECK_FALSE(in_key);
}

TEST_CASE("A11 secrets: ordinary text stays as it is") {
  const auto secrets = all_secrets();
  constexpr const char* kImage =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+"
      "M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==\n";
  for (const char* text : {
           "def f(user, password):\n    return f\"postgres://{user}:{password}@{host}/db\"\n",
           "DATABASE_URL = 'mysql://$USER:$PASS@localhost/x'\n",
           "commit 9fceb02d0ae598e95dc970b74767f19372d61af8\n",
           "API_KEY = os.environ[\"API_KEY\"]\n",
           "export GITHUB_TOKEN=$(gh auth token)\n",
           "MY_TOKEN=${OTHER_TOKEN}\n",
           kImage,
           "task-list mask-file disk-usage-of-the-whole-file-system\n",
           "http://localhost:8080/index.html?a=b@c\n",
           "ssh://git@example.com:22/repo.git\n",
           "token = next(tokens)\nsecret_santa = 1\nkey=value\n",
           "the authorization: none, bearer of bad news\n",
           "eyJ is how a JWT begins\n",
           "npm_config_loglevel=verbose npm_package_name=x\n",
           "if (strncmp(p, \"AKIA\", 4) == 0) return;\n",
           "exit code 1, 4096 bytes left out: stream_logs_from_tab from_byte 123456 to 234567\n",
       }) {
    CHECK(masked(secrets, text) == text);
  }
}

TEST_CASE("A11 secrets: known values, their lines, and how others write them") {
  Secrets secrets(Secrets::Options{.rules = false});
  CHECK_FALSE(secrets.add("SHORT", "1234567"));
  CHECK(secrets.add("PASS", "p@ss \"w\\rd/\xC3\xA4"));
  CHECK(secrets.add("PEM", "line one of it\r\nabc\r\nline two of it\r\n"));
  const auto shared = std::make_shared<Secrets>(std::move(secrets));
  const std::string mask = "\xC2\xABredacted:PASS\xC2\xBB";
  CHECK(masked(shared, "p@ss \"w\\rd/\xC3\xA4") == mask);
  CHECK(masked(shared, "{\"a\":\"p@ss \\\"w\\\\rd/\xC3\xA4\"}") == "{\"a\":\"" + mask + "\"}");
  CHECK(masked(shared, "?p=p%40ss%20%22w%5Crd%2F%C3%A4&") == "?p=" + mask + "&");
  CHECK(masked(shared, "?p=p%40ss%20%22w%5crd%2f%c3%a4&") == "?p=" + mask + "&");
  for (const std::string before : {"", "u", "us", "use", "user:", "user:x"}) {
    for (const std::string after : {"", "1", "22", "333"}) {
      const std::string base64 = encode_base64(before + "p@ss \"w\\rd/\xC3\xA4" + after);
      const std::string out = masked(shared, base64);
      CHECK_MESSAGE(out.find(mask) != std::string::npos, base64);
      CHECK(out.size() <= mask.size() + base64.size() - 16);
    }
  }
  CHECK(masked(shared, "x line two of it y") == "x \xC2\xABredacted:PEM\xC2\xBB y");
  CHECK(masked(shared, "abc") == "abc");
}

TEST_CASE("A11 secrets: off, rules, all") {
  const auto off = std::make_shared<Secrets>(Secrets::Options{.rules = false, .values = false});
  CHECK_FALSE(off->add("KNOWN", "correct horse battery staple"));
  CHECK_FALSE(off->any());
  const auto rules = std::make_shared<Secrets>(Secrets::Options{.rules = true, .values = false});
  CHECK_FALSE(rules->add("KNOWN", "correct horse battery staple"));
  CHECK(rules->any());
}

TEST_CASE("A11 text guard: counts, and a part of a line") {
  TextGuard guard(all_secrets());
  CHECK(guard.note().empty());
  const std::string secret = "ghp_" + repeated("aB3dE6gH9jK2", 36);
  CHECK(guard.masked_part("a " + secret + " b", 4, 12) == "\xC2\xABredacted:github\xC2\xBB");
  CHECK(guard.note() == "1 secret masked: github 1 (the terminal's log keeps it)");
  CHECK(guard.masked_unfinished("a\nb sk-abc") == "a\nb \xC2\xABredacted:anthropic-openai\xC2\xBB");
  CHECK(guard.text("correct horse battery staple\x1b[1m") ==
        "\xC2\xABredacted:KNOWN\xC2\xBB\xE2\x9F\xA8U+001B\xE2\x9F\xA9[1m");
  CHECK(guard.note() ==
        "3 secrets masked: github 1, anthropic-openai 1, KNOWN 1 (the terminal's log keeps them)");
}

TEST_CASE("D14: a named value is masked whatever an encoder made of it") {
  Secrets secrets({.rules = false, .values = true});
  REQUIRE(secrets.add("KEY", "pa/ss&w\"or'd \\ \xC3\xA9+1234"));
  for (const std::string_view written : {
           "pa/ss%26w%22or%27d%20%5C%20%C3%A9%2B1234",      // Python's quote
           "pa%2Fss%26w%22or'd%20%5C%20%C3%A9%2B1234",      // encodeURIComponent
           "pa%2fss%26w%22or%27d%20%5c%20%c3%a9%2b1234",    // lower case
           "pa/ss\\u0026w\\\"or'd \\\\ \xC3\xA9+1234",      // Go's JSON
           "pa\\/ss&w\\\"or'd \\\\ \\u00e9+1234",           // PHP's
           "pa/ss&w\"or'\\''d \\ \xC3\xA9+1234",            // a shell's
           "pa/ss&w\"or'\"'\"'d \\ \xC3\xA9+1234",          // shlex.quote
           "pa/ss\\&w\\\"or\\'d\\ \\\\\\ \xC3\xA9+1234",    // printf %q
           "pa/ss&w\\\"or'd \\\\ \\303\\251+1234",          // C
           "pa/ss&w\\x22or\\x27d \\x5c \\xc3\\xa9+1234",    //
           "70612f73732677226f722764205c20c3a92b31323334",  // xxd -p
           "70612F73732677226F722764205c20C3A92b31323334",  // mixed
           "70:61:2f:73:73:26:77:22:6f:72:27:64:20:5c:20:c3:a9:2b:31:32:33:34",
           ("70, 0x61, 0x2F, 0x73, 0x73, 0x26, 0x77, 0x22, 0x6f, 0x72, 0x27, 0x64, 0x20, 0x5c, 0x20, "
            "0xc3, 0xa9, 0x2b, 0x31, 0x32, 0x33, 0x34"),
           "pa/ss&amp;w&quot;or&#x27;d \\ \xC3\xA9+1234",                 // html.escape
           "pa/ss%26w%22or%27d%20%5C%20%E9+1234",                         // escape of JavaScript
           "pa/ss%2526w%2522or%2527d%2520%255C%2520%25C3%25A9%252B1234",  // twice
           "pa/ss\\u0026w\\\"or'd \\\\ \\u00E9+1234",                     // JSON in JSON
       }) {
    CAPTURE(written);
    const std::string text = "before " + std::string(written) + " after";
    const auto spans = secrets.find(text);
    REQUIRE(spans.size() == 1);
    CHECK(spans[0].begin == 7);
    CHECK(spans[0].end == 7 + written.size());
    for (std::size_t cut = 4; cut < written.size(); ++cut) {  // wherever a stream is cut, it is held back
      CHECK(secrets.unfinished(text.substr(0, 7 + cut), true).begin <= 7);
    }
  }
}

TEST_CASE(
    "D14: base64 of a named value is masked wherever it begins in a group of three, in both alphabets") {
  Secrets secrets({.rules = false, .values = true});
  const std::string value = "~?>pa/ss~?>w\"or'd~?>1234";
  REQUIRE(secrets.add("KEY", value));
  for (const std::string before : {"", "a", "ab"}) {
    for (const bool url_safe : {false, true}) {
      std::string written = encode_base64(before + value);
      if (url_safe) {
        std::ranges::replace(written, '+', '-');
        std::ranges::replace(written, '/', '_');
      }
      CAPTURE(written);
      const auto spans = secrets.find("x=" + written);
      REQUIRE(spans.size() == 1);
      CHECK(spans[0].end - spans[0].begin + 2 >= 8 * value.size() / 6);
    }
  }
}

TEST_CASE("D14: a named value that is wrapped into lines is masked in each of them") {
  auto secrets = std::make_shared<Secrets>(Secrets::Options{.rules = false, .values = true});
  const std::string value = "pa/ss&w\"or'd \\ 1234 of forty characters";
  REQUIRE(secrets->add("KEY", value));
  const std::string mask = "\xC2\xABredacted:KEY\xC2\xBB";
  const std::string base64 = encode_base64(value);
  for (const std::string& written : {value, base64, std::string("70612f73732677226f722764205c")}) {
    for (const std::string newline : {"\n", "\n    ", "\n\n"}) {
      const bool is_hex = written.starts_with("70");
      const std::string rest = is_hex ? "2031323334206f6620666f7274792063686172616374657273" : "";
      for (std::size_t cut = 1; cut < written.size(); ++cut) {
        std::string text = "x=" + written.substr(0, cut);
        text.append(newline).append(written, cut).append(rest).append(" after\n");
        CAPTURE(text);
        const std::string seen = masked(secrets, text);
        CHECK(seen.starts_with("x=" + mask + "\n"));
        CHECK(seen.ends_with(" after\n"));
        CHECK(std::ranges::count(seen, '\n') == std::ranges::count(text, '\n'));
      }
    }
  }
}

TEST_CASE("D15: what was cut within a secret is masked up to the cut") {
  auto secrets = std::make_shared<Secrets>(Secrets::Options{.rules = false, .values = true});
  REQUIRE(secrets->add("KEY", "correct horse battery staple"));
  TextGuard guard(secrets);
  CHECK(guard.text("busy with \"login correct horse battery\xE2\x80\xA6\" (1234)").find("horse") ==
        std::string::npos);
  CHECK(guard.text("login cor\xE2\x80\xA6") == "login cor\xE2\x80\xA6");
}

TEST_CASE("D15: what is echoed is masked and then cut, wherever a secret stands in it") {
  auto secrets = std::make_shared<Secrets>(Secrets::Options{.rules = false, .values = true});
  REQUIRE(secrets->add("KEY", "correct horse battery staple"));
  TextGuard guard(secrets);
  for (std::size_t before = 960; before < 1'010; ++before) {
    const std::string text = std::string(before, 'x') + "correct horse battery staple, and more";
    const std::string shown = echoed(text, &guard);
    CHECK(shown.size() <= 1'000 + std::string_view("…").size());
    CHECK(shown.find("co", before) == std::string::npos);
  }
}
