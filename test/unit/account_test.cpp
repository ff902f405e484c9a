#include "system/account.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace terminally;

TEST_CASE("account: the line of the user, wherever it is, and of nobody else") {
  const std::string text =
      "root:x:0:0:root:/root:/bin/bash\n"
      "\n"
      "1000:x:7:7:whose name is a number:/seven:/bin/7\n"
      "+::::::\n"
      "# 1000\n"
      "ann:x:1000:100:Ann, 1000:/home/ann:/bin/zsh\n"
      "ben:x:10001:100::/home/ben:\n"
      "short:x:5";
  const auto ann = account_in(text, 1000);
  REQUIRE(ann);
  CHECK(ann->home == "/home/ann");
  CHECK(ann->shell == "/bin/zsh");
  CHECK(account_in(text, 0)->home == "/root");
  CHECK(account_in(text, 10001)->shell.empty());
  const auto cut = account_in(text, 5);
  REQUIRE(cut);
  CHECK((cut->home + cut->shell).empty());
  CHECK_FALSE(account_in(text, 100));
  CHECK_FALSE(account_in(text, 1));
  CHECK_FALSE(account_in("", 0));
}
