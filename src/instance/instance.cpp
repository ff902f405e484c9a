// Finds the directories, the owner and the tmux server of one instance, and takes its lock.
#include "instance/instance.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "base/descriptors.hpp"
#include "base/digests.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/ids.hpp"
#include "instance/instance_name.hpp"
#include "instance/runtime_files.hpp"
#include "system/inherited_lock.hpp"
#include "system/proc.hpp"
#include "system/unix_peer.hpp"

namespace terminally {
namespace {

/// Whether a shell would take a character of this typed path for a key. A newline is text between quotes.
bool has_key(const std::string& path) {
  return std::ranges::any_of(path, [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; });
}

constexpr const char* kUnnamedMark = "unnamed";
constexpr const char* kMemory = "/dev/shm";
/// The process name of a tmux server; a client has another name, and dies of SIGUSR1.
constexpr const char* kTmuxServer = "tmux: server";

/// Refuses a runtime directory with files of others, which would be removed.
void refuse_directory_of_others(const std::filesystem::path& runtime) {
  std::error_code error;
  if (!std::filesystem::is_empty(runtime, error) && !has_runtime_files(runtime)) {
    throw Error(ErrorCode::invalid_argument,
                "the directory " + runtime.string() +
                    " has files, and none of an instance; nothing was changed in "
                    "it. Choose another --instance or --runtime-dir");
  }
}

/// Says how to choose another place, too, where it cannot be made or trusted.
void make_root(const std::filesystem::path& root, const std::string& how) {
  try {
    make_private_directory(root);
  } catch (const Error& error) {
    throw Error(error.code(), error.what() + (": " + how));
  }
}

/// This user's directory in /dev/shm; empty where we cannot have it.
std::filesystem::path place_in_memory() {
  std::filesystem::path root = std::string(kMemory) + "/terminally-mcp-" + std::to_string(::geteuid());
  struct statfs memory{};
  if (::statfs(kMemory, &memory) != 0 || memory.f_type != TMPFS_MAGIC) {
    return {};
  }
  try {
    make_private_directory(root);
  } catch (const Error&) {
    return {};
  }
  return ::access(root.c_str(), W_OK) == 0 ? root : std::filesystem::path();
}

/// Identifies the place of an instance by its runtime directory.
std::string place_hash(const std::filesystem::path& runtime) {
  return fnv1a_hex(std::filesystem::absolute(runtime).lexically_normal().native());
}

}  // namespace

Instance::Instance(const Config& config, std::string name)
    : runtime_root_(config.runtime_root),
      state_root_(config.state_root),
      name_(std::move(name)),
      runtime_(runtime_root_ / name_),
      state_(state_root_ / name_) {
  if (!is_instance_name(name_)) {
    throw Error(ErrorCode::invalid_argument,
                "instance: \"" + name_ +
                    "\" is no instance name; allowed are 1 to 32 letters, digits, '.', '_' and '-', "
                    "not beginning with '.' or '-'");
  }
  if (has_key(runtime_root_)) {
    throw Error(ErrorCode::invalid_argument,
                "the runtime directory " +
                    nlohmann::json(runtime_root_.string())
                        .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) +
                    " has a control character in its name, which a shell takes for a key where its path is "
                    "typed; give another --runtime-dir (or TERMINALLY_RUNTIME_DIR)");
  }
}

std::string Instance::cookie() const {
  return name_ + "." + place_hash(runtime_);
}

std::filesystem::path Instance::files() const {
  static const std::filesystem::path root = place_in_memory();
  return root.empty() ? runtime_ : root / place_hash(runtime_);
}

