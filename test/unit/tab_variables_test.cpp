// What tabs were opened with, as the children of a tmux server have it.
#include "tmux/wire/tab_variables.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/descriptors.hpp"
#include "system/proc.hpp"
#include "temp_files.hpp"

namespace terminally {
namespace {

/// A child of ours, which is called as a fork of tmux until it is told to become what it will be.
class ForkedChild {
 public:
  explicit ForkedChild(std::vector<std::string> environment) : environment_(std::move(environment)) {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const UniqueFd read(ends[0]);
    go_on_.reset(ends[1]);
    std::vector<char*> variables;
    variables.reserve(environment_.size() + 1);
    for (std::string& variable : environment_) {
      variables.push_back(variable.data());
    }
    variables.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_NAME, "tmux: forked");
      char told = 0;
      static_cast<void>(!::read(read.get(), &told, 1));
      ::execle("/bin/sleep", "sleep", "1000", nullptr, variables.data());
      ::_exit(1);
    }
    REQUIRE(test::eventually([this] { return name() == "tmux: forked"; }));
  }
  ~ForkedChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;

  void go_on() {
    REQUIRE(::write(go_on_.get(), "x", 1) == 1);
    REQUIRE(test::eventually([this] { return name() == "sleep"; }));
  }

 private:
  [[nodiscard]] std::string name() const {
    const auto process = process_info(pid_);
    return process ? process->name : "";
  }

  std::vector<std::string> environment_;
  UniqueFd go_on_;
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE(
    "tab variables: those with a value, under each name, once, when the process is what it will be (V1)") {
  const std::vector<std::string> names = {"UNIT_SET", "UNIT_CARRIED", "UNIT_EMPTY", "UNIT_NONE"};
  TabVariables told;
  const auto news = [&] { return told.news(::getpid(), names); };
  const auto first_news = [&] {
    std::vector<Variable> found;
    CHECK(test::eventually([&] { return !(found = news()).empty(); }));
    return found;
  };
  static_cast<void>(news());  // of other tests
  ForkedChild first(
      {"UNIT_SET=a=b", std::string(kCarrier) + "UNIT_CARRIED=c", "UNIT_EMPTY=", "UNIT_OTHER=d", "UNIT_NONE"});
  CHECK(news().empty());  // its environment is still ours
  CHECK(news().empty());
  first.go_on();
  CHECK(first_news() == std::vector<Variable>{{"UNIT_SET", "a=b"}, {"UNIT_CARRIED", "c"}});
  CHECK(news().empty());
  ForkedChild second({"UNIT_SET=e"});
  second.go_on();
  CHECK(first_news() == std::vector<Variable>{{"UNIT_SET", "e"}});
}

}  // namespace terminally
