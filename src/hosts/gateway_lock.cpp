// Ends an earlier server of the same gateway and takes over the gateway's lock, on the far side.
#include "hosts/gateway_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <csignal>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "base/unique_fd.hpp"
#include "instance/instance.hpp"
#include "server/instance_end.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kByItself{1'000};
constexpr Milliseconds kAfterTerm{1'000};
constexpr Milliseconds kAfterKill{500};
constexpr Milliseconds kLookEvery{10};
constexpr std::string_view kLingers = " lingers";  // follows the id of a holder that only keeps tabs alive

/// Sleeps between tries: no event loop runs in this process yet.
FileLock lock_within(const std::filesystem::path& path, Milliseconds time) {
  const auto until = Clock::now() + time;
  FileLock lock = FileLock::try_lock(path);
  while (!lock && Clock::now() < until) {
    std::this_thread::sleep_for(kLookEvery);
    lock = FileLock::try_lock(path);
  }
  return lock;
}

/// Signals the process that holds the lock, as the kernel says, if it serves this gateway, as the file says.
void end_holder(const std::filesystem::path& path, const std::string& gateway, const std::string& instance,
                int signal) {
  const int pid = lock_holder(path);
  const std::string holder = read_file(path).value_or("");
  if (holder != gateway && holder != gateway + std::string(kLingers)) {
    throw Error(ErrorCode::busy, "instance \"" + instance + "\" is used through another gateway" +
                                     (pid == 0 ? "" : ", by pid " + std::to_string(pid)));
  }
  const auto process = pid == 0 ? std::nullopt : process_info(pid);
  if (process) {
    signal_process(process->id(), signal);
  }
}

void write_holder(const FileLock& lock, const std::string& holder) {
  if (::ftruncate(lock.fd(), 0) != 0 ||
      ::pwrite(lock.fd(), holder.data(), holder.size(), 0) != static_cast<ssize_t>(holder.size())) {
    throw io_error("cannot write the gateway's lock", errno);
  }
}

std::filesystem::path lock_path(const Config& config) {
  return config.runtime_root / (".gateway-" + config.instance);
}

boost::asio::awaitable<void> end_tabs(Config config) {
  const Instance instance(config, config.instance);
  const FileLock lock = instance.own_to_clean();
  co_await end_instance(config, instance, instance.server_pid());
}

}  // namespace

FileLock take_gateway_lock(const Config& config, const std::string& gateway) {
  make_private_directory(config.runtime_root);
  const auto path = lock_path(config);
  FileLock lock = FileLock::try_lock(path);
  if (!lock && read_file(path).value_or("") != gateway + std::string(kLingers)) {
    lock = lock_within(path, kByItself);
  }
  if (!lock) {
    end_holder(path, gateway, config.instance, SIGTERM);
    lock = lock_within(path, kAfterTerm);
  }
  if (!lock) {
    end_holder(path, gateway, config.instance, SIGKILL);
    lock = lock_within(path, kAfterKill);
  }
  if (!lock) {
    throw Error(ErrorCode::busy, "instance \"" + config.instance +
                                     "\": an earlier server of this gateway did not end after SIGKILL, pid " +
                                     std::to_string(lock_holder(path)));
  }
  write_holder(lock, gateway);
  return lock;
}

void linger(const Config& config, const FileLock& lock, Milliseconds time) {
  write_holder(lock, read_file(lock_path(config)).value_or("") + std::string(kLingers));
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::dup2(null.get(), stream);
  }
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    std::signal(signal, signal == SIGHUP ? SIG_IGN : SIG_DFL);
  }
  std::this_thread::sleep_for(time);
  boost::asio::io_context io(1);
  boost::asio::co_spawn(io, end_tabs(config), boost::asio::detached);
  io.run();
}

}  // namespace terminally
