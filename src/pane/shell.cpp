// terminally-shell: the process of every pane. It runs the person's shell as a child with job control as
// usual and waits for it.
//
// When the shell ends while a command of ours runs (`exit 3`, `exec prog`, `kill -9 $$`), terminally-shell
// prints the END record with the true wait status, which tmux's pane_dead_status often lacks, and starts a
// new shell in the directory where the command began: the tab lives on. When no command runs, a person left
// the shell: terminally-shell ends too, and the tab closes as in any terminal. The tab has no TMUX and
// TMUX_PANE of the private server, so that `tmux kill-server` typed there cannot reach it.
//
// A shell that ends before its first prompt (`exit 3` in its start-up files) is started again without them,
// then /bin/sh. A shell that ends by itself at its prompt (TMOUT) is started again in its directory. Both,
// and the end that closes the tab, are noted in "<pane>.ended". Until the first command of ours TMUX, STY and
// ZELLIJ have a value that leads nowhere, so that start-up files open no multiplexer in the tab.
//
// pane/shell_setup.hpp describes the environment. tab/command_files.hpp describes the files: "<pane>.run"
// says that a command runs (its nonce, then its directory), "<nonce>.exit" holds the exit code.
//
// Static and tiny: no iostream, no Boost.

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "base/conventions.hpp"
#include "pane/prompt_watch.hpp"
#include "pane/sanitizer_options.hpp"
#include "pane/shell_setup.hpp"

namespace {

using Setup = terminally::PaneSetup;

volatile sig_atomic_t hung_up = 0;
volatile sig_atomic_t shell_pid = 0;
/// How many shells in a row crashed within a second or two of their start, before anybody typed: bounds the
/// restarts of a shell that cannot start.
int quick_crashes = 0;
constexpr int kMostQuickCrashes = 3;

/// The terminal is gone, or we are told to end: hangs up on the shell, and kills it if it lives after 2 s.
void on_hang_up(int signal_number) {
  const int saved_errno = errno;
  if (shell_pid > 0) {
    kill(static_cast<pid_t>(shell_pid), signal_number == SIGALRM ? SIGKILL : SIGHUP);
    kill(static_cast<pid_t>(shell_pid), SIGCONT);
  }
  hung_up = 1;
  if (signal_number != SIGALRM) {
    alarm(2);
  }
  errno = saved_errno;
}

/// Follows links: a file may be elsewhere, where there was space.
std::string read_small_file(const std::string& path) {
  std::string content;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return content;
  }
  char buffer[4096];
  ssize_t got = 0;
  while ((got = read(fd, buffer, sizeof buffer)) > 0) {
    content.append(buffer, static_cast<size_t>(got));
  }
  close(fd);
  return content;
}

void write_small_file(const std::string& path, const std::string& content) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd >= 0) {
    (void)!write(fd, content.data(), content.size());
    close(fd);
  }
}

struct Ended {
  int code = 0;
  bool crashed = false;
  bool left = false;  ///< it was not killed by a signal
};

/// What to start: the tab's shell, the same shell without its start-up files, or /bin/sh.
enum class Form { whole, bare, plain };

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool has_line_editor(const std::string& shell) {
  const std::string base = base_name(shell);
  return base != "sh" && base != "dash" && base != "ash" && base != "busybox";
}

std::string program_of(const Setup& setup, Form form) {
  return form == Form::plain ? "/bin/sh" : setup.shell;
}

std::vector<std::string> shell_arguments(const std::string& shell, bool login, Form form) {
  const std::string base = base_name(shell);
  const bool whole = form == Form::whole;
  std::vector<std::string> args{(login && whole ? "-" : "") + base};
  if (base == "zsh") {
    // Keeps our typed line, which begins with a space, out of the history, as bash's usual HISTCONTROL does.
    args.insert(args.end(), {"-o", "histignorespace"});
  }
  if (!whole && base == "bash") {
    args.insert(args.end(), {"--norc", "--noprofile"});
  } else if (!whole && base == "zsh") {
    args.emplace_back("-f");
  } else if (!whole && base == "fish") {
    args.emplace_back("--no-config");
  } else if (!whole) {
    unsetenv("ENV");
  }
  return args;
}

