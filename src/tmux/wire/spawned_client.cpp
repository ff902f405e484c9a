#include "tmux/wire/spawned_client.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/utf8.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

const Argv kCommandsFromInput{"source-file", "-"};

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  return text;
}

/// Where there is no tmux, with what to do: that may be the first answer that a new user gets.
Awaitable<ProcessResult> run_client(Argv argv, std::string input, Milliseconds deadline,
                                    std::vector<std::string> environment = {}) {
  try {
    ChildProcess client(co_await asio::this_coro::executor, argv, environment);
    co_return co_await client.finish(std::move(input), deadline);
  } catch (const Error& error) {
    const std::string trouble = trouble_with_tmux(argv.front());
    throw trouble.empty() ? error : Error(error.code(), trouble);
  }
}

TmuxAnswer answer_of(ProcessResult result) {
  TmuxAnswer answer;
  answer.timed_out = result.timed_out;
  if (!result.timed_out && result.exit_code != 0) {
    answer.error = trimmed(result.err.empty() ? std::move(result.out) : std::move(result.err));
    if (answer.error.empty()) {
      answer.error = "its client ended with exit code " + std::to_string(result.exit_code);
    }
    if (lacks_locale(answer.error)) {
      answer.error += std::string("; ") + kMendLocale;
    }
  } else {
    answer.out = std::move(result.out);
  }
  return answer;
}

}  // namespace

bool lacks_locale(const std::string& said) {
  return said.find("need UTF-8 locale") != std::string::npos ||
         said.find("invalid LC_ALL, LC_CTYPE or LANG") != std::string::npos;
}

std::string trouble_with_tmux(const std::string& program) {
  const bool is_name = program.find('/') == std::string::npos;
  return find_program(program).empty()
             ? "tmux: no program \"" + program + "\"" + (is_name ? " on PATH" : "") + ": " + kMendTmux
             : "";
}

bool is_new_enough(const std::string& version) {
  constexpr int kOldestTmux[2] = {3, 2};
  int number[2] = {0, 0};
  const char* at = version.data() + std::min(version.find_first_of("0123456789"), version.size());
  const char* end = version.data() + version.size();
  at = std::from_chars(at, end, number[0]).ptr;
  if (at != end && *at == '.') {
    std::from_chars(at + 1, end, number[1]);
  }
  return std::pair(number[0], number[1]) >= std::pair(kOldestTmux[0], kOldestTmux[1]);
}

SpawnedClient::SpawnedClient(std::string program, std::filesystem::path socket, std::filesystem::path config)
    : program_(std::move(program)), socket_(std::move(socket)), config_(std::move(config)) {}

Argv SpawnedClient::argv(const Argv& command) const {
  Argv all{program_, "-u", "-S", socket_.string(), "-f", config_.string()};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

Awaitable<TmuxAnswer> SpawnedClient::run(std::string commands, Milliseconds deadline) {
  Argv words = argv(kCommandsFromInput);
  co_return answer_of(co_await run_client(std::move(words), std::move(commands), deadline));
}

/// It would fail in words that do not tell why.
Awaitable<void> SpawnedClient::refuse_old_tmux(Milliseconds deadline) {
  Argv version{program_, "-V"};
  const ProcessResult said = co_await run_client(std::move(version), "", deadline);
  const std::string line = said.out.substr(0, said.out.find('\n'));
  if (said.exit_code == 0 && !said.out.empty() && !is_new_enough(line)) {
    throw Error(ErrorCode::io,
                "tmux: " + shortened(line, 80) + ", " + program_ + ", is too old: " + kMendTmux);
  }
}

Awaitable<TmuxAnswer> SpawnedClient::start(std::string commands, std::vector<std::string> environment,
                                           Milliseconds deadline) {
  co_await refuse_old_tmux(deadline);
  Argv words = kCommandsFromInput;
  words.insert(words.end(), {";", "start-server"});
  words = argv(words);
  co_return answer_of(
      co_await run_client(std::move(words), std::move(commands), deadline, std::move(environment)));
}

}  // namespace terminally
