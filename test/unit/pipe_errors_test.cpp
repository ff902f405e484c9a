#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "hosts/pipe_errors.hpp"

using namespace terminally;

namespace {

struct AFailure {
  int code;
  const char* complained;
  const char* said;  ///< a part of what is said
};

std::string explained(const AFailure& failure, bool by_ssh = true) {
  HostEntry host;
  host.name = "build1";
  (by_ssh ? host.ssh : host.command.emplace_back()) = "x";
  PipeEnd end;
  end.exit_code = failure.code;
  end.complained = failure.complained;
  return explain_pipe(host, end);
}

}  // namespace

TEST_CASE("pipe errors: each way it fails is said in its own words, with what to do") {
  const std::vector<AFailure> failures = {
      {255, "ssh: Could not resolve hostname nowhere: Name or service not known", "its name is not known"},
      {255, "ssh: connect to host x port 22: Connection refused", "nothing listens there"},
      {255, "ssh: connect to host x port 22: Connection timed out", "did not answer"},
      {255, "me@x: Permission denied (publickey).", "ssh was refused"},
      {255, "@@@\nWARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!\n@@@\nHost key verification failed.",
       "host key has changed"},
      {255, "Host key verification failed.", "connect once by hand"},
      {255, "", "did not say why"},
      {127, "bash: line 1: exec: terminally-mcp: not found", "is not installed there"},
      {126, "bash: line 1: /x/terminally-mcp: Permission denied", "noexec"},
      {126, "bash: /x: cannot execute binary file: Exec format error", "another kind of machine"},
      {127, "./x: error while loading shared libraries: libvterm.so.0: cannot open", "push the static build"},
      {1, "./x: /lib/libc.so.6: version `GLIBC_2.36' not found (required by ./x)", "push the static build"},
      {1, "This service allows sftp connections only.", "by sftp only"},
      {1, "terminally-mcp: instance \"w\" is used through another gateway, by pid 7",
       "leave \"instance\" out"},
      {1, "rbash: exec: restricted", "its shell is restricted"},
      {1, "cannot make /tmp/x: No space left on device", "its disk is full"},
      {2, "terminally-mcp: \"gateway\" is no subcommand; there are: ls", "too old"},
      {0, "", "a start-up file that leaves"},
  };
  for (const AFailure& failure : failures) {
    const std::string text = explained(failure);
    CHECK_MESSAGE(text.find(failure.said) != std::string::npos, text);
  }
  const std::vector<AFailure> of_commands = {
      {1, "sudo: a password is required", "sudo asks for a password"},
      {1, "sudo: a terminal is required to read the password; either use the -S option", "NOPASSWD"},
      {1, "sudo: no tty present and no askpass program specified", "sudo asks for a password"},
      {1, "me is not in the sudoers file.  This incident will be reported.", "does not let this account"},
      {1, "Sorry, user me is not allowed to execute '/x gateway' as deploy on b.",
       "does not let this account"},
      {1, "sudo: sorry, you must have a tty to run sudo", "requiretty"},
      {1, "sudo: unknown user deploy", "there is no such user"},
      {255, "me@x: Permission denied (publickey).", "ssh was refused"},
      {1, "me@x: Permission denied (publickey,password).", "ssh was refused"},
      {255, "ssh: connect to host x port 22: Connection refused", "nothing listens there"},
      {255, "Host key verification failed.", "connect once by hand"},
      {3, "", "by hand"},
      {1, "mkdir: cannot create directory '/.local': Permission denied", "hosts push NAME --to DIR"},
      {1, "mkdir: cannot create directory '/root/.local': Read-only file system", "--state-dir-there DIR"},
      {1, "mkdir: can't create directory '/.local': Permission denied", "hosts push NAME --to DIR"},
      {1, "terminally-mcp: cannot make the directory /.local/state: Permission denied; make it, or choose",
       "\"state_dir\" in hosts.json"},
      {1, "mkdir: cannot create directory '/a': No space left on device", "its disk is full"},
  };
  for (const AFailure& failure : of_commands) {
    const std::string text = explained(failure, false);
    CHECK_MESSAGE(text.find(failure.said) != std::string::npos, text);
    CHECK_MESSAGE(text.find("forced command") == std::string::npos, text);
  }
  CHECK(explained({1, "Error response from daemon: No such container: web", "no such container"}, false)
            .find("there is no such container") != std::string::npos);
}

