// The files of the commands of one pane, and the marks in them for other processes of ours.
#include "tab/command_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "base/conventions.hpp"
#include "base/error.hpp"
#include "base/files.hpp"

namespace terminally {
namespace {

constexpr std::string_view kForce = "force";

void put(const std::filesystem::path& path, std::string_view content, bool here,
         const std::filesystem::path& elsewhere) {
  if (here) {
    write_file(path, content);
  } else {
    write_elsewhere(path, content, elsewhere);
  }
}

/// For what only tells: whatever it is about happens all the same.
void try_to_write(const std::filesystem::path& path, const std::string& content) noexcept {
  try {
    write_file(path, content);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): said above
  }
}

std::filesystem::path exit_path_in(const std::filesystem::path& directory, const std::string& nonce) {
  return directory / (nonce + ".exit");
}

/// `linked`: with what it is a link to.
void take_away(const CommandFiles& files, const std::string& name, bool linked) noexcept {
  remove_file(files.directory() / name);
  if (linked) {
    remove_file(files.runtime() / name);
  }
}

}  // namespace

CommandFiles::CommandFiles(std::filesystem::path runtime, PaneId pane, std::filesystem::path files)
    : runtime_(std::move(runtime)),
      directory_(files.empty() ? runtime_ : std::move(files)),
      pane_(std::to_string(pane.number)) {}

void CommandFiles::write(const ShellScript& script, const std::string& nonce) const {
  make_private_directory(directory_.parent_path());
  make_private_directory(directory_);
  std::uint64_t bytes = 0;
  for (const ShellScript::File& file : script.files) {
    bytes += file.content.size();
  }
  const bool here = directory_ == runtime_ || has_room(directory_, bytes);
  // Ours, so that the shell's umask does not make it readable for others. First: `remove` looks at it.
  put(exit_path_in(directory_, nonce), "", here, runtime_);
  for (const ShellScript::File& file : script.files) {
    put(file.path, file.content, here, runtime_);
  }
}

bool CommandFiles::are_gone(const std::string& nonce) const {
  struct stat info{};
  return ::stat(exit_path_in(directory_, nonce).c_str(), &info) != 0 && errno == ENOENT;
}

void CommandFiles::mark_running(const std::string& nonce, const std::string& cwd) const {
  const std::string content = nonce + "\n" + (cwd.find('\n') == std::string::npos ? cwd : "") + "\n";
  const std::filesystem::path path = directory_ / mark_;
  remove_file(path);  // perhaps a link, of a command that was killed with its server
  put(path, content, directory_ == runtime_ || has_room(directory_, content.size()), runtime_);
}

std::optional<std::int64_t> CommandFiles::ended_at_ms(const std::string& nonce) const {
  struct stat info{};
  if (::stat(exit_path_in(directory_, nonce).c_str(), &info) != 0 || info.st_size == 0) {
    return std::nullopt;
  }
  return std::int64_t{info.st_mtim.tv_sec} * 1'000 + info.st_mtim.tv_nsec / 1'000'000;
}

std::optional<CommandFiles::Cancel> CommandFiles::cancelled(const std::string& nonce) const {
  std::error_code error;
  if (!std::filesystem::exists(path_of(nonce, CommandFile::cancelled), error)) {
    return std::nullopt;
  }
  Cancel cancel;
  cancel.force = read_file(path_of(nonce, CommandFile::cancelled)) == kForce;
  cancel.by_person = std::filesystem::exists(path_of(nonce, CommandFile::by_person), error) ||
                     std::filesystem::exists(path_of(nonce, CommandFile::by_hand), error);
  return cancel;
}

bool CommandFiles::is_signalled(const std::string& nonce) const {
  std::error_code error;
  return std::filesystem::exists(path_of(nonce, CommandFile::signalled), error);
}

bool CommandFiles::may_be_taken(const std::string& nonce) const {
  return read_file(path_of(nonce, CommandFile::taken)) != kNotTaken;
}

void CommandFiles::mark_taken(const std::string& nonce) const noexcept {
  remove_file(path_of(nonce, CommandFile::taken));
}

std::optional<std::string> CommandFiles::running_nonce() const {
  const auto content = read_file(directory_ / mark_);
  const std::size_t end = content ? content->find('\n') : std::string::npos;
  return end == std::string::npos ? std::nullopt : std::optional(content->substr(0, end));
}

