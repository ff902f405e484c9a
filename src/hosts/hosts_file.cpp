// Reads, checks and writes hosts.json.
#include "hosts/hosts_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <nlohmann/json.hpp>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/utf8.hpp"
#include "json/json_reader.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kMostHosts = 200;
constexpr std::size_t kMostWords = 100;
constexpr std::size_t kLongestWord = 4'096;

[[noreturn]] void refuse(const std::string& where, const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, where + ": " + problem);
}

bool is_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Whether `text` has only letters, digits and `also`, none special to a shell, and is no flag.
bool is_plain(std::string_view text, std::string_view also) {
  const auto fits = [also](char c) { return is_alnum(c) || also.find(c) != std::string_view::npos; };
  return !text.empty() && text.size() <= kLongestWord && text.front() != '-' &&
         std::ranges::all_of(text, fits);
}

std::string text_of(const json& value, const std::string& where) {
  if (!value.is_string()) {
    refuse(where, "must be a string");
  }
  return value.get<std::string>();
}

std::vector<std::string> words_of(const json& value, const std::string& where) {
  if (!value.is_array()) {
    refuse(where, R"(must be a list of strings, as in ["docker", "exec", "-i", "web"])");
  }
  std::vector<std::string> words;
  for (const json& word : value) {
    words.push_back(text_of(word, where));
  }
  return words;
}

void check_words(const std::vector<std::string>& words, const std::string& where) {
  const auto bad = [](const std::string& word) {
    return word.empty() || word.size() > kLongestWord || word.find('\0') != std::string::npos ||
           !is_valid_utf8(word);
  };
  if (words.empty() || words.size() > kMostWords || std::ranges::any_of(words, bad)) {
    refuse(where, "must be 1 to " + std::to_string(kMostWords) + " words of UTF-8 without NUL, none empty");
  }
  if (words.front().front() == '-') {
    refuse(where, "starts with \"" + shortened(words.front(), 80) + "\"; the first word must be a program");
  }
}

HostEntry read_host(const std::string& name, const json& fields, const std::string& where) {
  HostEntry host;
  host.name = name;
  if (!fields.is_object()) {
    refuse(where, R"(must be an object, as in {"ssh": "build1"})");
  }
  for (const auto& [key, value] : fields.items()) {
    const std::string at = where + "." + shortened(key, 80);
    if (key == "ssh") {
      host.ssh = text_of(value, at);
    } else if (key == "ssh_config") {
      host.ssh_config = text_of(value, at);
    } else if (key == "command") {
      host.command = words_of(value, at);
    } else if (key == "terminal") {
      host.terminal = words_of(value, at);
    } else if (key == "program") {
      host.program = text_of(value, at);
    } else if (key == "instance") {
      host.instance = text_of(value, at);
    } else if (key == "state_dir") {
      host.state_dir = text_of(value, at);
    } else if (key == "file_roots") {
      host.file_roots = words_of(value, at);
    } else {
      refuse(at,
             "is unknown; allowed: ssh, ssh_config, command, terminal, program, instance, state_dir, "
             "file_roots");
    }
  }
  return host;
}

