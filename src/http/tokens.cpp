// Keeps the tokens of programs in files of the state directory.
#include "http/tokens.hpp"

#include <sodium/utils.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/digests.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"

namespace terminally {
namespace {

constexpr std::size_t kTokenBytes = 32;
constexpr Milliseconds kOthersMakeIt{1'000};

/// What is in a token's file; empty where that is none of ours.
std::string token_in(const std::filesystem::path& path) {
  std::string text = read_file(path).value_or("");
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  return text.size() == 2 * kTokenBytes ? text : "";
}

/// Changes whenever a token is replaced: by a new file.
std::string identity_of(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    return "";
  }
  return std::to_string(status.st_ino) + " " + std::to_string(status.st_mtim.tv_sec) + " " +
         std::to_string(status.st_mtim.tv_nsec);
}

bool is_equal(std::string_view given, std::string_view token) {
  return !token.empty() && given.size() == token.size() &&
         sodium_memcmp(given.data(), token.data(), token.size()) == 0;
}

}  // namespace

Tokens::Tokens(const std::filesystem::path& directory)
    : files_{{File{directory / ".token-view", "", "", ""}, File{directory / ".token-exec", "", "", ""}}} {}

void Tokens::look_at(File& file) {
  std::string identity = identity_of(file.path);
  if (identity == file.as_read) {
    return;
  }
  file.token = token_in(file.path);
  file.as_read = file.token.empty() ? "" : std::move(identity);  // what could not be read may be, next time
  file.credential = sha256_hex(file.token);
}

std::optional<Bearer> Tokens::bearer_of(std::string_view token) {
  for (const Role role : {Role::exec, Role::view}) {
    File& file = file_of(role);
    look_at(file);
    if (is_equal(token, file.token)) {
      return Bearer{role, file.credential};
    }
  }
  return std::nullopt;
}

bool Tokens::has(const std::string& credential) {
  return std::ranges::any_of(files_, [&credential](File& file) {
    look_at(file);
    return !file.token.empty() && file.credential == credential;
  });
}

std::string Tokens::token_of(Role role) {
  const std::filesystem::path& path = file_of(role).path;
  make_private_directory(path.parent_path());
  const auto by = Clock::now() + kOthersMakeIt;
  FileLock alone = FileLock::try_lock(path.string() + ".lock");
  while (!alone && Clock::now() < by) {  // all who ask at once get one
    std::this_thread::sleep_for(Milliseconds(5));
    alone = FileLock::try_lock(path.string() + ".lock");
  }
  std::string token = token_in(path);
  return token.empty() ? rotate(role) : token;
}

std::string Tokens::rotate(Role role) {
  const std::filesystem::path& path = file_of(role).path;
  make_private_directory(path.parent_path());
  std::string token = random_hex(kTokenBytes);
  replace_file(path, token + "\n");
  return token;
}

}  // namespace terminally
