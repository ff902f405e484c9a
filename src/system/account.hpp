#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// What the system knows of a user; empty where it knows nothing.
struct Account {
  std::string home;
  std::string shell;
};

/// The account of a user in the text of a passwd(5) file.
[[nodiscard]] std::optional<Account> account_in(std::string_view passwd, uid_t user);

/// The account of this process's user from /etc/passwd, else from getent(1) (LDAP, systemd); looked up once.
/// Not by getpwuid(3): in a statically linked program that loads libraries of the system, which may be of
/// another version, or missing.
[[nodiscard]] const Account& own_account();

/// A path with "~" or "~/" at its beginning as the shell has it: in the home directory (HOME).
[[nodiscard]] std::string with_home(const std::string& path);

}  // namespace terminally
