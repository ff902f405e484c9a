#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/descriptors.hpp"
#include "base/process.hpp"

namespace terminally {

/// A minimal MCP client: starts a server and speaks JSON-RPC over its stdin and stdout, one call at a time.
/// Blocks.
class ServerClient {
 public:
  /// Starts the server, which shares this process's stderr. Throws Error(io). `environment` is the whole
  /// environment of the server, and `directory` where it starts; empty: ours.
  explicit ServerClient(const Argv& argv, const std::vector<std::string>& environment = {},
                        const std::filesystem::path& directory = {});
  /// Ends the server as `close` does.
  ~ServerClient();
  ServerClient(const ServerClient&) = delete;
  ServerClient& operator=(const ServerClient&) = delete;

  /// Sends a request and returns its result. Throws Error for an error answer, or none within 20 s.
  nlohmann::ordered_json request(const std::string& method, const nlohmann::ordered_json& params);
  void notify(const std::string& method);

  /// Closes the server's stdin, as a client does at its end, waits for the server and returns its exit code.
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