void check(const HostEntry& host, const std::string& where) {
  if (!is_host_name(host.name)) {
    refuse(where,
           "is no name of a host: 1 to 64 letters, digits, '.', '_' and '-', the first a letter or digit");
  }
  if (host.ssh.empty() == host.command.empty()) {
    refuse(where,
           std::string(host.ssh.empty() ? "has neither" : "has both") +
               " ssh (hosts add NAME --ssh DESTINATION) and command (hosts add NAME -- docker exec -i web): "
               "give it one of them");
  }
  if (!host.ssh.empty() && !is_plain(host.ssh, "._@:/+%[]-")) {
    refuse(where + ".ssh",
           "must be a destination of ssh, as in build1 or me@10.0.0.7: letters, digits and "
           "._@:/+%[]-, not beginning with '-'");
  }
  if (!host.ssh_config.empty() &&
      (host.ssh.empty() || host.ssh_config.front() != '/' || !is_valid_utf8(host.ssh_config))) {
    refuse(where + ".ssh_config", "must be an absolute path in UTF-8, beside ssh");
  }
  if (!host.command.empty()) {
    check_words(host.command, where + ".command");
  }
  if (host.instance == "auto" || host.instance == "unnamed") {
    refuse(where + ".instance", "must be a name; without it the tabs there end with the server here");
  }
  if (!host.terminal.empty()) {
    if (host.command.empty()) {
      refuse(where + ".terminal", "is only for hosts with command; ssh opens a terminal itself");
    }
    check_words(host.terminal, where + ".terminal");
  }
  // ssh hands the program to the user's shell there, which may expand '~'; no other character is special.
  if (!is_plain(host.program, host.ssh.empty() ? "._/+-" : "._/+-~")) {
    refuse(where + ".program",
           "must be a path or name of letters, digits and ._/+-" + std::string(host.ssh.empty() ? "" : "~"));
  }
  if (!host.state_dir.empty() && (!host.state_dir.starts_with('/') || !is_plain(host.state_dir, "._/+-"))) {
    refuse(where + ".state_dir",
           "must be an absolute path there of letters, digits and ._/+-, as in /data/terminally");
  }
  for (const std::string& root : host.file_roots) {
    if (!root.starts_with('/') || root.size() > kLongestWord || root.find('\0') != std::string::npos ||
        !is_valid_utf8(root)) {
      refuse(where + ".file_roots", "must be absolute paths there, in UTF-8, as in [\"/srv/app\"]");
    }
  }
  if (host.file_roots.size() > kMostWords) {
    refuse(where + ".file_roots", "has more than " + std::to_string(kMostWords) + " paths");
  }
  if (!host.instance.empty() && (!is_host_name(host.instance) || host.instance.size() > 32)) {
    refuse(where + ".instance",
           "must be 1 to 32 letters, digits, '.', '_' and '-', the first a letter or digit");
  }
}

}  // namespace

void check_host(const HostEntry& host) {
  check(host, "host \"" + shortened(to_valid_utf8(host.name), 80) + "\"");
}

std::vector<HostEntry> parse_hosts(std::string_view text, const std::string& path) {
  json value;
  std::string detail;
  if (read_json(text, value, detail) != JsonFault::none) {
    refuse(path, detail);
  }
  if (!value.is_object() || value.size() > kMostHosts) {
    refuse(path, R"(must be an object of at most )" + std::to_string(kMostHosts) +
                     R"( hosts by name, as in {"build1": {"ssh": "build1"}})");
  }
  std::vector<HostEntry> hosts;
  for (const auto& [name, fields] : value.items()) {
    const std::string where = path + ": " + shortened(name, 80);
    hosts.push_back(read_host(name, fields, where));
    check(hosts.back(), where);
  }
  return hosts;
}

std::string write_hosts(const std::vector<HostEntry>& hosts) {
  ordered_json all = ordered_json::object();
  for (const HostEntry& host : hosts) {
    ordered_json& fields = all[host.name];
    const auto put = [&fields](const char* key, const auto& value) {
      if (!value.empty()) {
        fields[key] = value;
      }
    };
    put("ssh", host.ssh);
    put("ssh_config", host.ssh_config);
    put("command", host.command);
    put("terminal", host.terminal);
    put("program", host.program == HostEntry().program ? std::string() : host.program);
    put("instance", host.instance);
    put("state_dir", host.state_dir);
    put("file_roots", host.file_roots);
  }
  return all.dump(2) + "\n";
}

