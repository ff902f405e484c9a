#include "toolkit/file_answers.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "event_loop.hpp"
#include "files/file_access.hpp"
#include "secrets/text_guard.hpp"

using namespace terminally;
using namespace terminally::test;

TEST_CASE("A6: modes are written and read as chmod has them") {
  CHECK(octal_mode(0) == "0000");
  CHECK(octal_mode(04755) == "4755");
  CHECK(mode_of("644") == 0644);
  CHECK(mode_of("0777") == 0777);
  CHECK(mode_of("0") == 0);
  for (const unsigned told : {0U, 0755U, 01777U, 02755U, 04755U, 07777U}) {
    CHECK(mode_of(octal_mode(told), 07777U) == told);  // as a host tells it
  }
  CHECK_THROWS_WITH_AS(static_cast<void>(mode_of("10000", 07777U)), doctest::Contains("to \"7777\""), Error);
  for (const char* bad : {"8", "0x1", "-1", "1777", "77777777777777777777", "u+x", " 644"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(static_cast<void>(mode_of(bad)), Error);
  }
}

TEST_CASE("A6: a name that cannot be given back as text needs a URI") {
  for (const char* plain : {"a", "with blank", "\xc3\xa4", "new\nline", "tab\there"}) {
    CHECK_FALSE(needs_uri(plain));
  }
  const std::string turned =
      std::string("turned \xe2\x80") + "\xae round";  // the mark itself, for no editor to turn
  for (const std::string& other :
       {std::string("\xff"), std::string("\x1b[31m"), turned, std::string("half \xc3")}) {
    CHECK(needs_uri(other));
  }
}

TEST_CASE("A6, A11: secrets and masks in a content are counted, and nothing is said of others") {
  boost::asio::io_context io;
  ToolContext context;
  context.files = std::make_shared<FileAccess>(FileRoots::all());
  const auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  context.default_view.guard = std::make_shared<TextGuard>(secrets);
  Clock::time_point by = Clock::now() + std::chrono::hours(1);
  const auto notes_on = [&](const std::string& content) {
    return run(io, notes_on_content(context, content, by));
  };
  const std::string token = "ghp_" + std::string(36, 'a');
  CHECK(notes_on("nothing").empty());
  CHECK(notes_on(std::string("\xff\0", 2)).empty());
  const auto secret = notes_on("x " + token + "\ny " + token + "\n");
  REQUIRE(secret.size() == 1);
  CHECK(secret[0].find("2 secrets (github 2), not masked") != std::string::npos);
  const auto mask = notes_on("x \u00ABredacted:github\u00BB");
  REQUIRE(mask.size() == 1);
  CHECK(mask[0].find("the content has 1 of \u00ABredacted:") != std::string::npos);
  context.default_view.guard = nullptr;
  CHECK(notes_on(token).empty());
  by = Clock::now() - Milliseconds(1);
  REQUIRE(notes_on(token).size() == 1);
  CHECK(notes_on(token)[0] == "there was no time to look for secrets in the content");
}