[[noreturn]] void become_shell(const Setup& setup, Form form) {
  setpgid(0, 0);
  tcsetpgrp(STDIN_FILENO, getpid());
  for (const int number : {SIGTTOU, SIGTTIN, SIGTSTP, SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGALRM, SIGPIPE}) {
    signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);

  const std::string shell = program_of(setup, form);
  std::vector<std::string> args = shell_arguments(shell, setup.login, form);
  std::vector<char*> argv;
  argv.reserve(args.size() + 1);
  for (std::string& arg : args) {
    argv.push_back(arg.data());
  }
  argv.push_back(nullptr);
  execv(shell.c_str(), argv.data());
  dprintf(STDERR_FILENO, "terminally-shell: cannot start %s: %s\r\n", shell.c_str(), strerror(errno));
  _exit(127);
}

/// Starts the shell in its own foreground process group and waits until it is gone. A shell that stops itself
/// is continued: there is no parent shell to go back to.
Ended run_shell(const Setup& setup, Form form, terminally::PromptWatch& watch) {
  const pid_t pid = fork();
  if (pid == 0) {
    become_shell(setup, form);
  }
  if (pid < 0) {
    dprintf(STDERR_FILENO, "terminally-shell: cannot fork: %s\r\n", strerror(errno));
    return {127, false, true};
  }
  const time_t begin = time(nullptr);
  shell_pid = static_cast<sig_atomic_t>(pid);
  // The shell takes the terminal itself: given here, late, it would be taken from the shell's first program.
  setpgid(pid, pid);
  int status = 0;
  watch.begin(pid);
  for (;;) {
    const pid_t got = waitpid(pid, &status, WUNTRACED | WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) {
      watch.wait();
      continue;
    }
    if (got == pid && WIFSTOPPED(status)) {
      tcsetpgrp(STDIN_FILENO, pid);
      kill(-pid, SIGCONT);
      continue;
    }
    break;
  }
  watch.take_what_was_typed();
  shell_pid = 0;
  alarm(0);
  // bash dies of a heap error (SIGABRT) after some unclosed texts, fish of SIGXFSZ under `ulimit -f 0`: no
  // person left the tab then.
  quick_crashes = watch.was_typed_at() || time(nullptr) - begin > 1 ? 0 : quick_crashes + 1;
  const bool crashed = WIFSIGNALED(status) && WTERMSIG(status) != SIGHUP && WTERMSIG(status) != SIGTERM &&
                       quick_crashes < kMostQuickCrashes;
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), crashed, WIFEXITED(status)};
}

std::string end_record(const std::string& code, const std::string& nonce, const char* by) {
  return "\033]133;D;" + code + ";mcp=END:" + nonce + by + "\a\033]7;mcp:END:" + nonce + "\a";
}

bool has_file(const std::string& files, const std::string& nonce, terminally::CommandFile which) {
  return access((files + "/" + terminally::command_file(nonce, which)).c_str(), F_OK) == 0;
}

/// What is said behind END, where the server has noted that somebody cancelled the command.
std::string cancelled_line(const std::string& files, const std::string& nonce) {
  if (!has_file(files, nonce, terminally::CommandFile::cancelled)) {
    return "";
  }
  const terminally::Canceller by =
      has_file(files, nonce, terminally::CommandFile::by_person) ? terminally::Canceller::browser
      : has_file(files, nonce, terminally::CommandFile::by_hand) ? terminally::Canceller::command_line
                                                                 : terminally::Canceller::client;
  return "\r\n" + std::string(terminally::cancelled_text(by)) + "\r\n";
}

/// Finishes a command that the shell's end cut short: prints END and changes to the command's directory.
bool finish_interrupted_command(const Setup& setup, int code) {
  const std::string run_file = setup.files_directory + "/" + setup.pane + ".run";
  const std::string content = read_small_file(run_file);
  const size_t line = content.find('\n');
  if (line == std::string::npos) {
    return false;
  }
  unlink(run_file.c_str());  // one command, one new shell: a shell that cannot start does not loop
  const std::string nonce = content.substr(0, line);
  const std::string exit_file = setup.files_directory + "/" + nonce + ".exit";
  const bool tells = read_small_file(exit_file).empty();
  if (tells) {
    write_small_file(exit_file, std::to_string(code) + "\n");
  }
  const size_t end = content.find('\n', line + 1);
  std::string directory = read_small_file(
      setup.files_directory + "/" + terminally::command_file(nonce, terminally::CommandFile::directory));
  if (directory.empty()) {
    directory = content.substr(line + 1, end == std::string::npos ? end : end - line - 1);
  }
  if (!directory.empty()) {
    (void)!chdir(directory.c_str());
  }
  if (tells) {  // printed last: its reader asks for our directory
    const std::string record =
        end_record(std::to_string(code), nonce, ";by=shell") + cancelled_line(setup.files_directory, nonce);
    (void)!write(STDOUT_FILENO, record.data(), record.size());
  }
  return true;
}

