// A minimal MCP client: starts a server and exchanges JSON-RPC lines with it, blocking.
#include "setup/server_client.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kAnswerWithin{20'000};

}  // namespace

ServerClient::ServerClient(const Argv& argv, const std::vector<std::string>& environment,
                           const std::filesystem::path& directory) {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  const std::vector<char*> words = pointers(argv);
  const std::vector<char*> variables = pointers(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
  if (!directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  }
  const int failed = ::posix_spawn(&pid_, words.front(), &actions, nullptr, words.data(),
                                   environment.empty() ? environ : variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    pid_ = -1;
    throw io_error("cannot start " + argv.front(), failed);
  }
  to_server_ = std::move(in.write);
  from_server_ = std::move(out.read);
}

ServerClient::~ServerClient() {
  close();
}

nlohmann::ordered_json ServerClient::request(const std::string& method,
                                             const nlohmann::ordered_json& params) {
  const int id = ++last_id_;
  send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  for (;;) {
    nlohmann::ordered_json answer = nlohmann::ordered_json::parse(read_line());
    if (answer.value("id", 0) != id) {
      continue;  // a notification
    }
    if (answer.contains("error")) {
      throw Error(ErrorCode::internal, method + " was answered with " + answer["error"].dump());
    }
    return std::move(answer["result"]);
  }
}

void ServerClient::notify(const std::string& method) {
  send({{"jsonrpc", "2.0"}, {"method", method}});
}

int ServerClient::close() {
  to_server_.reset();
  int status = 0;
  while (pid_ > 0 && ::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void ServerClient::send(const nlohmann::ordered_json& message) {
  const std::string line = message.dump() + "\n";
  // A message is smaller than a pipe's buffer, and the server reads at once: no partial writes.
  if (::write(to_server_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw io_error("the server takes no requests", errno);
  }
}

std::string ServerClient::read_line() {
  const auto deadline = Clock::now() + kAnswerWithin;
  for (;;) {
    if (const std::size_t newline = unread_.find('\n'); newline != std::string::npos) {
      std::string line = unread_.substr(0, newline);
      unread_.erase(0, newline + 1);
      return line;
    }
    const auto left = time_until(deadline);
    pollfd readable{from_server_.get(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&readable, 1, static_cast<int>(left.count())) == 0) {
      throw Error(ErrorCode::io,
                  "the server did not answer within " + std::to_string(kAnswerWithin.count()) + " ms");
    }
    char buffer[65'536];
    const ssize_t got = ::read(from_server_.get(), buffer, sizeof buffer);
    if (got == 0 || (got < 0 && errno != EINTR)) {
      throw Error(ErrorCode::io, "the server ended before it answered");
    }
    unread_.append(buffer, got > 0 ? static_cast<std::size_t>(got) : 0);
  }
}

}  // namespace terminally
