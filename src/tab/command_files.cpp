#include "tab/command_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <sstream>
#include <utility>

#include "base/command_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/reserved_space.hpp"

namespace terminally {
namespace {

constexpr std::string_view kForce = "force";

/// What each command has, by the letters that SpareFiles knows it by.
constexpr std::array kAllHave = {CommandFile::end, CommandFile::hook, CommandFile::taken};
constexpr std::array kHaveText = {'w', static_cast<char>(CommandFile::text)};
constexpr char kExit = 'x';
constexpr char kRunning = 'r';

char letter_of(const std::filesystem::path& file) {
  const auto kind = command_file_of(file.filename().native());
  return kind ? static_cast<char>(*kind) : kHaveText.front();
}

}  // namespace

CommandFiles::CommandFiles(std::filesystem::path directory, PaneId pane)
    : directory_(std::move(directory)), pane_(std::to_string(pane.number)), spare_(directory_, pane_) {}

void CommandFiles::write(const ShellScript& script, const std::string& nonce) const {
  const ReservedSpace reserve(directory_);
  if (reserve.is_needed()) {
    (void)!reserve.give_up();  // what is written now may fit, and the exit code not
  }
  try {
    write_all_of(script, nonce);
    return;
  } catch (const Error&) {  // there are two more places
    for (const char letter : kHaveText) {
      spare_.remove(letter);  // it has the text of the last command, and nobody may come to take it
    }
  }
  if (reserve.give_up()) {
    try {
      write_all_of(script, nonce);
      return;
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): there is one more place
    }
  }
  keep_all_of(script, nonce);
}

void CommandFiles::write_all_of(const ShellScript& script, const std::string& nonce) const {
  if (!kept_->ended.empty()) {
    put_aside(std::exchange(kept_->ended, {}), false);  // they are written over at once
  }
  if (is_gone(directory_)) {
    make_private_directory(directory_.parent_path());
    make_private_directory(directory_);
  }
  for (const ShellScript::File& file : script.files) {
    spare_.write(letter_of(file.path), file.path, file.content);
  }
  // Ours, so that the shell's umask does not make it readable for others.
  spare_.write(kExit, exit_path(nonce), "");
}

/// Makes all of them links to memory, also those that are on the disk already: these could be cut short.
void CommandFiles::keep_all_of(const ShellScript& script, const std::string& nonce) const {
  std::vector<MemoryFile>& kept = kept_->in_memory[nonce];
  kept.clear();
  for (const ShellScript::File& file : script.files) {
    kept.emplace_back(file.path, file.content);
  }
  kept.emplace_back(exit_path(nonce), "");
}

bool CommandFiles::are_gone(const std::string& nonce) const {
  struct stat info{};
  return ::stat(exit_path(nonce).c_str(), &info) != 0 && errno == ENOENT;
}

void CommandFiles::mark_running(const std::string& nonce, const std::string& cwd) const {
  const std::filesystem::path path = directory_ / (pane_ + ".run");
  const std::string content = nonce + "\n" + (cwd.find('\n') == std::string::npos ? cwd : "") + "\n";
  try {
    spare_.write_whole(kRunning, path, content);  // the tab's lock is ours
  } catch (const Error&) {
    kept_->in_memory[nonce].emplace_back(path, content);
  }
}

std::optional<std::int64_t> CommandFiles::ended_at_ms(const std::string& nonce) const {
  struct stat info{};
  if (::stat(exit_path(nonce).c_str(), &info) != 0 || info.st_size == 0) {
    return std::nullopt;
  }
  return std::int64_t{info.st_mtim.tv_sec} * 1'000 + info.st_mtim.tv_nsec / 1'000'000;
}

bool CommandFiles::is_cancelled(const std::string& nonce) const {
  std::error_code error;
  return std::filesystem::exists(path_of(nonce, CommandFile::cancelled), error);
}

bool CommandFiles::is_cancelled_by_force(const std::string& nonce) const {
  return read_file(path_of(nonce, CommandFile::cancelled)) == kForce;
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
  const auto content = read_file(directory_ / (pane_ + ".run"));
  const std::size_t end = content ? content->find('\n') : std::string::npos;
  return end == std::string::npos ? std::nullopt : std::optional(content->substr(0, end));
}

std::optional<int> CommandFiles::exit_code(const std::string& nonce) const {
  const auto content = read_file(exit_path(nonce));
  int code = 0;
  if (!content || content->empty()) {
    return std::nullopt;
  }
  const auto [rest, error] = std::from_chars(content->data(), content->data() + content->size(), code);
  return error == std::errc() ? std::optional(code) : std::nullopt;
}

