#include "log/log_end.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

#include "base/descriptors.hpp"
#include "base/files.hpp"
#include "log/log_record.hpp"
#include "temp_files.hpp"

using namespace terminally;
namespace fs = std::filesystem;

namespace {

std::string line(LogRecord::Kind kind, std::uint64_t offset) {
  const LogRecordLine bytes = encode({.kind = kind, .offset = offset, .position = offset, .time_ms = 1});
  return {bytes.data(), bytes.size()};
}

/// A process that holds the lock that tells its pid, until it is killed.
class Holder {
 public:
  explicit Holder(const fs::path& sidecar) : pid_(::fork()) {
    if (pid_ == 0) {
      const int fd = ::open(sidecar.c_str(), O_RDWR | O_CLOEXEC);
      struct flock all{};
      all.l_type = F_WRLCK;
      all.l_whence = SEEK_SET;
      ::fcntl(fd, F_SETLK, &all);
      ::raise(SIGSTOP);
      for (;;) {
        ::pause();
      }
    }
    int status = 0;
    ::waitpid(pid_, &status, WUNTRACED);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { end(); }
  void go_on() const {
    ::kill(pid_, SIGCONT);
    int status = 0;
    ::waitpid(pid_, &status, WCONTINUED);
  }
  void end() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(std::exchange(pid_, 0), nullptr, 0);
    }
  }
  [[nodiscard]] int pid() const { return pid_; }

 private:
  pid_t pid_;
};

}  // namespace

TEST_CASE("log end: who writes a log is told by the locks on its sidecar") {
  const test::TempDir directory;
  const fs::path log = directory / "pane-@1.log";
  const fs::path sidecar = directory / "pane-@1.log.index";
  CHECK(log_writer(log) == 0);
  write_file(sidecar, "");
  CHECK(log_writer(log) == 0);
  {
    const UniqueFd held(::open(sidecar.c_str(), O_RDWR | O_CLOEXEC));
    REQUIRE(::flock(held.get(), LOCK_EX | LOCK_NB) == 0);
    CHECK(log_writer(log) == -1);
    CHECK_FALSE(log_writer_is_stopped(log));
  }
  Holder holder(sidecar);
  CHECK(log_writer(log) == holder.pid());
  CHECK(log_writer_is_stopped(log));
  holder.go_on();
  CHECK_FALSE(log_writer_is_stopped(log));
  holder.end();
  CHECK(log_writer(log) == 0);
}

TEST_CASE("log end: a gap is what the writer has said, behind an offset") {
  using RecordKind = LogRecord::Kind;
  const test::TempDir directory;
  const fs::path log = directory / "pane-@1.log";
  const fs::path sidecar = directory / "pane-@1.log.index";
  CHECK_FALSE(log_has_gap_behind(log, 0));
  write_file(sidecar, line(RecordKind::start, 0) + line(RecordKind::segment, 500));
  CHECK_FALSE(log_has_gap_behind(log, 0));
  write_file(sidecar, line(RecordKind::start, 0) + line(RecordKind::gap, 700));
  CHECK(log_has_gap_behind(log, 700));
  CHECK_FALSE(log_has_gap_behind(log, 701));
  write_file(sidecar, line(RecordKind::start, 0) + line(RecordKind::start, 900));
  CHECK(log_has_gap_behind(log, 800));
  CHECK_FALSE(log_has_gap_behind(log, 901));
}
