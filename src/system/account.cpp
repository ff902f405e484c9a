// Looks this process's user up in /etc/passwd, else with getent(1).
#include "system/account.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include "base/files.hpp"
#include "base/process.hpp"

namespace terminally {
namespace {

/// How long a directory service may take to answer.
constexpr std::chrono::milliseconds kPatience{2'000};
/// name:password:uid:gid:comment:home:shell
constexpr std::size_t kFields = 7;

std::array<std::string_view, kFields> fields_of(std::string_view line) {
  std::array<std::string_view, kFields> fields;
  for (std::string_view& field : fields) {
    const std::size_t end = std::min(line.find(':'), line.size());
    field = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return fields;
}

Account look_up(uid_t user) {
  if (auto account = account_in(read_file("/etc/passwd").value_or(""), user)) {
    return *account;
  }
  const std::filesystem::path getent = find_program("getent");
  if (getent.empty()) {
    return {};
  }
  const ProcessResult answer = run_and_wait({getent.string(), "passwd", std::to_string(user)}, kPatience);
  return account_in(answer.out, user).value_or(Account());
}

}  // namespace

std::optional<Account> account_in(std::string_view passwd, uid_t user) {
  const std::string number = std::to_string(user);
  while (!passwd.empty()) {
    const std::size_t end = std::min(passwd.find('\n'), passwd.size());
    const auto fields = fields_of(passwd.substr(0, end));
    if (fields[2] == number) {
      return Account{std::string(fields[5]), std::string(fields[6])};
    }
    passwd.remove_prefix(std::min(end + 1, passwd.size()));
  }
  return std::nullopt;
}

const Account& own_account() {
  static const Account account = look_up(::geteuid());
  return account;
}

std::string with_home(const std::string& path) {
  const char* home = std::getenv("HOME");
  const bool is_meant = path == "~" || path.starts_with("~/");
  return is_meant && home != nullptr ? home + path.substr(1) : path;
}

}  // namespace terminally
