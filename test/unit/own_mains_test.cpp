// Which tab is `main` for which client of an instance.
#include "instance/own_mains.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "config_in.hpp"
#include "temp_files.hpp"

using namespace terminally;

namespace {

struct Place {
  test::TempDir directory;
  Config config = test::config_in(directory.path());
  Instance instance{config, "shared"};
};

}  // namespace

TEST_CASE("own mains: a tab's name after a client") {
  CHECK(tab_name_after("claude-code 2.1.0") == "claude-code");
  CHECK(tab_name_after("Visual Studio Code 1.99") == "visual-studio-code");
  CHECK(tab_name_after("codex") == "codex");
  CHECK(tab_name_after("agent 007") == "agent");
  CHECK(tab_name_after("codex-2") == "codex_2");  // "codex-2" is a helper of the client "codex"
  CHECK(tab_name_after("gpt-5-turbo") == "gpt-5-turbo");
  CHECK(tab_name_after("../../x; rm") == "x-rm");
  CHECK(tab_name_after("") == "agent");
  CHECK(tab_name_after("\u00fc") == "agent");
  CHECK(tab_name_after(std::string(200, 'a')).size() == 40);
}

TEST_CASE("own mains: the first has main, and each finds its own again, also after an update") {
  const Place of;
  {
    OwnMains one(of.instance);
    OwnMains other(of.instance);
    OwnMains again(of.instance);
    CHECK(one.name_for("claude 1.0") == "main");
    CHECK(one.name_for("claude 1.0") == "main");
    CHECK(other.name_for("codex 3") == "codex");
    CHECK(again.name_for("claude 1.0") == "claude");
    CHECK(one.who("claude 1.0") == "claude 1.0");
    CHECK(other.who("codex 3") == "codex 3");
    CHECK(again.who("claude 1.0") == "claude 1.0 (2)");
    OwnMains third(of.instance);
    CHECK(third.who("claude 1.0") == "claude 1.0 (3)");
    CHECK(third.name_for("claude 1.0") == "claude.2");
    CHECK(one.owner_of("main") == "claude");
    CHECK(other.known("codex 3") == "codex");
    CHECK_FALSE(other.known("claude 1.0"));
  }
  OwnMains codex(of.instance);
  CHECK(codex.name_for("codex 4") == "codex");
  codex.leave();
  OwnMains next(of.instance);
  CHECK(next.name_for("codex 4") == "codex");
  OwnMains first(of.instance);
  CHECK(first.name_for("claude 2.0") == "main");
  OwnMains second(of.instance);
  CHECK(second.name_for("claude 2.0") == "claude");
}

TEST_CASE("own mains: where there are no more names, the last one is shared, and not another client's") {
  const Place of;
  std::vector<std::unique_ptr<OwnMains>> servers;
  OwnMains first(of.instance);
  CHECK(first.name_for("claude") == "main");
  for (int number = 1; number <= 22; ++number) {
    servers.push_back(std::make_unique<OwnMains>(of.instance));
    const std::string last = "codex." + std::to_string(std::min(number, 20));
    CHECK(servers.back()->name_for("codex") == (number == 1 ? "codex" : last));
  }
}

TEST_CASE("own mains: in a directory of somebody's own nothing is made") {
  const Place of;
  std::filesystem::create_directories(of.instance.runtime());
  write_file(of.instance.runtime() / "20240101", "");
  OwnMains mains(of.instance);
  CHECK(mains.name_for("a") == "main");
  CHECK_FALSE(std::filesystem::exists(of.instance.runtime() / OwnMains::kMains));
}

TEST_CASE("own mains: who has no name is a client like another") {
  const Place of;
  OwnMains one(of.instance);
  OwnMains other(of.instance);
  CHECK(one.name_for("") == "main");
  CHECK(other.name_for("") == "agent");
}

TEST_CASE("own mains: one process may serve several clients") {
  const Place of;
  OwnMains mains(of.instance);
  CHECK(mains.name_for("a") == "main");
  CHECK(mains.name_for("b") == "b");
  CHECK(mains.name_for("a") == "main");
}

TEST_CASE("own mains: where no file can be made it is main, and nothing is left behind") {
  const Place of;
  {
    OwnMains mains(of.instance);
    CHECK(mains.name_for("a") == "main");
    mains.remove_directory();
    CHECK_FALSE(std::filesystem::exists(of.instance.runtime() / OwnMains::kMains));
    CHECK(mains.name_for("a") == "main");  // its file was removed: it is made again
    mains.remove_directory();
  }
  std::filesystem::create_directories(of.instance.runtime());
  write_file(of.instance.runtime() / OwnMains::kMains, "no directory");
  OwnMains mains(of.instance);
  CHECK(mains.name_for("a") == "main");
  CHECK(mains.name_for("b") == "main");
}
