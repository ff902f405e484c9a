// Ends an earlier server of the same gateway and takes over the gateway's lock, on the far side.
#include "hosts/gateway_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <boost/asio.hpp>
#include <csignal>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "instance/instance.hpp"
#include "instance/left_behind.hpp"
#include "system/inherited_lock.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"
#include "tmux/server/instance_end.hpp"

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
  FileLock lock = try_lock_or_inherit(path);
  while (!lock && Clock::now() < until) {
    std::this_thread::sleep_for(kLookEvery);
    lock = try_lock_or_inherit(path);
  }
  return lock;
}

/// Signals the process that holds the lock, as the kernel says, if it serves this gateway, as the file says.
void end_holder(const std::filesystem::path& path, const std::string& gateway, const std::string& instance,
                int signal) {
  const int pid = lock_holder(path);
  const std::string holder = read_if_there(path).value_or("");
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

Error did_not_end(const Config& config, int pid) {
  return {ErrorCode::busy, "instance \"" + config.instance +
                               "\": an earlier server of this gateway did not end after SIGKILL, pid " +
                               std::to_string(pid)};
}

std::filesystem::path lock_path(const Config& config) {
  return gateway_lock_path(config, config.instance);
}

boost::asio::awaitable<void> end_tabs(Config config) {
  const Instance instance(config, config.instance);
  const FileLock lock = instance.own_to_clean();
  co_await end_instance(config, instance, instance.server_pid());
}

/// The servers of this gateway that began before this process, whether they hold the lock or not.
std::vector<ProcessId> earlier_servers(const Config& config, const std::string& gateway,
                                       const std::string& nonce) {
  const auto self = process_info(::getpid());
  const auto is_earlier = [&self](const ProcessInfo& one) {
    return self && (one.start_ticks < self->start_ticks ||
                    (one.start_ticks == self->start_ticks && one.pid < self->pid));
  };
  std::vector<ProcessId> found;
  for (const int pid : all_pids()) {
    if (process_uid(pid) != static_cast<int>(::geteuid())) {
      continue;
    }
    const std::vector<std::string> words = process_arguments(pid);  // as pipe_argv makes them
    const bool is_server = words.size() > 5 && words[1] == "gateway" && words[2] == gateway &&
                           words[3] != nonce && words[5] == config.instance;
    const auto process = is_server ? process_info(pid) : std::nullopt;
    if (process && is_earlier(*process)) {
      found.push_back(process->id());
    }
  }
  return found;
}

/// Ends earlier servers that hold a lock whose file is gone.
void end_earlier_servers(const Config& config, const std::string& gateway, const std::string& nonce) {
  constexpr std::array<std::pair<int, Milliseconds>, 3> kSteps = {
      {{0, kByItself}, {SIGTERM, kAfterTerm}, {SIGKILL, kAfterKill}}};
  std::vector<ProcessId> left = earlier_servers(config, gateway, nonce);
  for (const auto& [signal, time] : kSteps) {
    for (const ProcessId server : left) {
      signal_process(server, signal);
    }
    for (const auto until = Clock::now() + time; !left.empty() && Clock::now() < until;) {
      std::this_thread::sleep_for(kLookEvery);
      std::erase_if(left, [](ProcessId server) { return !is_alive(server) || is_exiting(server.pid); });
    }
  }
  if (!left.empty()) {
    throw did_not_end(config, left.front().pid);
  }
}

FileLock lock_or_end_holder(const Config& config, const std::string& gateway) {
  const auto path = lock_path(config);
  FileLock lock = try_lock_or_inherit(path);
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
    throw did_not_end(config, lock_holder(path));
  }
  return lock;
}

}  // namespace

FileLock take_gateway_lock(const Config& config, const std::string& gateway, const std::string& nonce) {
  make_private_directory(config.runtime_root);
  FileLock lock = lock_or_end_holder(config, gateway);
  while (lock.is_unlinked()) {  // removed while we waited for it
    lock = lock_or_end_holder(config, gateway);
  }
  if (read_if_there(lock_path(config)).value_or("").empty()) {  // a new file: nobody is known by it
    end_earlier_servers(config, gateway, nonce);
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