/// Notes for the server how the shell ended, when, and what was started then.
void note_end(const Setup& setup, const Ended& ended, long lived_ms, const char* when,
              const std::string& next) {
  write_small_file(
      setup.run_directory + "/" + setup.pane + ".ended",
      std::to_string(ended.code) + " " + std::to_string(lived_ms) + " " + when + " " + next + "\n");
}

/// Decides what to start after a shell in which no command ran. False: the tab closes.
bool start_again(const Setup& setup, const Ended& ended, const terminally::PromptWatch& watch, Form& form) {
  constexpr long kBegunWithin = 1'000;  // for shells whose prompt cannot be seen
  const std::string shell = program_of(setup, form);
  const bool begun = watch.came_to_a_prompt() || watch.was_typed_at() ||
                     (!has_line_editor(shell) && watch.lived_ms() > kBegunWithin);
  if (!begun && form != Form::plain) {
    const bool known = base_name(shell) == "bash" || base_name(shell) == "zsh" ||
                       base_name(shell) == "fish" || !has_line_editor(shell);
    form = form == Form::whole && known ? Form::bare : Form::plain;
    const std::string next = program_of(setup, form);
    note_end(setup, ended, watch.lived_ms(), "start", next);
    dprintf(STDOUT_FILENO,
            "\r\nterminally-shell: %s ended with exit code %d before its first prompt; %s is started without "
            "start-up files\r\n",
            shell.c_str(), ended.code, next.c_str());
    return true;
  }
  const bool by_itself = begun && watch.is_idle() && ended.left;
  note_end(setup, ended, watch.lived_ms(),
           by_itself ? "idle"
           : begun   ? "left"
                     : "start",
           by_itself ? shell : "-");
  if (by_itself && !watch.directory().empty()) {
    (void)!chdir(watch.directory().c_str());
  }
  return by_itself;
}

/// `terminally-shell end NONCE CODE EXIT_FILE`, run by a wrapper whose builtins are hidden by functions.
/// Refuses a CODE that is no number, and keeps a code that the file has already.
int print_end(char** argv) {
  const std::string digits = argv[3];
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) {
    return 1;
  }
  const std::string record = end_record(argv[3], argv[2], "");
  const int tty = open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY);
  const bool printed =
      tty >= 0 && write(tty, record.data(), record.size()) == static_cast<ssize_t>(record.size());
  if (read_small_file(argv[4]).empty()) {
    write_small_file(argv[4], digits + "\n");
  }
  return printed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && strcmp(argv[1], "end") == 0) {
    return print_end(argv);
  }
  const Setup setup = terminally::take_setup();
  terminally::keep_from_cleaners(setup);
  for (const int number : {SIGTTOU, SIGTTIN, SIGTSTP, SIGINT, SIGQUIT, SIGPIPE}) {
    signal(number, SIG_IGN);
  }
  struct sigaction action{};
  action.sa_handler = on_hang_up;
  for (const int number : {SIGHUP, SIGTERM, SIGALRM}) {
    sigaction(number, &action, nullptr);
  }
  termios modes{};
  const bool have_modes = tcgetattr(STDIN_FILENO, &modes) == 0;
  terminally::PromptWatch watch;
  Form form = Form::whole;
  for (;;) {
    const Ended ended = run_shell(setup, form, watch);
    if (tcgetpgrp(STDIN_FILENO) < 0) {
      ioctl(STDIN_FILENO, TIOCSCTTY, 0);  // another session had taken the terminal (`setsid -c`)
    }
    tcsetpgrp(STDIN_FILENO, getpgrp());
    if (hung_up != 0 || (!finish_interrupted_command(setup, ended.code) && !ended.crashed &&
                         !start_again(setup, ended, watch, form))) {
      return ended.code;
    }
    if (have_modes) {
      tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
    }
    // Leftovers of the dead program: alternate screen, hidden cursor, colours, bracketed paste, mouse.
    static const std::string reset = std::string(terminally::kLeaveAlternateScreen) +
                                     "\033[?25h\033[0m\033[?2004l\033[?1000l\033[?1002l\033[?1003l\033[?1006l"
                                     "\033[?1l\033>";
    (void)!write(STDOUT_FILENO, reset.data(), reset.size());
  }
}
