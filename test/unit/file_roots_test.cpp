#include "files/file_roots.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "config_in.hpp"
#include "files/file_uri.hpp"
#include "files/project.hpp"
#include "instance/instance.hpp"
#include "temp_files.hpp"

using namespace terminally;
using terminally::test::TempDir;
namespace fs = std::filesystem;

namespace {

std::string refusal_of(const FileRoots& roots, const std::string& path) {
  try {
    static_cast<void>(roots.find(path));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid_argument);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A6: a path is found in the directory that it is below, as it was named or as it really is") {
  const TempDir dir;
  const fs::path real = fs::canonical(dir.path());
  fs::create_directories(real / "one" / "inner");
  fs::create_directories(real / "two");
  fs::create_directory_symlink(real / "one", real / "link");
  const FileRoots roots = FileRoots::of({real / "link", real / "two", real / "one" / "inner"});
  CHECK(roots.find("a//b/./c").path == "a/b/c");
  CHECK(roots.find("a").absolute == (real / "link" / "a").string());
  CHECK(roots.find(".").path.empty());
  CHECK(roots.find((real / "link" / "x").string()).path == "x");
  CHECK(roots.find((real / "one" / "x").string()).path == "x");
  CHECK(roots.find((real / "two").string() + "/").path.empty());
  CHECK(roots.find((real / "one" / "inner" / "x").string()).path == "x");  // the nearest of them
  CHECK(roots.find("../two/x").path == "../two/x");  // of the first one; the system refuses it
  CHECK(roots.find(file_uri((real / "two" / "\xff").string())).path == "\xff");
  const std::string outside = (real / "twofold" / "x").string();
  CHECK(refusal_of(roots, outside).find("\"" + outside + "\" is outside the allowed roots") !=
        std::string::npos);
  CHECK(refusal_of(roots, "/etc/passwd").find("--file-root") != std::string::npos);
  CHECK(refusal_of(roots, "/").find("path: ") == 0);
  CHECK(refusal_of(roots, "file://elsewhere/x").find("no valid file URI") != std::string::npos);
}

TEST_CASE("A6: below / is everything") {
  const FileRoots roots = FileRoots::of({"/"});
  CHECK(roots.find("/etc/passwd").path == "etc/passwd");
  CHECK(roots.find("/").path.empty());
}

TEST_CASE(
    "A6: the project is the git root, else the directory, and nothing that has the home directory in it") {
  const TempDir dir;
  const fs::path base = fs::canonical(dir.path());
  const fs::path home = base / "home";
  fs::create_directories(home / "work" / "src" / "deep");
  fs::create_directories(home / "plain");
  std::ofstream(home / "work" / ".git") << "gitdir: elsewhere\n";  // as a worktree has it
  CHECK(project_of(home / "work" / "src" / "deep", home) == home / "work");
  CHECK(project_of(home / "plain", home) == home / "plain");
  CHECK(project_of(home, home).empty());
  CHECK(project_of(base, home).empty());
  CHECK(project_of("/", home).empty());
  CHECK(project_of("/", "").empty());
  fs::create_directory(home / ".git");
  CHECK(project_of(home / "plain", home) == home / "plain");  // below a home that is a checkout
  CHECK(project_of(home, home).empty());
  CHECK(project_of(home / "work", home) == home / "work");
  fs::create_directory_symlink(home, base / "link");
  CHECK(project_of(base / "link", home).empty());
  if (::geteuid() == 0) {  // who else makes a file a stranger's
    const fs::path theirs = base / "theirs" / ".git";
    fs::create_directories(theirs);
    fs::create_directory(base / "theirs" / "deep");
    REQUIRE(::chown(theirs.c_str(), 65534, 65534) == 0);
    CHECK(project_of(base / "theirs" / "deep", home) == base / "theirs" / "deep");
  }
  const FileRoots none = FileRoots::of_project(home, home);
  CHECK(refusal_of(none, "x").find("--file-root DIR") != std::string::npos);
}

TEST_CASE("A6: a path of any bytes as a file URI, and back") {
  std::string every = "/";
  for (int byte = 1; byte < 256; ++byte) {
    every += static_cast<char>(byte);
  }
  const std::string uri = file_uri(every);
  CHECK(path_of_file_uri(uri) == every);
  for (const char c : uri) {
    CHECK((c > ' ' && c < '\x7f'));
  }
  CHECK(path_of_file_uri("file://localhost/a%20b") == "/a b");
  CHECK(path_of_file_uri("file:///a%c3%A4") == "/a\xc3\xa4");
  for (const char* bad : {"file:///a%", "file:///a%2", "file:///a%zz", "file:///a%00b", "file://host/a",
                          "file://", "/a", "file:///%+1", "file:///% 1"}) {
    CAPTURE(bad);
    CHECK_FALSE(path_of_file_uri(bad));
  }
}

TEST_CASE("A6: each project has an instance of its own, whose name is one") {
  CHECK(instance_of_project("/a/shop").starts_with("shop-"));
  CHECK(instance_of_project("/a/shop") != instance_of_project("/b/shop"));
  const Config config = terminally::test::config_in("/tmp");
  for (const std::string& name :
       {std::string(".x"), std::string("--"), std::string("\u00fc"), std::string(200, 'a')}) {
    CHECK_NOTHROW(static_cast<void>(Instance(config, instance_of_project("/a/" + name))));
  }
}
