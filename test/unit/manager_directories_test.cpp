// Where tabs begin and where commands run, through the manager.
#include <doctest/doctest.h>

#include <filesystem>

#include "manager_scene.hpp"

namespace terminally {
namespace {

using test::Failure;
using test::ManagerScene;

ExecuteCommand pwd_in(WindowId tab, const std::string& cwd) {
  ExecuteCommand request;
  request.window_id = tab;
  request.command = "pwd";
  request.cwd = cwd;
  request.timeout_ms = 10'000;
  return request;
}

std::string where(ManagerScene& scene, WindowId tab, const std::string& cwd = "") {
  return scene.run(scene.manager->commands().execute(pwd_in(tab, cwd))).output;
}

}  // namespace

TEST_CASE("manager directories: tabs begin in the project, and a relative path is one of it") {
  ManagerScene scene([](Config& config) { config.project = "/usr"; });
  CreateTab create;
  create.shell = "/bin/sh";
  CHECK(where(scene, scene.run(scene.manager->tabs().create(create)).window_id) == "/usr\n");
  create.cwd = "lib";
  const WindowId tab = scene.run(scene.manager->tabs().create(create)).window_id;
  CHECK(where(scene, tab) == "/usr/lib\n");
  CHECK(where(scene, tab, "bin/../share") == "/usr/share\n");
  CHECK(where(scene, tab) == "/usr/share\n");
}

TEST_CASE("manager directories: a cwd that is not there is an error that names it, and nothing is run") {
  ManagerScene scene;
  const WindowId tab = scene.open_tab();
  const std::string before = where(scene, tab);
  ExecuteCommand request = pwd_in(tab, "/nowhere/at all");
  request.command = "touch '" + (scene.directory / "ran").string() + "'";
  const Failure failure = scene.failure(scene.manager->commands().execute(request));
  CHECK(failure.code == ErrorCode::invalid_argument);
  CHECK(failure.says("cwd: \"/nowhere/at all\": No such file or directory; nothing was run"));
  CHECK(where(scene, tab) == before);
  CHECK_FALSE(std::filesystem::exists(scene.directory / "ran"));
  CHECK(
      scene.failure(scene.manager->commands().execute(pwd_in(tab, std::string("a\0b", 3)))).says("NUL byte"));
}

}  // namespace terminally
