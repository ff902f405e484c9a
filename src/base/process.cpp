// Starts child processes, talks with them through pipes, and kills and reaps them.
// Looks programs up on PATH.

#include "base/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"

namespace terminally {

namespace {

namespace asio = boost::asio;

/// The exit code of shells for a program that cannot be started.
constexpr int kNotStarted = 127;
/// The most that `finish` reads of each output; a process that prints more is stuck until its deadline.
constexpr std::size_t kMostOutput = std::size_t{64} << 20U;
constexpr std::size_t kReadBytes = std::size_t{16} * 1024;

/// Children that we may not kill, because they run as another user (sudo). They end when their pipes close.
std::vector<pid_t>& unkillable_children() {
  static std::vector<pid_t> pids;
  return pids;
}

void reap_left_to_themselves() {
  std::erase_if(unkillable_children(), [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

/// Owns a started child: kills and reaps it when the object goes out of scope.
class Child {
 public:
  Child(pid_t pid, bool leads) : pid_(pid), is_group_leader_(leads) { reap_left_to_themselves(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  [[nodiscard]] pid_t pid() const { return pid_; }

  /// Kills and reaps the child, and returns its exit code as shells do. No other process gets the child's
  /// pid, or its group's, before the child is reaped. The signal changes nothing for a child that has ended
  /// by itself. Does nothing the second time.
  int end() {
    int status = SIGKILL;
    const pid_t pid = std::exchange(pid_, -1);
    if (pid > 0) {
      if (is_group_leader_) {
        ::kill(-pid, SIGKILL);
      }
      const bool obeys = ::kill(pid, SIGKILL) == 0;
      pid_t reaped = -1;
      do {
        reaped = ::waitpid(pid, &status, obeys ? 0 : WNOHANG);
      } while (reaped < 0 && errno == EINTR);
      if (reaped == 0) {
        unkillable_children().push_back(pid);
      }
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t pid_;
  bool is_group_leader_;  ///< it leads a process group of its own
};

/// Signals go back to their defaults in the child: we ignore SIGPIPE, and an ignored signal would be
/// inherited.
pid_t spawn(const Argv& argv, const std::vector<std::string>& environment, bool leads, int in, int out,
            int err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
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
  const int session = leads ? POSIX_SPAWN_SETSID : 0;
  posix_spawnattr_setflags(&attributes,
                           static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | session));

  const std::vector<char*> args = pointers(argv);
  const std::vector<char*> env = pointers(environment);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, args[0], &actions, &attributes, args.data(),
                                   environment.empty() ? environ : env.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    const bool is_name = argv.front().find('/') == std::string::npos;
    throw io_error(
        "cannot start " + argv.front() + (error == ENOENT && is_name ? ", looked for on PATH" : ""), error);
  }
  return pid;
}

UniqueFd open_pidfd(const Child& child, const Argv& argv) {
  UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, child.pid(), 0)));
  if (!fd) {
    throw io_error("cannot watch the process " + argv.front(), errno);
  }
  return fd;
}

void throw_if_aborted(const boost::system::error_code& error) {
  if (error == asio::error::operation_aborted) {
    throw boost::system::system_error(error);
  }
}

asio::awaitable<void> read_all(asio::readable_pipe& pipe, std::string& into) {
  boost::system::error_code error;
  co_await asio::async_read(pipe, asio::dynamic_buffer(into, kMostOutput),
                            asio::redirect_error(asio::use_awaitable, error));
  throw_if_aborted(error);
}

asio::awaitable<std::string> read_some_of(asio::readable_pipe& pipe) {
  std::string read(kReadBytes, '\0');
  boost::system::error_code error;
  const std::size_t size =
      co_await pipe.async_read_some(asio::buffer(read), asio::redirect_error(asio::use_awaitable, error));
  read.resize(size);
  co_return read;
}

/// Writes all of `text`, or as much as the process reads before it ends.
asio::awaitable<void> write_all(asio::local::stream_protocol::socket& socket, const std::string& text) {
  boost::system::error_code error;
  co_await asio::async_write(socket, asio::buffer(text), asio::redirect_error(asio::use_awaitable, error));
  throw_if_aborted(error);
  socket.close();
}

}  // namespace

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) {
    result.push_back(const_cast<char*>(string.c_str()));
  }
  result.push_back(nullptr);
  return result;
}

void become(const Argv& argv) {
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    std::signal(signal, SIG_DFL);
  }
  const std::vector<char*> words = pointers(argv);
  ::execvp(words.front(), words.data());
  throw io_error("cannot run " + argv.front(), errno);
}