void CommandFiles::mark_cancelled(const std::string& nonce, bool force) const noexcept {
  if (!force && is_cancelled(nonce)) {
    return;  // force that was asked for stays
  }
  try {
    write_file(path_of(nonce, CommandFile::cancelled), force ? std::string(kForce) : "");
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): it is ended all the same
  }
}

void CommandFiles::mark_signalled(const std::string& nonce) const noexcept {
  try {
    write_file(path_of(nonce, CommandFile::signalled), "");
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): it is sent all the same
  }
}

void CommandFiles::remove_script(const std::string& nonce) const noexcept {
  remove_file(directory_ / command_id_of(nonce));
}

void CommandFiles::unmark_running(const std::string& nonce) const noexcept {
  if (running_nonce() != nonce) {
    return;
  }
  const std::filesystem::path mark = directory_ / (pane_ + ".run");
  if (kept_->in_memory.contains(nonce)) {
    remove_file(mark);  // a link
  } else {
    spare_.keep(kRunning, mark);
  }
}

void CommandFiles::remove(const std::string& nonce) const noexcept {
  unmark_running(nonce);
  remove_script(nonce);
  remove_file(path_of(nonce, CommandFile::text));
  for (const CommandFile file : kAllHave) {
    remove_file(path_of(nonce, file));
  }
  remove_file(exit_path(nonce));
  remove_what_few_have(nonce);
}

bool CommandFiles::note_end(const std::string& nonce) const {
  if (kept_->in_memory.contains(nonce)) {
    return false;
  }
  if (!kept_->ended.empty()) {
    tidy(std::string(kept_->ended), true);
  }
  kept_->ended = nonce;
  return true;
}

void CommandFiles::tidy(const std::string& nonce, bool tab_lives) const noexcept {
  kept_->ended.clear();
  if (tab_lives) {
    put_aside(nonce, true);
  } else {
    remove(nonce);
    remove_spares();
  }
}

/// Keeps them for the next command. `emptied`: with nothing of the text.
void CommandFiles::put_aside(const std::string& nonce, bool emptied) const noexcept {
  unmark_running(nonce);
  spare_.keep(kHaveText[0], directory_ / command_id_of(nonce), emptied);
  spare_.keep(kHaveText[1], path_of(nonce, CommandFile::text), emptied);
  for (const CommandFile file : kAllHave) {
    spare_.keep(static_cast<char>(file), path_of(nonce, file));
  }
  spare_.keep(kExit, exit_path(nonce));
  remove_what_few_have(nonce);
}

void CommandFiles::remove_what_few_have(const std::string& nonce) const noexcept {
  using enum CommandFile;
  for (const CommandFile file : {cancelled, signalled, CommandFile::directory}) {
    remove_file(path_of(nonce, file));
  }
  kept_->in_memory.erase(nonce);
  ReservedSpace(directory_).take();
}

std::optional<CommandFiles::ShellEnd> CommandFiles::shell_end() const {
  const auto content = read_file(directory_ / (pane_ + ".ended"));
  ShellEnd end;
  std::istringstream fields(content.value_or(""));
  if (!(fields >> end.code >> end.lived_ms >> end.when >> end.next)) {
    return std::nullopt;
  }
  return end;
}

std::optional<CommandFiles::ShellEnd> CommandFiles::take_shell_end() const {
  auto end = shell_end();
  if (end) {
    remove_file(directory_ / (pane_ + ".ended"));
  }
  return end;
}

std::filesystem::path CommandFiles::path_of(const std::string& nonce, CommandFile file) const {
  return directory_ / command_file(nonce, file);
}

std::filesystem::path CommandFiles::exit_path(const std::string& nonce) const {
  return directory_ / (nonce + ".exit");
}

std::filesystem::path CommandFiles::lock_path() const {
  return directory_ / (pane_ + ".lock");
}

std::filesystem::path CommandFiles::typing_lock_path() const {
  return directory_ / (pane_ + ".typing");
}

void CommandFiles::remove_locks() const noexcept {
  remove_file(lock_path());
  remove_file(typing_lock_path());
  remove_spares();
}

void CommandFiles::remove_spares() const noexcept {
  for (const CommandFile file : kAllHave) {
    spare_.remove(static_cast<char>(file));
  }
  for (const char letter : {kHaveText[0], kHaveText[1], kExit, kRunning}) {
    spare_.remove(letter);
  }
}

}  // namespace terminally
