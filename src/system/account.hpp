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

/// The user's line of a text as passwd(5) has it.
[[nodiscard]] std::optional<Account> account_in(std::string_view passwd, uid_t user);

/// This process's user, as /etc/passwd has them, else getent(1) (LDAP, systemd); looked up once. Never by
/// getpwuid(3): where the program is linked statically that loads libraries of the system it runs on, which
/// are another version's, or missing.
[[nodiscard]] const Account& own_account();

}  // namespace terminally
