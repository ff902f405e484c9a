#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "config.hpp"
#include "http/site.hpp"

namespace terminally {

/// How a client is to reach `serve`.
struct HttpSetup {
  std::string authority;         ///< "127.0.0.1:7332"; empty: what the entry has, else that
  std::string instance;          ///< empty: what the entry has, else the client's name
  std::optional<Role> role;      ///< of the token; none: that of the token in the entry, else exec
  std::filesystem::path tokens;  ///< the directory that has them
};

/// What a person says of it.
struct HttpFlags {
  bool on = false;
  std::string address;  ///< ADDRESS:PORT; empty: that of the `serve` that runs, where one does
  std::string role;     ///< "view", "exec" or empty
};

/// `links`: where a `serve` that runs hands out links (http/links.hpp). Throws Error(invalid_argument) for an
/// address that clients do not reach, and for an instance that cannot be.
[[nodiscard]] HttpSetup http_setup(const Config& config, const std::filesystem::path& links,
                                   const HttpFlags& flags);

}  // namespace terminally
