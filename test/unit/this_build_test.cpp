#include "system/this_build.hpp"

#include <doctest/doctest.h>
#include <sys/utsname.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "base/process.hpp"

using namespace terminally;

TEST_CASE("build: version, architecture and the linker's hash, in one line of three words") {
  const Build build = this_build();
  utsname machine{};
  REQUIRE(::uname(&machine) == 0);
  CHECK(build.architecture == machine.machine);
  CHECK(build.hash.size() == 16);
  CHECK(build.hash.find_first_not_of("0123456789abcdef") == std::string::npos);
  const auto program = std::filesystem::read_symlink("/proc/self/exe").string();
  const ProcessResult notes = run_and_wait({"readelf", "-n", program}, std::chrono::seconds(10));
  CHECK(notes.out.find("Build ID: " + build.hash) != std::string::npos);
  CHECK(text_of({"1.2.3", "riscv64", "00ff"}) == "1.2.3 riscv64 00ff");
}
