// Identifies this side to far sides, by a number that is drawn once for each state directory.
#include "hosts/gateway_id.hpp"

#include <unistd.h>

#include "base/digests.hpp"
#include "base/error.hpp"
#include "base/files.hpp"

namespace terminally {
namespace {

constexpr std::size_t kDrawnBytes = 16;

/// Of two processes that draw at once, the first one's number counts. A file that a power loss left empty
/// counts as none. Where the state directory takes no file (it is full, or read-only): "".
std::string drawn_number(const std::filesystem::path& state_root) {
  const std::filesystem::path path = state_root / ".gateway-id";
  if (const auto kept = read_if_there(path); kept && !kept->empty()) {
    return *kept;
  }
  const std::filesystem::path fresh = path.string() + "." + random_hex(8) + ".new";
  try {
    make_private_directory(state_root);
    write_file(fresh, random_hex(kDrawnBytes));
  } catch (const Error&) {
    remove_file(fresh);
    return "";
  }
  if (::link(fresh.c_str(), path.c_str()) != 0 && read_if_there(path).value_or("").empty()) {
    static_cast<void>(::rename(fresh.c_str(), path.c_str()));  // an empty one, or a system without links
  }
  remove_file(fresh);
  return read_if_there(path).value_or("");
}

std::string this_machine(const Config& config) {
  return read_file("/etc/machine-id").value_or("") + read_file("/etc/hostname").value_or("") +
         drawn_number(config.state_root);
}

}  // namespace

std::string place_of_records(const Config& config) {
  std::error_code none;  // nothing is to be read there: then all are in one
  // Who is in another PID namespace (a container of each link) is not seen to live.
  const std::filesystem::path processes = std::filesystem::read_symlink("/proc/self/ns/pid", none);
  try {
    return fnv1a_hex(this_machine(config) + '\0' + read_file("/proc/sys/kernel/random/boot_id").value_or("") +
                     processes.string());
  } catch (const Error&) {
    return "";
  }
}

std::string gateway_id(const Config& config, const std::string& instance, const std::string& host) {
  return fnv1a_hex(this_machine(config) + '\0' + config.runtime_root.string() + '\0' +
                   config.state_root.string() + '\0' + instance + '\0' + host);
}

}  // namespace terminally
