// Tells our files in a runtime directory from those of others, by their names.
#include "instance/runtime_files.hpp"

#include <algorithm>
#include <string>
#include <system_error>

#include "base/conventions.hpp"
#include "base/files.hpp"

namespace terminally {
namespace {

constexpr std::string_view kPasted = "paste-";
constexpr std::string_view kInput = "input-";  ///< a named pipe of a person's `exec`
/// The suffix of a file that is about to replace another.
constexpr std::string_view kFresh = ".new";

constexpr std::string_view kDigits = "0123456789";
constexpr std::array<std::string_view, 6> kOfPane = {".run", ".ended", ".lock", ".queue", ".typing", ".hold"};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// Whether a file is a pane's: "3.lock", "3.run".
bool is_of_pane(std::string_view name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  return is_number(name.substr(0, dot)) && std::ranges::find(kOfPane, name.substr(dot)) != kOfPane.end();
}

/// Whether a file is a command's: "0bf41c2a", "0bf41c2au", or the whole nonce with ".exit".
bool is_of_command(std::string_view name) {
  const std::size_t digits = std::min(name.find_first_not_of(kHexDigits), name.size());
  const std::string_view rest = name.substr(digits);
  return digits >= kCommandIdDigits && (rest.size() <= 1 || rest == ".exit");
}

}  // namespace

bool is_runtime_file(std::string_view name) {
  if (name.ends_with(kFresh)) {
    name.remove_suffix(kFresh.size());
  }
  return std::ranges::find(kInstanceFiles, name) != kInstanceFiles.end() || is_of_pane(name) ||
         is_of_command(name) || name.starts_with(kPasted) || name.starts_with(kInput);
}

bool is_owner_file(std::string_view name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  const std::string_view rest = name.substr(dot);
  return is_number(name.substr(0, dot)) && rest.size() == 1 + kCommandIdDigits &&
         rest.find_first_not_of(kHexDigits, 1) == std::string_view::npos;
}

bool has_runtime_files(const std::filesystem::path& directory) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (std::ranges::find(kInstanceFiles, name) != kInstanceFiles.end() || is_of_pane(name)) {
      return true;
    }
  }
  return false;
}

bool is_instance_directory(const std::filesystem::path& directory) {
  std::error_code error;
  if (std::filesystem::is_socket(directory / "tmux.sock", error)) {
    return true;
  }
  const auto owner = read_file(directory / "lock");
  return owner && (is_number(*owner) || *owner == kCleaner ||
                   std::ranges::any_of(kInstanceFiles, [&](std::string_view name) {
                     return name != "lock" && std::filesystem::exists(directory / name, error);
                   }));
}

}  // namespace terminally
