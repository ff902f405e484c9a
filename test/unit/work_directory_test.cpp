#include "system/work_directory.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace terminally;

TEST_CASE("work directory: what is meant by a path") {
  const std::string project = "/usr";
  CHECK(meant_directory(project, "") == "/usr");
  CHECK(meant_directory(project, ".") == "/usr");
  CHECK(meant_directory(project, "a/../b") == "/usr/b");
  CHECK(meant_directory(project, "/x/y") == "/x/y");
  CHECK(meant_directory(project, "~/x") == std::string(std::getenv("HOME")) + "/x");
  // It was removed since.
  CHECK(first_directory("/nowhere/at/all") == std::string(std::getenv("HOME")));
}
