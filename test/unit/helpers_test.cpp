// The helpers that a program has inside: unpacked once, and again where they are not what they were.
#include "instance/helpers.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "places.hpp"
#include "temp_files.hpp"

using namespace terminally;
using terminally::test::content_of;
using terminally::test::TempDir;

namespace {

namespace fs = std::filesystem;

const std::string kLogBytes = "#!/bin/sh\necho log" + std::string(100'000, '\n');
const std::string kShellBytes = std::string("#!/bin/sh\necho shell\n") + '\0' + "\n";

unsigned mode_of(const fs::path& path) {
  struct stat info{};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info.st_mode & 07777U;
}

ino_t number_of(const fs::path& path) {
  struct stat info{};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info.st_ino;
}

struct Packed {
  Packed() {
    config.state_root = directory / "state";
    config.packed_helpers = {"0123456789abcdef", programs};
    config.helper_dir = unpacked_helpers(config.state_root, config.packed_helpers);
  }
  [[nodiscard]] fs::path log() const { return config.helper_dir / "terminally-log"; }
  [[nodiscard]] bool is_whole() const {
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(config.helper_dir)) {
      ++files;
    }
    return files == 2 && content_of(log()) == kLogBytes &&
           content_of(config.helper_dir / "terminally-shell") == kShellBytes && mode_of(log()) == 0700U;
  }

  TempDir directory;
  std::vector<PackedHelper> programs = {{"terminally-log", kLogBytes}, {"terminally-shell", kShellBytes}};
  Config config;
};

}  // namespace

TEST_CASE("helpers: unpacked into a private directory of their content, which no instance can be called") {
  const Packed packed;
  CHECK(packed.config.helper_dir == packed.directory / "state" / ".helpers" / "0123456789abcdef");
  CHECK(trouble_with_helpers(packed.config).empty());
  CHECK(packed.is_whole());
  CHECK(mode_of(packed.config.helper_dir) == 0700U);
  CHECK(mode_of(packed.config.helper_dir.parent_path()) == 0700U);
}

TEST_CASE("helpers: those that are intact are left as they are, each version beside the others") {
  Packed packed;
  REQUIRE(trouble_with_helpers(packed.config).empty());
  const ino_t before = number_of(packed.log());
  CHECK(trouble_with_helpers(packed.config).empty());
  CHECK(number_of(packed.log()) == before);
  const fs::path first = packed.log();
  packed.config.packed_helpers.hash = "fedcba9876543210";
  packed.config.helper_dir = unpacked_helpers(packed.config.state_root, packed.config.packed_helpers);
  CHECK(trouble_with_helpers(packed.config).empty());
  CHECK(packed.is_whole());
  CHECK(number_of(first) == before);
}

TEST_CASE("helpers: what is not what was unpacked is put in its place anew, and what runs stays") {
  const Packed packed;
  REQUIRE(trouble_with_helpers(packed.config).empty());
  const std::vector<std::pair<const char*, void (*)(const fs::path&)>> harms = {
      {"a byte", [](const fs::path& path) { test::append_to(path, "x"); }},
      {"cut", [](const fs::path& path) { fs::resize_file(path, 1'000); }},
      {"another byte, the same size",
       [](const fs::path& path) {
         std::string bytes = content_of(path);
         bytes[90'000] = 'x';
         fs::resize_file(path, 0);
         test::append_to(path, bytes);
       }},
      {"gone", [](const fs::path& path) { fs::remove(path); }},
      {"no program", [](const fs::path& path) { ::chmod(path.c_str(), 0600); }},
      {"anybody's", [](const fs::path& path) { ::chmod(path.c_str(), 0777); }},
      {"a link to another", [](const fs::path& path) {
         fs::remove(path);
         fs::create_symlink("/bin/sh", path);
       }}};
  for (const auto& [what, harm] : harms) {
    CAPTURE(what);
    const fs::path runs = packed.directory / "runs";  // as a process has it, whatever its name comes to mean
    fs::create_hard_link(packed.log(), runs);
    harm(packed.log());
    const std::string harmed = content_of(runs);
    CHECK(trouble_with_helpers(packed.config).empty());
    CHECK(packed.is_whole());
    CHECK(number_of(packed.log()) != number_of(runs));
    CHECK(content_of(runs) == harmed);
    fs::remove(runs);
  }
}

TEST_CASE("helpers: a place that others can write to, or that is none, is refused and named") {
  const Packed packed;
  REQUIRE(trouble_with_helpers(packed.config).empty());
  ::chmod(packed.config.helper_dir.c_str(), 0777);
  CHECK(trouble_with_helpers(packed.config).find("can be written by others") != std::string::npos);
  fs::remove_all(packed.config.helper_dir.parent_path());
  fs::create_directory(packed.directory / "elsewhere");
  fs::create_symlink(packed.directory / "elsewhere", packed.config.helper_dir.parent_path());
  const std::string trouble = trouble_with_helpers(packed.config);
  CHECK(trouble.find("cannot be unpacked") != std::string::npos);
  CHECK(trouble.find("symbolic links are refused") != std::string::npos);
  CHECK(fs::is_empty(packed.directory / "elsewhere"));
}

TEST_CASE("helpers: where none are inside, those that were installed are used, and nothing is written") {
  Packed packed;
  packed.config.packed_helpers = {};
  CHECK(trouble_with_helpers(packed.config).find("is missing or no program") != std::string::npos);
  CHECK_FALSE(fs::exists(packed.config.state_root));
  packed.config.helper_dir = fs::path(test::kLogProgram).parent_path();
  CHECK(trouble_with_helpers(packed.config).empty());
}