namespace {

bool is_ours(const struct stat& about) {
  return about.st_uid == ::geteuid() || about.st_uid == 0;
}

Error somebody_elses(const std::filesystem::path& path, const std::string& must) {
  return Error(ErrorCode::io, path.string() + " is refused, as it names commands that are run: " + must);
}

struct stat stat_of(const std::filesystem::path& path, int flags) {
  struct stat about{};
  if (::fstatat(AT_FDCWD, path.c_str(), &about, flags) != 0) {
    throw io_error("cannot read " + path.string(), errno);
  }
  return about;
}

/// Who may put another file in its place, or another directory or link on the way to it, chooses what is run
/// as well.
void refuse_replaceable(const std::filesystem::path& path) {
  constexpr int kMostLinks = 40;
  const std::filesystem::path whole = std::filesystem::absolute(path);
  std::deque<std::filesystem::path> left(whole.begin(), whole.end());
  std::filesystem::path at;
  for (int links = 0; !left.empty() && links < kMostLinks;) {
    const std::filesystem::path name = left.front();
    left.pop_front();
    if (name.is_absolute()) {
      at = name;
    } else if (name == "..") {
      at = at.parent_path();
    }
    if (name.is_absolute() || name == ".." || name == "." || name.empty()) {
      continue;
    }
    const struct stat around = stat_of(at, 0);
    const struct stat about = stat_of(at / name, AT_SYMLINK_NOFOLLOW);
    const bool is_link = S_ISLNK(about.st_mode);
    const bool open_to_all = (around.st_mode & S_IWOTH) != 0 && (around.st_mode & S_ISVTX) == 0;
    if (open_to_all || (is_link && !is_ours(about)) || (left.empty() && !is_ours(around))) {
      throw somebody_elses(path,
                           "its directory and the links to it must be yours or root's, and no directory "
                           "on the way writable for all (chmod o-w " +
                               at.string() + ")");
    }
    if (is_link) {
      ++links;
      std::error_code error;
      const std::filesystem::path target = std::filesystem::read_symlink(at / name, error);
      if (error) {
        throw io_error("cannot read " + path.string(), error.value());
      }
      left.insert(left.begin(), target.begin(), target.end());
    } else {
      at /= name;
    }
  }
  if (!left.empty()) {
    throw io_error("cannot read " + path.string(), ELOOP);
  }
}

}  // namespace

std::vector<HostEntry> read_hosts(const std::filesystem::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) {
    return {};
  }
  struct stat about{};
  if (!file || ::fstat(file.get(), &about) != 0) {
    throw io_error("cannot read " + path.string(), errno);
  }
  if (!S_ISREG(about.st_mode) || !is_ours(about) || (about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    throw somebody_elses(path, "it must be a file of yours or root's that nobody else may write (chmod 600)");
  }
  refuse_replaceable(path);
  constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
  std::string text(kMostBytes + 1, '\0');
  std::size_t size = 0;
  for (ssize_t got = 1; got > 0 && size < text.size(); size += static_cast<std::size_t>(got)) {
    got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0) {
      throw io_error("cannot read " + path.string(), errno);
    }
  }
  if (size > kMostBytes) {
    refuse(path.string(), "has more than " + std::to_string(kMostBytes) + " bytes");
  }
  text.resize(size);
  return parse_hosts(text, path.string());
}

bool is_same_way(const HostEntry& a, const HostEntry& b) {
  return a.ssh == b.ssh && a.ssh_config == b.ssh_config && a.command == b.command;
}

void set_program(std::vector<HostEntry>& hosts, const HostEntry& pushed) {
  const auto entry = std::ranges::find(hosts, pushed.name, &HostEntry::name);
  if (entry == hosts.end() || !is_same_way(*entry, pushed)) {
    throw Error(ErrorCode::not_found, "the host " + pushed.name + " was " +
                                          (entry == hosts.end() ? "removed" : "changed") +
                                          " while the program was copied there, to " + pushed.program +
                                          "; the file of hosts was left as it is");
  }
  entry->program = pushed.program;
}

}  // namespace terminally