std::uint32_t Instance::newest_generation() const {
  std::uint32_t newest = 0;
  for (const std::filesystem::path& path : entries_of(state_)) {
    const std::string name = path.filename().string();
    std::uint32_t number = 0;
    const auto [rest, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (failed == std::errc() && rest == name.data() + name.size() && number <= kHighestNumber) {
      newest = std::max(newest, number);
    }
  }
  return newest;
}

void Instance::make_runtime_directory() const {
  make_root(runtime_root_, "--runtime-dir, or TERMINALLY_RUNTIME_DIR");
  make_private_directory(runtime_);
  refuse_directory_of_others(runtime_);
}

FileLock Instance::own() const {
  return own_as(std::to_string(::getpid()));
}

FileLock Instance::own_to_clean() const {
  return own_as(std::string(kCleaner));
}

bool Instance::is_being_cleaned() const {
  const auto owner = read_file(runtime_ / "lock");
  return !owner || *owner == kCleaner;
}

FileLock Instance::own_as(const std::string& owner_text) const {
  if (socket().native().size() >= sizeof sockaddr_un::sun_path) {
    throw Error(ErrorCode::invalid_argument,
                "the tmux socket's path " + socket().string() + " has " +
                    std::to_string(socket().native().size()) +
                    " bytes, too long for the system's limit of 107; give a shorter --runtime-dir");
  }
  make_runtime_directory();
  make_root(state_root_, "--state-dir, or TERMINALLY_STATE_DIR");
  make_private_directory(state_);
  const auto path = runtime_ / "lock";
  FileLock lock;
  try {
    lock = try_lock_or_inherit(path);
  } catch (const Error&) {
    if (::access(runtime_.c_str(), F_OK) == 0) {
      throw;
    }
    throw Error(ErrorCode::busy, "instance \"" + name_ + "\" is just being removed; try again");
  }
  struct stat ours{};
  struct stat named{};
  if (lock &&
      (::fstat(lock.fd(), &ours) != 0 || ::stat(path.c_str(), &named) != 0 || ours.st_ino != named.st_ino)) {
    throw Error(ErrorCode::busy, "instance \"" + name_ + "\" is just being removed; try again");
  }
  if (!lock && is_being_cleaned()) {
    throw Error(ErrorCode::busy, "instance \"" + name_ + "\" is just being cleaned; try again");
  }
  if (!lock) {
    std::string owner = read_file(path).value_or("");
    if (const int pid = owner.empty() ? owner_pid() : 0; pid != 0) {
      owner = std::to_string(pid);
    }
    throw Error(ErrorCode::busy, "instance \"" + name_ + "\" is owned by another server" +
                                     (owner.empty() ? std::string() : ", pid " + owner) +
                                     "; choose another --instance");
  }
  // On a full disk the file stays empty: the kernel knows the holder, too.
  if (::ftruncate(lock.fd(), 0) == 0) {
    (void)!::pwrite(lock.fd(), owner_text.data(), owner_text.size(), 0);
  }
  return lock;
}

bool Instance::server_listens() const {
  return connect_to(socket()).listens;
}

bool Instance::server_lives() const {
  return server_listens() || server_without_socket() != 0;
}

int Instance::server_pid() const {
  const UnixPeer listener = connect_to(socket());
  return listener.listens ? listener.pid : server_without_socket();
}

std::optional<ProcessId> Instance::server_process(int pid) const {
  const auto process = process_info(pid);
  const bool ours = process && process->name == kTmuxServer && process->state != 'Z' &&
                    process_has_environment(pid, "TERMINALLY_NAME=" + cookie());
  return ours ? std::optional(process->id()) : std::nullopt;
}

int Instance::server_without_socket() const {
  if (!is_gone(socket())) {
    return 0;
  }
  for (const int pid : all_pids()) {
    if (server_process(pid)) {
      return pid;
    }
  }
  return 0;
}

int Instance::owner_pid() const {
  return lock_holder(runtime_ / "lock");
}

bool Instance::is_unnamed() const {
  std::error_code error;
  return std::filesystem::exists(runtime_ / kUnnamedMark, error) ||
         std::filesystem::exists(state_ / kUnnamedMark, error);
}

void Instance::mark_unnamed() const {
  write_file(runtime_ / kUnnamedMark, "");
  write_file(state_ / kUnnamedMark, "");
}

void Instance::remove_unused_state() const {
  try {
    if (newest_generation() == 0) {
      remove_file(state_ / kUnnamedMark);
      std::error_code not_empty;
      std::filesystem::remove(state_, not_empty);
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what cannot be read is not known to be unused
  }
}

std::string fresh_instance_name() {
  return random_hex(4);
}

std::vector<std::string> known_instances(const Config& config) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(config.runtime_root, error)) {
    if (is_instance_directory(entry.path())) {
      names.insert(entry.path().filename().string());
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(config.state_root, error)) {
    if (!std::filesystem::exists(entry.path() / kUnnamedMark, error)) {
      names.insert(entry.path().filename().string());
    }
  }
  std::erase_if(names, [](const std::string& name) { return !is_instance_name(name); });
  return {names.begin(), names.end()};
}

std::vector<std::string> running_instances(const Config& config) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(config.runtime_root, error)) {
    if (connect_to(entry.path() / "tmux.sock").listens) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace terminally
