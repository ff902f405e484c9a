#pragma once

#include <sys/types.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/process.hpp"
#include "base/unique_fd.hpp"

namespace terminally {

/// As small as an MCP client can be: starts a server, speaks JSON-RPC to it over its stdin and stdout, one
/// call at a time. Blocks.
class DemoClient {
 public:
  /// Starts the server; its stderr is ours. Throws Error(io).
  explicit DemoClient(const Argv& argv);
  /// Ends it as `close` does.
  ~DemoClient();
  DemoClient(const DemoClient&) = delete;
  DemoClient& operator=(const DemoClient&) = delete;

  /// Sends a request and returns its result. Throws Error when there is none within 20 s, or an error came.
  nlohmann::ordered_json request(const std::string& method, const nlohmann::ordered_json& params);
  void notify(const std::string& method);

  /// Closes the server's stdin, as a client does that ends, waits for it, and returns its exit code.
  int close();

 private:
  void send(const nlohmann::ordered_json& message);
  std::string read_line();

  pid_t pid_ = -1;
  UniqueFd to_server_;
  UniqueFd from_server_;
  std::string unread_;
  int last_id_ = 0;
};

}  // namespace terminally
