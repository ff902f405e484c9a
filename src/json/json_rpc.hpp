#pragma once

#include <cstddef>
#include <functional>
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
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingClientCapability = -32021;
inline constexpr int kUnsupportedProtocolVersion = -32022;

/// A wrong request, which gets a JSON-RPC error. A tool's failure is an `Error`.
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

/// The most bytes of a sent message: the SDKs' clients drop the connection at 10 MiB.
inline constexpr std::size_t kMostMessageBytes = std::size_t{8} << 20U;

/// The most bytes of an id or a token as JSON text: each message that concerns it repeats it.
inline constexpr std::size_t kMostIdBytes = 4'096;

/// One message from the client. The id is kept as its JSON text, `7` or `"7"`, to be repeated in the answer.
struct RpcMessage {
  enum class Kind {
    request,
    notification,  ///< never answered
    response,      ///< to what this server has asked: `params` is the whole message
    ignored,       ///< a response without a usable id, or a malformed notification
    invalid,       ///< no valid request; to be answered with `error`
  };

  Kind kind = Kind::invalid;
  std::string id;                                ///< empty where it could not be read
  std::string key;                               ///< of a request or response: the key of its id, see id_key
  std::string method;                            ///< of a request or notification
  std::shared_ptr<const nlohmann::json> params;  ///< an object, never null unless ignored or invalid
  ProtocolError error{kInvalidRequest, ""};
};

struct RpcInput {
  std::vector<RpcMessage> messages;
  bool batch = false;  ///< the messages came as an array, and are answered by one
};

/// The key by which an id or a progress token is compared: its JSON text, with 1.0 and 1e0 as the integer 1,
/// as clients take them. nullopt for a value that is neither string nor integer, or longer than kMostIdBytes.
[[nodiscard]] std::optional<std::string> id_key(const nlohmann::json& value);

/// Parses one line into its messages. Never throws: a bad message has its error in it.
/// An array is a batch; the peer, which knows the protocol revision, decides whether a batch is allowed.
[[nodiscard]] RpcInput read_messages(std::string_view line);

/// What stands for a text that was too long to be read: an invalid message, by what its Envelope has.
[[nodiscard]] RpcInput too_long_to_read(std::string_view envelope);

/// One message as text without a newline. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string result_message(const std::string& id, const nlohmann::ordered_json& result);
[[nodiscard]] std::string error_message(const std::string& id, const ProtocolError& error);
[[nodiscard]] std::string notification_message(std::string_view method, const nlohmann::ordered_json& params);
/// `id` is JSON text, as it is above.
[[nodiscard]] std::string request_message(const std::string& id, std::string_view method,
                                          const nlohmann::ordered_json& params);

/// The answers to one batch, sent as one message when the last answer is there. An answer that does not fit
/// into the message is replaced by an error, so that never more than one message is held.
class Batch {
 public:
  /// Gets the message with all answers, empty where there are none. Called once.
  using Reply = std::function<void(std::string message)>;

  explicit Batch(Reply reply) : reply_(std::move(reply)) {}

  /// Announces one more answer. `id` is JSON text, empty where it is not known.
  void expect(const std::string& id);

  /// Takes an expected answer; an empty `message` is no answer.
  void answer(const std::string& id, std::string message);

 private:
  Reply reply_;
  std::size_t missing_ = 0;
  std::size_t room_for_missing_ = 0;  ///< bytes, if each missing answer becomes an error
  std::string answers_;
};

}  // namespace terminally
