#include "base/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <csignal>

#include "base/error.hpp"
#include "base/pipe.hpp"
#include "base/timeout.hpp"
#include "base/unique_fd.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// Owns a started child: killed and reaped when it goes out of scope unreaped.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) {
      kill();
      reap();
    }
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void kill() const { ::kill(pid_, SIGKILL); }

  int reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t pid_;
};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) {
    result.push_back(const_cast<char*>(string.c_str()));
  }
  result.push_back(nullptr);
  return result;
}

/// Signals go back to their defaults in the child: we ignore SIGPIPE, and an ignored signal would be
/// inherited.
pid_t spawn(const Argv& argv, const std::vector<std::string>& environment, int out, int err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all;
  sigset_t none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

  const std::vector<char*> args = pointers(argv);
  const std::vector<char*> env = pointers(environment);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, args[0], &actions, &attributes, args.data(),
                                   environment.empty() ? environ : env.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw io_error("cannot start " + argv.front(), error);
  }
  return pid;
}

asio::awaitable<void> read_all(asio::readable_pipe& pipe, std::string& into) {
  boost::system::error_code error;
  co_await asio::async_read(pipe, asio::dynamic_buffer(into),
                            asio::redirect_error(asio::use_awaitable, error));
  if (error == asio::error::operation_aborted) {
    throw boost::system::system_error(error);
  }
}

asio::awaitable<void> wait_for_exit(asio::posix::stream_descriptor& pidfd) {
  co_await pidfd.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
}

asio::awaitable<void> collect(asio::readable_pipe& out, asio::readable_pipe& err,
                              asio::posix::stream_descriptor& pidfd, ProcessResult& result) {
  using asio::experimental::awaitable_operators::operator&&;
  co_await (read_all(out, result.out) && read_all(err, result.err) && wait_for_exit(pidfd));
}

}  // namespace

asio::awaitable<ProcessResult> run_process(Argv argv, std::chrono::milliseconds deadline,
                                           std::vector<std::string> environment) {
  const auto executor = co_await asio::this_coro::executor;

  Pipe out = make_pipe();
  Pipe err = make_pipe();
  Child child(spawn(argv, environment, out.write.get(), err.write.get()));
  out.write.reset();
  err.write.reset();
  asio::readable_pipe out_pipe(executor, out.read.release());
  asio::readable_pipe err_pipe(executor, err.read.release());
  const auto pidfd_raw = static_cast<int>(::syscall(SYS_pidfd_open, child.pid(), 0));
  if (pidfd_raw < 0) {
    throw io_error("cannot watch the process " + argv.front(), errno);
  }
  asio::posix::stream_descriptor pidfd(executor, pidfd_raw);

  ProcessResult result;
  result.timed_out = !co_await finish_by(Clock::now() + deadline, collect(out_pipe, err_pipe, pidfd, result));
  if (result.timed_out) {
    child.kill();
  }
  result.exit_code = child.reap();
  co_return result;
}

}  // namespace terminally