struct ChildProcess::State {
  State(const asio::any_io_executor& executor, const Argv& argv, const std::vector<std::string>& environment,
        Kept kept, Pipe&& in_pipe, Pipe&& out_pipe, Pipe&& err_pipe)
      : in(executor, asio::local::stream_protocol(), in_pipe.write.release()),
        out(executor, out_pipe.read.release()),
        err(executor, err_pipe.read.release()),
        child(spawn(argv, environment, kept == Kept::as_session, in_pipe.read.get(), out_pipe.write.get(),
                    err_pipe.write.get()),
              kept == Kept::as_session),
        pidfd(executor, open_pidfd(child, argv).release()) {}

  asio::awaitable<void> communicate(const std::string& input, ProcessResult& result) {
    using asio::experimental::awaitable_operators::operator&&;
    co_await (write_all(in, input) && read_all(out, result.out) && read_all(err, result.err) && ended());
  }

  [[nodiscard]] bool has_ended() {
    pollfd ended{.fd = pidfd.native_handle(), .events = POLLIN, .revents = 0};
    return ::poll(&ended, 1, 0) > 0;  // a signal of our own ends it, too
  }

  /// Checks after each wake-up: asio may report what it saw of a closed descriptor of the same number.
  asio::awaitable<void> ended() {
    boost::system::error_code error;
    while (!error && !has_ended()) {
      co_await pidfd.async_wait(asio::posix::stream_descriptor::wait_read,
                                asio::redirect_error(asio::use_awaitable, error));
    }
  }

  asio::local::stream_protocol::socket in;
  asio::readable_pipe out;
  asio::readable_pipe err;
  // Declared after the pipes, so that the child is killed before its stdin is closed: a tmux client that sees
  // the end of its input and dies crashes a server that is just ending (3.3a frees the input twice).
  Child child;
  asio::posix::stream_descriptor pidfd;
};

ChildProcess::ChildProcess(const asio::any_io_executor& executor, const Argv& argv,
                           const std::vector<std::string>& environment, Kept kept)
    : state_(std::make_unique<State>(executor, argv, environment, kept, make_socket_pipe(), make_pipe(),
                                     make_pipe())) {}

ChildProcess::~ChildProcess() = default;

int ChildProcess::pid() const {
  return state_->child.pid();
}

asio::any_io_executor ChildProcess::executor() const {
  return state_->pidfd.get_executor();
}

bool ChildProcess::has_ended() const {
  return state_->has_ended();
}

asio::awaitable<ProcessResult> ChildProcess::finish(std::string input, std::chrono::milliseconds deadline) {
  ProcessResult result;
  result.timed_out = !co_await run_until(Clock::now() + deadline, state_->communicate(input, result));
  result.exit_code = state_->child.end();
  co_return result;
}

asio::awaitable<bool> ChildProcess::write(std::string text) {
  boost::system::error_code error;
  co_await asio::async_write(state_->in, asio::buffer(text),
                             asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

asio::awaitable<std::string> ChildProcess::read_some() {
  return read_some_of(state_->out);
}

asio::awaitable<std::string> ChildProcess::read_some_errors() {
  return read_some_of(state_->err);
}

asio::awaitable<void> ChildProcess::ended() {
  co_await state_->ended();
}

int ChildProcess::exit_code() {
  return state_->child.end();
}

void ChildProcess::end() {
  state_->child.end();
  boost::system::error_code ignored;
  state_->pidfd.close(ignored);
  state_->in.close(ignored);
  state_->out.close(ignored);
  state_->err.close(ignored);
}

asio::awaitable<ProcessResult> run_process(Argv argv, std::chrono::milliseconds deadline,
                                           std::vector<std::string> environment) {
  ChildProcess process(co_await asio::this_coro::executor, argv, environment);
  co_return co_await process.finish("", deadline);
}

ProcessResult run_and_wait(Argv argv, std::chrono::milliseconds deadline) {
  asio::io_context io(1);
  ProcessResult result;
  asio::co_spawn(io, run_process(std::move(argv), deadline),
                 [&result](const std::exception_ptr& failure, ProcessResult its) {
                   result = std::move(its);
                   result.exit_code = failure ? kNotStarted : result.exit_code;
                 });
  io.run();
  return result;
}

bool is_program(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::filesystem::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return is_program(name) ? name : "";
  }
  const char* value = std::getenv("PATH");
  const std::string_view path = value != nullptr ? value : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::filesystem::path candidate = std::filesystem::path(path.substr(begin, end - begin)) / name;
    if (candidate.is_absolute() && is_program(candidate)) {
      return candidate;
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace terminally
