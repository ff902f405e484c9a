// Watches a shell's terminal for the prompt (raw mode) and for typing (SIGIO).
#include "pane/prompt_watch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace terminally {
namespace {

constexpr long kFirstLookMs = 20;
constexpr long kAfterTypingMs = 300;
constexpr long kLongestStartMs = 200;  ///< between two checks, until the first prompt
constexpr long kLongestMs = 30'000;

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, SIGIO);
  return signals;
}

}  // namespace

PromptWatch::PromptWatch() {
  const sigset_t signals = watched_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const char* name = ttyname(STDIN_FILENO);
  // A separate open file, because the shell shares our standard input and its flags.
  const int terminal = name == nullptr ? -1 : open(name, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (terminal >= 0) {
    fcntl(terminal, F_SETOWN, getpid());
    fcntl(terminal, F_SETFL, O_NONBLOCK | O_ASYNC);
  }
}

void PromptWatch::begin(pid_t shell) {
  take_what_was_typed();  // typing at the shell before
  shell_ = shell;
  clock_gettime(CLOCK_BOOTTIME, &begun_);
  pause_ms_ = kFirstLookMs;
  came_ = typed_ = idle_ = false;
  directory_.clear();
}

long PromptWatch::lived_ms() const {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (now.tv_sec - begun_.tv_sec) * 1'000 + (now.tv_nsec - begun_.tv_nsec) / 1'000'000;
}

void PromptWatch::wait() {
  const sigset_t signals = watched_signals();
  const timespec pause{pause_ms_ / 1'000, (pause_ms_ % 1'000) * 1'000'000};
  const int got = idle_ ? sigwaitinfo(&signals, nullptr) : sigtimedwait(&signals, nullptr, &pause);
  if (got == SIGIO) {
    note_typing();
  } else if (got < 0 && !idle_) {
    look();
  }
}

void PromptWatch::take_what_was_typed() {
  sigset_t typing;
  sigemptyset(&typing);
  sigaddset(&typing, SIGIO);
  const timespec at_once{};
  while (sigtimedwait(&typing, nullptr, &at_once) == SIGIO) {
    note_typing();
  }
}

void PromptWatch::note_typing() {
  typed_ = true;
  idle_ = false;
  pause_ms_ = kAfterTypingMs;
}

void PromptWatch::look() {
  termios modes{};
  const bool raw = tcgetattr(STDIN_FILENO, &modes) == 0 && (modes.c_lflag & ICANON) == 0;
  if (raw && tcgetpgrp(STDIN_FILENO) == shell_) {
    came_ = idle_ = true;
    char path[PATH_MAX];
    const ssize_t length = readlink(("/proc/" + std::to_string(shell_) + "/cwd").c_str(), path, sizeof path);
    directory_.assign(path, length > 0 ? static_cast<size_t>(length) : 0);
  } else {
    pause_ms_ = std::min(pause_ms_ * 2, came_ || typed_ ? kLongestMs : kLongestStartMs);
  }
}

}  // namespace terminally
