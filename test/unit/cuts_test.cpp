// Texts are masked and then cut (D15), and are counted as they are sent (D12): outputs, lines that wait,
// names, errors.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "cut_secrets.hpp"
#include "log/output.hpp"
#include "log/unfinished_line.hpp"
#include "record/record.hpp"
#include "temp_files.hpp"
#include "tmux/wire/keys.hpp"
#include "toolkit/args.hpp"

namespace terminally {
namespace {

using test::CutSecrets;

/// A log on disk that has just these bytes.
struct LogOf {
  test::TempDir directory{test::in_memory()};
  PaneLog log{directory / "log"};

  explicit LogOf(const std::string& bytes) { test::append_to(log.path(), bytes); }
  [[nodiscard]] std::string output(const TextView& view, std::uint64_t most, std::uint64_t begin = 0) const {
    return bounded_text(log, {begin, log.end(), false, 0}, view, 120, most).text;
  }
};

}  // namespace

TEST_CASE("D15: of a secret at either end of an output no part is seen, in any view") {
  const CutSecrets secrets;
  std::string bytes;
  for (const std::size_t blanks : {0U, 1U, 2U}) {
    for (const std::string& secret : secrets.one_line) {
      bytes += secret + std::string(blanks, ' ');
    }
  }
  bytes += "\x1b[32m" + secrets.token.substr(0, 12) + "\x1b[1;31m" + secrets.token.substr(12) + "\x1b[m\r\n";
  const LogOf log(bytes + secrets.key() + secrets.value);
  CHECK(secrets.leak(bytes) != "");  // what looks for a leak sees one
  for (const TextView& view : secrets.views()) {
    CHECK(log.output(view, 10'000).find(secrets.token_mask) != std::string::npos);
    for (std::uint64_t most = 0; most < 300; most += 13) {
      CAPTURE(most);
      CHECK(secrets.leak(log.output(view, most)) == "");
      CHECK(secrets.leak(log.output(view, 10'000, most)) == "");  // it begins within one
    }
  }
}

TEST_CASE("D14: a named value is masked at whichever column a terminal wraps it") {
  const auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("KEY", "hunter2-and-seven-more"));
  const TextView view{.strip_ansi = true, .render = true, .guard = std::make_shared<TextGuard>(secrets)};
  for (std::size_t before = 99; before < 120; ++before) {
    CAPTURE(before);
    const LogOf log("\x1b[2J\x1b[H" + std::string(before, 'x') + "hunter2-\x1b[0mand-seven-more\r\n");
    std::string output = log.output(view, 1'000);
    std::erase(output, '\n');
    CHECK(output.find("hunter2") == std::string::npos);
    CHECK(output.find("even-more") == std::string::npos);
    CHECK(output.find("«redacted:KEY»") != std::string::npos);
  }
}

TEST_CASE("D15: of a line that waits the last 200 bytes are shown, and they were masked before") {
  const CutSecrets secrets;
  const auto guard = secrets.guard();
  const auto waits = [&](const std::string& bytes) {
    return unfinished_line(LogOf(bytes).log, 10'000, guard.get());
  };
  for (const std::string& secret : secrets.one_line) {
    for (std::size_t after = 145; after < 200; after += 3) {
      CAPTURE(after);
      const std::string line = waits("NAME: " + secret + " " + std::string(after, 'p') + "? ");
      CHECK(line.ends_with("p?"));
      CHECK(secrets.leak(line) == "");
    }
    for (std::size_t typed = 1; typed <= secret.size(); ++typed) {  // by a person, who goes on
      const LogOf half("type: " + secret.substr(0, typed));
      CHECK(secrets.leak(unfinished_line(half.log, 10'000, guard.get())) == "");
      for (const TextView& view : secrets.views()) {
        CHECK(secrets.leak(bounded_text(half.log, {0, half.log.end(), true, 0}, view, 120, 1'000).text) ==
              "");
      }
    }
  }
  CHECK(waits("for " + secrets.token + " type: ") == "for " + secrets.token_mask + " type:");
  const std::size_t fifth = secrets.key().find(secrets.key_lines[4]);
  for (const std::size_t typed : {1U, 5U, 15U, 40U}) {
    CHECK(waits(secrets.key().substr(0, fifth + typed)) == secrets.key_mask);
  }
  std::string hex;
  for (int i = 0; i < 600; ++i) {
    hex += "0123456789abcdef"[(i * 7 + i / 16) % 16];
  }
  // What made the rest of it a secret stands far before the last 200 bytes.
  CHECK(waits("DEPLOY_TOKEN=" + hex).find(hex.substr(560)) == std::string::npos);
}

TEST_CASE("D15: a command that was cut for its name, or for its record, shows no part of a secret") {
  const CutSecrets secrets;
  const auto guard = secrets.guard();
  for (const std::string& secret : secrets.one_line) {
    for (std::size_t at = 0; at < 45; ++at) {
      const std::string command = ": " + std::string(at, 'x') + " '" + secret + "'; sleep 1000";
      CHECK(secrets.leak(guard->text("tab @3 is busy with " + first_words(command) + " of client 1")) == "");
    }
    for (std::size_t left = 1; left < 45; left += 2) {
      CommandRecord record;
      record.id = "01234567";
      record.nonce = "0123456789abcdef0123456789abcdef";
      record.command = ": " + std::string(4'096 - 3 - left, 'x') + " " + secret;
      const auto kept = decode_record(encode_record(record));
      REQUIRE(kept);
      CHECK(secrets.leak(guard->text(kept->command)) == "");
      // Versions that kept no image cut without a word.
      auto old = nlohmann::json::parse(encode_record(record));
      old.erase("shell_image");
      old["command"] = record.command.substr(0, 4'096);
      const auto read = decode_record(old.dump());
      REQUIRE(read);
      CHECK(secrets.leak(guard->text(read->command)) == "");
    }
  }
}

TEST_CASE("D15: what an error quotes, and cuts, shows no part of a secret") {
  const CutSecrets secrets;
  const auto guard = secrets.guard();
  const auto said = [&](const auto& refused) -> std::string {
    try {
      refused();
    } catch (const Error& error) {
      return guard->text(error.what());
    }
    return "";
  };
  for (const std::string& secret : secrets.one_line) {
    for (std::size_t at = 30; at < 125; at += 3) {
      const std::string text = said([&] {
        const nlohmann::json arguments = {{"window_id", std::string(at, 'x') + " " + secret},
                                          {"timeout_ms", std::string(at, 'x') + " " + secret}};
        ArgsReader reader(arguments);
        WindowId tab;
        std::uint64_t timeout_ms = 0;
        reader.tab("window_id", tab, "");
        reader.integer("timeout_ms", Need::optional, timeout_ms, {1, 1'000}, "");
        reader.finish();
      });
      CHECK(text.find("is no tab id") != std::string::npos);
      CHECK(text.find("timeout_ms") != std::string::npos);
      CHECK(secrets.leak(text) == "");
    }
    for (const std::string& before : {std::string(), std::string("C-"), std::string("M-M-M-M-M-M-M-M-M-M-"),
                                      std::string("- - - - - - - - - - - - ")}) {
      const std::string text = said([&] { static_cast<void>(tmux_key(before + secret)); });
      CHECK(text.find("is no key") != std::string::npos);
      CHECK(secrets.leak(text) == "");
    }
  }
}

}  // namespace terminally
