// Gives each client of an instance a name for the tab that is `main` to it.
#include "instance/own_mains.hpp"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "system/inherited_lock.hpp"
#include "system/proc.hpp"
#include "tab/place_choice.hpp"

namespace terminally {
namespace {

constexpr std::size_t kLongestName = 40;
/// More servers of one client on one instance share the last one's.
constexpr int kMostOfOneClient = 20;

/// "claude-code 2.1.0" → "claude-code": an update is no other client.
std::string without_version(std::string_view client) {
  const std::size_t blank = client.rfind(' ');
  const bool versioned = blank != std::string_view::npos && blank + 1 < client.size() &&
                         client[blank + 1] >= '0' && client[blank + 1] <= '9';
  return std::string(versioned ? client.substr(0, blank) : client);
}

std::vector<std::string> names_for(const std::string& client) {
  const std::string after = tab_name_after(client);
  std::vector<std::string> names = {kMainTab, after};
  for (int number = 2; number <= kMostOfOneClient; ++number) {
    names.push_back(after + "." + std::to_string(number));  // with "-" it would be a helper tab's
  }
  return names;
}

}  // namespace

std::string tab_name_after(std::string_view client) {
  std::string name;
  for (const char c : without_version(client)) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (plain) {
      name += lower;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name.resize(std::min(name.size(), kLongestName));
  while (!name.empty() && name.back() == '-') {
    name.pop_back();
  }
  // "codex-2" is a helper tab of the client "codex".
  if (const std::size_t dash = name.rfind('-');
      dash != std::string::npos && name.find_first_not_of("0123456789", dash + 1) == std::string::npos) {
    name[dash] = '_';
  }
  return name.empty() ? "agent" : name;
}

const OwnMains::Own& OwnMains::own_of(std::string_view client) {
  const std::string who = without_version(client);
  Own& own = own_[who];
  if (own.lock && !own.lock.is_unlinked()) {
    return own;
  }
  own = Own{kMainTab, 1, FileLock()};
  int number = 1;
  const std::vector<std::string> names = names_for(who);
  try {
    instance_.make_runtime_directory();
    make_private_directory(directory_);
    for (const std::string& name : names) {
      Tried tried = take(name, who);
      if (tried.lock) {
        own = Own{name, number, std::move(tried.lock)};
        break;
      }
      number += tried.is_own ? 1 : 0;
    }
    if (!own.lock) {
      own = Own{names.back(), number, FileLock()};
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): said in the header
  }
  return own;
}

std::string OwnMains::name_for(std::string_view client) {
  return own_of(client).name;
}

std::string OwnMains::who(const std::string& client) {
  const int number = client.empty() ? 1 : own_of(client).number;
  return number == 1 ? client : client + " (" + std::to_string(number) + ")";
}

std::optional<std::string> OwnMains::known(std::string_view client) const {
  const auto own = own_.find(without_version(client));
  return own == own_.end() || !own->second.lock ? std::nullopt : std::optional(own->second.name);
}

/// Without a lock: another server uses it, or it is another client's. Whose it is is read first: of a process
/// that cannot end, a hung file system holds its thread, the lock is inherited with a new file.
OwnMains::Tried OwnMains::take(const std::string& name, const std::string& client) const {
  const std::filesystem::path path = directory_ / name;
  const std::string line = client + "\n";
  const auto owner = [&path] { return read_file(path).value_or(""); };
  const std::string before = owner();
  Tried tried;
  tried.is_own = before == line;
  if (!before.empty() && !tried.is_own) {
    return tried;
  }
  FileLock lock = try_lock_or_inherit(path);
  const std::string now = owner();
  if (!lock || lock.is_unlinked() || (!now.empty() && now != line)) {
    return tried;
  }
  if (now.empty()) {
    // Where it cannot be written (a full disk), it is this client's as long as this server lives.
    static_cast<void>(::pwrite(lock.fd(), line.data(), line.size(), 0));
  }
  tried.lock = std::move(lock);
  return tried;
}

std::string OwnMains::owner_of(std::string_view name) const {
  const std::string owner = read_file(directory_ / name).value_or("");
  return owner.substr(0, owner.find('\n'));
}

void OwnMains::remove_directory() const noexcept {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory_, error), end; !error && entry != end;
       entry.increment(error)) {
    remove_file(entry->path());
  }
  std::filesystem::remove(directory_, error);
}

std::vector<std::string> clients_at(const Instance& instance) {
  const OwnMains mains(instance);
  std::set<std::string> clients;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(instance.runtime() / OwnMains::kMains, error), end;
       !error && entry != end; entry.increment(error)) {
    if (lock_holder(entry->path()) != 0) {
      clients.insert(mains.owner_of(entry->path().filename().string()));
    }
  }
  clients.erase("");
  return {clients.begin(), clients.end()};
}

}  // namespace terminally
