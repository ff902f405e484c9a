// Explains in words why a pipe to a host did not come up, from its exit code and its output.
#include "hosts/pipe_errors.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/utf8.hpp"

namespace terminally {
namespace {

constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;
constexpr int kSshFailed = 255;

/// The last 400 bytes of `text` on one line, with blanks for control characters.
std::string last_words(std::string_view text) {
  constexpr std::size_t kMost = 400;
  std::string out;
  for (const char c : to_valid_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const char shown = byte < 0x20 || byte == 0x7f ? ' ' : c;
    if (shown != ' ' || (!out.empty() && out.back() != ' ')) {
      out.push_back(shown);
    }
  }
  while (out.ends_with(' ')) {
    out.pop_back();
  }
  if (out.size() > kMost) {
    out = std::string(kCutMark) + to_valid_utf8(out.substr(out.size() - kMost));
  }
  return out;
}

std::string quoted_words(std::string_view text) {
  const std::string words = last_words(text);
  return words.empty() ? "" : ": \"" + words + "\"";
}

struct Known {
  std::string_view part;  ///< of the error output
  std::string_view what;
};

constexpr std::string_view kNotLetIn =
    "ssh was refused: it must log in without a question (a key in an agent, or in ~/.ssh/config); try "
    "ssh -o BatchMode=yes DESTINATION by hand";
constexpr std::string_view kAsksForPassword =
    "sudo asks for a password, and nobody is there to give it: allow this account to do that without one "
    "(NOPASSWD: in sudoers)";
constexpr std::string_view kNotInSudoers = "sudo does not let this account do that: ask its administrator";

constexpr std::string_view kNoTerminal =
    "its command makes or wants a terminal, where a pipe is needed: leave -t, -tt or -it out of it, and give "
    "the "
    "one with -it as \"terminal\"";

constexpr std::string_view kNeedsLibraries =
    "terminally-mcp lacks shared libraries there: push the static build (hosts push --from FILE)";

constexpr std::string_view kNoPlace =
    "terminally-mcp can write nothing there: name a place for the program (hosts push NAME --to DIR), and "
    "one for "
    "its logs (\"state_dir\" in hosts.json, by hosts add NAME --state-dir-there DIR). For its sockets it "
    "needs /tmp, "
    "or TERMINALLY_RUNTIME_DIR, which \"command\" may set";
/// As base/files.cpp says it.
constexpr std::string_view kCannotMake = "cannot make the directory ";

/// Error output of an ssh that ended with 255. The first entry that matches is reported.
constexpr std::array kOfSsh = {
    Known{"REMOTE HOST IDENTIFICATION HAS CHANGED",
          "its host key has changed: this may be an attack. Nothing was sent. If the new key is right, "
          "ssh-keygen -R removes the old one"},
    Known{"Host key verification failed",
          "ssh does not know its host key yet: connect once by hand with ssh and compare it"},
    Known{"Could not resolve hostname",
          "its name is not known: look at it in hosts.json, and in ~/.ssh/config"},
    Known{"Connection refused", "nothing listens there: is its sshd running, and the port right?"},
    Known{"No route to host", "there is no way to it: is it up, and the network?"},
    Known{"Network is unreachable", "there is no way to it: is the network up?"},
    Known{"timed out", "it did not answer: is it up, and does a firewall let ssh through?"},
    Known{"Permission denied", kNotLetIn},
    Known{"Too many authentication failures",
          "ssh was refused: too many keys were offered; name one in ~/.ssh/config (IdentityFile, "
          "IdentitiesOnly)"},
};

/// Output of the command that makes the pipe, and of terminally-mcp itself. The first match is reported.
constexpr std::array kOfAll = {
    Known{"Exec format error",
          "terminally-mcp there is for another kind of machine: terminally-mcp hosts push needs one of its "
          "architecture"},
    Known{"cannot execute binary file",
          "terminally-mcp there is for another kind of machine: terminally-mcp hosts push needs one of its "
          "architecture"},
    Known{"error while loading shared libraries", kNeedsLibraries},
    Known{"not found (required by", kNeedsLibraries},
    Known{"allows sftp connections only", "it allows files by sftp only, no programs: ask its administrator"},
    Known{"Permission denied (publickey", kNotLetIn},  // of an ssh behind another program
    Known{"a password is required", kAsksForPassword},
    Known{"a terminal is required to read the password", kAsksForPassword},
    Known{"no tty present", kAsksForPassword},
    Known{"must have a tty to run sudo",
          "sudo wants a terminal, and a pipe has none: !requiretty in sudoers"},
    Known{"is not in the sudoers file", kNotInSudoers},
    Known{"is not allowed to execute", kNotInSudoers},
    Known{"sudo: unknown user", "there is no such user"},
    Known{"not a TTY", kNoTerminal},  // of docker
    Known{"standard input is a terminal", kNoTerminal},
    Known{"No such container", "there is no such container"},
    Known{"is not running", "that container does not run: start it"},
    Known{"restricted",
          "its shell is restricted, and does not run terminally-mcp: give \"program\" a plain name on "
          "its PATH, or ask its administrator"},
    Known{"is used through another gateway",
          "its instance is in use by another server: leave \"instance\" out of hosts.json, so that each has "
          "one "
          "of its own there"},
    Known{"No space left on device", "its disk is full"},
    Known{"Read-only file system",
          "its disk is read-only: name another place for the program (hosts push NAME --to DIR), and one for "
          "its "
          "logs (hosts add NAME --state-dir-there DIR). For its sockets it needs /tmp, or "
          "TERMINALLY_RUNTIME_DIR"},
    Known{kCannotMake, kNoPlace},
    Known{"annot create directory", kNoPlace},  // mkdir of coreutils, for hosts push
    Known{"an't create directory", kNoPlace},   // of busybox
};

template <std::size_t N>
std::string_view known(const std::array<Known, N>& all, std::string_view complained) {
  const auto found = std::ranges::find_if(
      all, [&](const Known& one) { return complained.find(one.part) != std::string_view::npos; });
  return found == all.end() ? std::string_view() : found->what;
}

std::string no_program(const HostEntry& host) {
  return host.program + " is not installed there, or not on its PATH: terminally-mcp hosts push " +
         host.name + " puts it there, \"program\" in hosts.json says where it is";
}

/// Whether a line says that there is no such program: as a shell, sudo, env or a container's runtime does,
/// each with an exit code of its own. A program that runs there begins its lines with its own name.
bool says_no_program(const HostEntry& host, std::string_view complained) {
  const std::string name = host.program.substr(host.program.rfind('/') + 1);  // npos + 1 is 0
  for (std::size_t at = 0; at < complained.size();) {
    const std::string_view line = complained.substr(at, complained.find('\n', at) - at);
    const auto has = [line](std::string_view words) { return line.find(words) != std::string_view::npos; };
    if (has(name) && (has("ommand not found") || (!line.starts_with("terminally-mcp: ") &&
                                                  (has("not found") || has("o such file or directory"))))) {
      return true;
    }
    at += line.size() + 1;
  }
  return false;
}

std::string no_answer(const HostEntry& host, const PipeEnd& end) {
  std::string text = "no answer within " + std::to_string(end.waited_s) + " s. " +
                     (host.ssh.empty() ? "Its command in hosts.json may ask for something (a password)"
                                       : "A start-up file of its shell or a forced command may wait for "
                                         "something") +
                     ", or the machine is stuck; nothing was sent";
  const std::string printed = last_words(end.printed);
  return printed.empty() ? text : text + ". It printed \"" + printed + "\"";
}

std::string ended_with(const HostEntry& host, const PipeEnd& end, int code) {
  const std::string words = quoted_words(end.complained);
  const std::string_view ssh = code == kSshFailed ? known(kOfSsh, end.complained) : std::string_view();
  if (!ssh.empty()) {
    return std::string(ssh) + words;
  }
  if (const std::string_view what = known(kOfAll, end.complained + end.printed); !what.empty()) {
    return std::string(what) + words;
  }
  if (code == kNotFound || says_no_program(host, end.complained)) {
    return no_program(host) + words;
  }
  if (code == kNotExecutable) {
    return host.program + " there cannot be run: is it executable, and its file system not mounted noexec?" +
           words;
  }
  if (!host.ssh.empty() && code == kSshFailed) {
    return "ssh could not connect" + (words.empty() ? ", and did not say why" : words);
  }
  const std::string all = end.complained + " " + end.printed;
  if (all.find("gateway") != std::string::npos && all.find("no subcommand") != std::string::npos) {
    return "terminally-mcp there is too old to be a host: terminally-mcp hosts push " + host.name + words;
  }
  if (end.complained.starts_with("terminally-mcp: ")) {  // the program started and says what is wrong
    return "terminally-mcp there exited with code " + std::to_string(code) + words;
  }
  const std::string printed = last_words(end.printed);
  return "the command that connects exited with code " + std::to_string(code) +
         " before terminally-mcp answered" + words +
         (printed.empty() ? "" : ", printed was \"" + printed + "\"") +
         (host.ssh.empty()
              ? ". Try its command in hosts.json by hand: it must need no terminal and ask nothing"
              : ". A forced command, or a start-up file that leaves, does that");
}

}  // namespace

std::string with_place_named(const std::string& said) {
  return said.starts_with(kCannotMake) ? std::string(kNoPlace) + ": " + said : said;
}

std::string explain_pipe(const HostEntry& host, const PipeEnd& end) {
  if (end.too_much) {
    return "it printed more than 1 MiB instead of a hello: \"" + last_words(end.printed) +
           "\". Look at its shell's start-up files";
  }
  return end.exit_code ? ended_with(host, end, *end.exit_code)
                       : no_answer(host, end) + quoted_words(end.complained);
}

}  // namespace terminally
