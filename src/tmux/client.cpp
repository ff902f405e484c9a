#include "tmux/client.hpp"

#include <boost/asio.hpp>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "tmux/rows.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// What the guard prints instead of running the commands.
constexpr std::string_view kExpired = "terminally: expired";

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  return text;
}

Error timed_out(std::chrono::milliseconds deadline) {
  return Error(ErrorCode::tmux_timeout, "tmux did not answer within " + std::to_string(deadline.count()) +
                                            " ms (its server is stopped or overloaded); nothing was done. Try again later");
}

}  // namespace

TmuxClient::TmuxClient(std::string program, std::filesystem::path socket, std::filesystem::path config,
                       std::chrono::milliseconds deadline)
    : program_(std::move(program)), socket_(std::move(socket)), config_(std::move(config)), deadline_(deadline) {}

asio::awaitable<std::string> TmuxClient::run(Argv command, std::vector<std::string> environment) const {
  Argv argv;
  for (const std::string& word : {program_, std::string("-u"), std::string("-S"), socket_.string(), std::string("-f"), config_.string()}) {
    argv.push_back(word);
  }
  argv.insert(argv.end(), command.begin(), command.end());
  ProcessResult result = co_await run_process(std::move(argv), deadline_, std::move(environment));
  if (result.timed_out) {
    throw timed_out(deadline_);
  }
  if (result.exit_code != 0) {
    const std::string message = trimmed(result.err.empty() ? result.out : result.err);
    const bool missing = message.starts_with("can't find ");
    throw Error(missing ? ErrorCode::not_found : ErrorCode::tmux_failed, "tmux: " + message);
  }
  co_return std::move(result.out);
}

asio::awaitable<std::string> TmuxClient::query(Argv command) const { return run(std::move(command), {}); }

std::string TmuxClient::guarded_condition() const {
  // #{T:@terminally_now} is the server's clock in seconds: the option holds "%s", and T expands it with strftime(3).
  const auto last_second = wall_clock_ms() / 1000 + deadline_.count() / 1000;
  return "#{e|<|:#{T:@terminally_now}," + std::to_string(last_second) + "}";
}

asio::awaitable<std::string> TmuxClient::change(std::string commands) const {
  Argv argv;
  argv.emplace_back("if-shell");
  argv.emplace_back("-F");
  argv.push_back(guarded_condition());
  argv.push_back(std::move(commands));
  argv.push_back("display-message -p " + quote(kExpired));
  std::string out = co_await run(std::move(argv), {});
  if (out.starts_with(kExpired)) {
    throw timed_out(deadline_);
  }
  co_return out;
}

asio::awaitable<std::string> TmuxClient::start_and_change(std::string commands, std::vector<std::string> environment) const {
  Argv argv;
  argv.emplace_back("start-server");
  argv.emplace_back(";");
  argv.emplace_back("if-shell");
  argv.emplace_back("-F");
  argv.push_back(guarded_condition());
  argv.push_back(std::move(commands));
  argv.push_back("display-message -p " + quote(kExpired));
  std::string out = co_await run(std::move(argv), std::move(environment));
  if (out.starts_with(kExpired)) {
    throw timed_out(deadline_);
  }
  co_return out;
}

std::string quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string quote_format(std::string_view text) {
  std::string doubled;
  for (const char c : text) {
    doubled += c;
    if (c == '#') {
      doubled += '#';
    }
  }
  return quote(doubled);
}

std::string send_bytes(std::string_view target, std::string_view bytes) {
  std::string command = "send-keys -t " + quote(target) + " -H";
  const std::string hex = to_hex(bytes);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    command += ' ';
    command += hex.substr(i, 2);
  }
  return command;
}

}  // namespace terminally
