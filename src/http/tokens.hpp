#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "http/service.hpp"

namespace terminally {

/// The tokens by which programs are let in, one for each role: 256 random bits in hex, in a file of mode 0600
/// that is made when a token is first asked for. Without the file nobody has that role.
class Tokens {
 public:
  /// `directory`: the state directory. Nothing is touched.
  explicit Tokens(const std::filesystem::path& directory);

  /// Who has it, by the files as they are now. Compared in constant time.
  [[nodiscard]] std::optional<Bearer> bearer_of(std::string_view token);

  /// Whether a token that is good now has this credential.
  [[nodiscard]] bool has(const std::string& credential);

  /// The token of a role, which is made where there is none. Throws Error(io).
  [[nodiscard]] std::string token_of(Role role);
  /// A new token in place of the old one, which is good for nothing from now on. Throws Error(io).
  [[nodiscard]] std::string rotate(Role role);

 private:
  struct File {
    std::filesystem::path path;
    std::string as_read;  ///< which file was read; empty: none was there
    std::string token;
    std::string credential;
  };

  static void look_at(File& file);
  [[nodiscard]] File& file_of(Role role) { return files_[role == Role::exec ? 1 : 0]; }

  std::array<File, 2> files_;
};

}  // namespace terminally