TEST_CASE("pipe errors: that the program is not there is known by the words, whatever the exit code") {
  for (const AFailure& failure : std::vector<AFailure>{
           {1, "sudo: terminally-mcp: command not found", ""},
           {1, "doas: terminally-mcp: command not found", ""},
           {1, "motd\nterminally-mcp: Command not found.\n", ""},  // tcsh
           {1, "error: exec: \"terminally-mcp\": executable file not found in $PATH: unknown", ""},
           {126, "OCI runtime exec failed: exec: \"terminally-mcp\": executable file not found in $PATH", ""},
           {126, "exec: \"/opt/terminally-mcp\": stat /opt/terminally-mcp: no such file or directory", ""},
           {1, "Failed to find executable terminally-mcp: No such file or directory", ""},
           {127, "", ""},
       }) {
    for (const bool by_ssh : {true, false}) {
      const std::string text = explained(failure, by_ssh);
      CHECK_MESSAGE(text.find("hosts push build1") != std::string::npos, text);
    }
  }
  for (const AFailure& failure : std::vector<AFailure>{
           {1, "sudo: docker: command not found", ""},
           {1, "terminally-mcp: cannot open /x: No such file or directory", ""},
           {1, "terminally-mcp: tmux: not found", ""},
           {126, "exec: \"/opt/terminally-mcp\": permission denied: unknown", ""},
       }) {
    CHECK_MESSAGE(explained(failure, false).find("hosts push") == std::string::npos, failure.complained);
  }
}

TEST_CASE("pipe errors: a command that wants a terminal is told which flag to leave out") {
  CHECK(explained({1, "the input device is not a TTY", ""}, false).find("leave -t, -tt or -it out") !=
        std::string::npos);
}

TEST_CASE("pipe errors: what terminally-mcp there says itself is not guessed at") {
  const std::string text = explained({1, "terminally-mcp: cannot lock /run/x: it is nobody's", ""});
  CHECK(text.find("exited with code 1: \"terminally-mcp: cannot lock /run/x") != std::string::npos);
  CHECK(text.find("forced command") == std::string::npos);
}

TEST_CASE("pipe errors: what others print is on one line, without controls, and short") {
  const std::string text = explained({1, "a\x1b[31mb\nc\xff", ""});
  CHECK(text.find_first_of("\x1b\n") == std::string::npos);
  const std::string words(100'000, 'x');
  CHECK(explained({1, words.c_str(), ""}).size() < 1'000);
}

TEST_CASE("pipe errors: no answer in time, and what it printed meanwhile") {
  HostEntry host;
  host.ssh = "x";
  PipeEnd end;
  end.waited_s = 15;
  end.printed = "Your name? ";
  const std::string text = explain_pipe(host, end);
  CHECK(text.find("no answer within 15 s") != std::string::npos);
  CHECK(text.find("Your name?") != std::string::npos);
  HostEntry by_command;
  by_command.command = {"sudo", "-u", "deploy"};
  CHECK(explain_pipe(by_command, end).find("(a password)") != std::string::npos);
  end.too_much = true;
  CHECK(explain_pipe(host, end).find("more than 1 MiB instead of a hello") != std::string::npos);
}

TEST_CASE(
    "pipe errors H1: what a tool says there names a place where the program found none, and else is as it "
    "was") {
  const std::string none =
      "cannot make the directory /.local/state/terminally-mcp: Permission denied; make it";
  CHECK(with_place_named(none).ends_with(": " + none));
  CHECK(with_place_named(none).find("hosts push NAME --to DIR") != std::string::npos);
  CHECK(with_place_named(none).find("--state-dir-there DIR") != std::string::npos);
  CHECK(with_place_named("path: cannot make the directory /x") == "path: cannot make the directory /x");
}
