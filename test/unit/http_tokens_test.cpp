#include "http/tokens.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <future>
#include <string>

#include "base/files.hpp"
#include "base/timeout.hpp"
#include "in_time.hpp"
#include "temp_files.hpp"

using namespace terminally;

TEST_CASE("http tokens: one for each role, made once, and replaced at once") {
  const test::TempDir directory;
  Tokens tokens(directory.path() / "state");
  CHECK_FALSE(tokens.bearer_of(""));
  CHECK_FALSE(tokens.bearer_of(std::string(64, '0')));
  const std::string view = tokens.token_of(Role::view);
  const std::string exec = tokens.token_of(Role::exec);
  CHECK(view.size() == 64);
  CHECK(view != exec);
  CHECK(tokens.token_of(Role::view) == view);
  struct stat status{};
  REQUIRE(::stat((directory.path() / "state" / ".token-exec").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600);

  Tokens other(directory.path() / "state");
  REQUIRE(other.bearer_of(exec));
  CHECK(other.bearer_of(exec)->role == Role::exec);
  CHECK(other.bearer_of(view)->role == Role::view);
  CHECK(other.bearer_of(view)->credential != other.bearer_of(exec)->credential);
  CHECK_FALSE(other.bearer_of(exec.substr(0, 63)));
  CHECK_FALSE(other.bearer_of(exec + "0"));
  CHECK_FALSE(other.bearer_of(""));

  const std::string before = other.bearer_of(exec)->credential;
  const std::string next = tokens.rotate(Role::exec);
  CHECK(next != exec);
  CHECK_FALSE(other.bearer_of(exec));
  REQUIRE(other.bearer_of(next));
  CHECK(other.bearer_of(next)->credential != before);
  CHECK(other.bearer_of(view));
  remove_file(directory.path() / "state" / ".token-view");
  CHECK_FALSE(other.bearer_of(view));
  write_file(directory.path() / "state" / ".token-view", "short\n");
  CHECK_FALSE(other.bearer_of("short"));
  CHECK(other.has(other.bearer_of(next)->credential));
  CHECK_FALSE(other.has(before));
  CHECK_FALSE(other.has(""));
}

TEST_CASE("http tokens: who asks for the first one while another makes it gets that one") {
  test::check_in_time([] {
    const test::TempDir directory;
    const auto begun = Clock::now();
    FileLock others = FileLock::try_lock(directory / ".token-exec.lock");
    REQUIRE(others);
    auto asks = std::async(std::launch::async,
                           [&directory] { return Tokens(directory.path()).token_of(Role::exec); });
    const bool waits = asks.wait_for(Milliseconds(200)) == std::future_status::timeout;
    const std::string made = Tokens(directory.path()).rotate(Role::exec);
    others.release();
    const std::string given = asks.get();
    if (Clock::now() - begun > Milliseconds(900)) {  // it is waited for a second
      return false;
    }
    CHECK(waits);
    CHECK(given == made);
    return true;
  });
}
