#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace terminally {

// Error codes of JSON-RPC 2.0, and those that MCP 2026-07-28 adds.
// https://www.jsonrpc.org/specification#error_object
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kMissingClientCapability = -32021;
inline constexpr int kUnsupportedProtocolVersion = -32022;

/// The request itself is wrong, and gets a JSON-RPC error. What a tool could not do is an `Error`.
class ProtocolError : public std::runtime_error {
 public:
  /// `data` is JSON text, empty for none.
  ProtocolError(int code, const std::string& message, std::string data = {})
      : std::runtime_error(message), code_(code), data_(std::move(data)) {}

  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] const std::string& data() const { return data_; }

 private:
  int code_;
  std::string data_;
};

/// One message has at most so many bytes as it is sent: the SDKs' clients drop the connection at 10 MiB.
inline constexpr std::size_t kMostMessageBytes = std::size_t{8} << 20U;

/// An id or a token is echoed in every message that concerns it; as JSON text it has at most so many bytes.
inline constexpr std::size_t kMostIdBytes = 4'096;

/// One message from the client. An id is kept as its JSON text, `7` or `"7"`: so it is echoed.
struct RpcMessage {
  enum class Kind {
    request,
    notification,  ///< never answered
    ignored,       ///< a response: this server asks nothing
    invalid,       ///< a request at best, to be answered with `error`
  };

  Kind kind = Kind::invalid;
  std::string id;                                ///< empty where it could not be read
  std::string key;                               ///< of a request: what its id is known by, see id_key
  std::string method;                            ///< of a request or notification
  std::shared_ptr<const nlohmann::json> params;  ///< never null for a request or notification: an object
  ProtocolError error{kInvalidRequest, ""};
};

struct RpcInput {
  std::vector<RpcMessage> messages;
  bool batch = false;  ///< they came as an array, and are answered by one
};

/// What an id, or a progress token, is known by: its JSON text, where 1.0 and 1e0 are the integer that they
/// are in any client. nullopt for what is neither string nor integer, or too long to be echoed.
[[nodiscard]] std::optional<std::string> id_key(const nlohmann::json& value);

/// One line of text to its messages. Never throws: what is wrong with a message is in it.
/// An array is a batch; whether that is allowed is for the session, which knows the protocol revision.
[[nodiscard]] RpcInput read_messages(std::string_view line);

/// One message as text without a newline. Bytes that are not UTF-8 come out as U+FFFD.
[[nodiscard]] std::string result_message(const std::string& id, const nlohmann::ordered_json& result);
[[nodiscard]] std::string error_message(const std::string& id, const ProtocolError& error);
[[nodiscard]] std::string notification_message(std::string_view method, const nlohmann::ordered_json& params);

}  // namespace terminally