std::optional<int> CommandFiles::exit_code(const std::string& nonce) const {
  const auto content = read_file(exit_path_in(directory_, nonce));
  int code = 0;
  if (!content || content->empty()) {
    return std::nullopt;
  }
  const auto [rest, error] = std::from_chars(content->data(), content->data() + content->size(), code);
  return error == std::errc() ? std::optional(code) : std::nullopt;
}

std::string CommandFiles::pwd_at_end(const std::string& nonce) const {
  const std::string content = read_file(exit_path_in(directory_, nonce)).value_or("");
  const std::size_t begin = std::min(content.find('\n'), content.size());
  return begin + 1 < content.size() ? content.substr(begin + 1, content.size() - begin - 2) : "";
}

void CommandFiles::mark_cancelled(const std::string& nonce, bool force, Canceller by) const noexcept {
  const bool was_cancelled = cancelled(nonce).has_value();
  if (!force && was_cancelled) {
    return;  // force that was asked for stays
  }
  if (by != Canceller::client && !was_cancelled) {  // first: who heeds the other looks for it
    try_to_write(path_of(nonce, by == Canceller::browser ? CommandFile::by_person : CommandFile::by_hand),
                 "");
  }
  try_to_write(path_of(nonce, CommandFile::cancelled), force ? std::string(kForce) : "");
}

void CommandFiles::mark_signalled(const std::string& nonce) const noexcept {
  try_to_write(path_of(nonce, CommandFile::signalled), "");
}

void CommandFiles::remove_script(const std::string& nonce) const noexcept {
  remove_file(directory_ / command_id_of(nonce));
}

void CommandFiles::unmark_running(const std::string& nonce) const noexcept {
  if (running_nonce() == nonce) {
    take_away(*this, mark_, runtime_ != directory_);
  }
}

void CommandFiles::remove(const std::string& nonce) const noexcept {
  using enum CommandFile;
  std::error_code error;
  const bool linked = std::filesystem::is_symlink(exit_path_in(directory_, nonce), error);
  unmark_running(nonce);
  take_away(*this, command_id_of(nonce), linked);
  for (const CommandFile file : {text, end, hook, taken, CommandFile::cancelled, by_person, by_hand,
                                 signalled, CommandFile::directory}) {
    take_away(*this, command_file(nonce, file), linked);
  }
  take_away(*this, nonce + ".exit", linked);
  remove_file(owner_path(command_id_of(nonce)));
}

std::filesystem::path CommandFiles::path_of(const std::string& nonce, CommandFile file) const {
  return directory_ / command_file(nonce, file);
}

std::filesystem::path CommandFiles::lock_path() const {
  return runtime_ / (pane_ + ".lock");
}

std::filesystem::path CommandFiles::typing_lock_path() const {
  return runtime_ / (pane_ + ".typing");
}

std::filesystem::path CommandFiles::owner_path(const std::string& command_id) const {
  return runtime_ / kOwners / (pane_ + "." + command_id);
}

std::vector<std::string> owned_apart(const CommandFiles& files) {
  std::vector<std::string> ids;
  const std::filesystem::path none = files.owner_path("");
  const std::string of_pane = none.filename().string();
  std::error_code error;
  for (auto entry = list_directory(none.parent_path(), error); !error && entry != std::filesystem::end(entry);
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(of_pane)) {
      ids.push_back(name.substr(of_pane.size()));
    }
  }
  return ids;
}

void CommandFiles::remove_locks() const noexcept {
  for (const std::string& id : owned_apart(*this)) {
    remove_file(owner_path(id));
  }
  remove_file(lock_path());
  remove_file(runtime_ / (pane_ + ".queue"));  // TabTurns
  remove_file(typing_lock_path());
}

bool RunningMarks::may_have(const CommandFiles& files) {
  const auto [found, is_new] = found_.try_emplace(files.directory().native(), Names());
  std::optional<Names>& names = found->second;
  if (is_new) {
    std::error_code error;
    auto entry = list_directory(files.directory(), error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      names->insert(entry->path().filename().native());
    }
    if (error && error != std::errc::no_such_file_or_directory) {
      names.reset();
    }
  }
  return !names || names->contains(files.mark());
}

}  // namespace terminally
