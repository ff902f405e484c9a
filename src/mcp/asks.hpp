#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/awaitable.hpp"
#include "base/timeout.hpp"
#include "mcp/exchange.hpp"

namespace terminally {

/// What this server has asked one legacy client and not been told yet. A modern request cannot ask: its
/// result says what is missing ("input_required"), and the client sends the request again with the answers.
class Asks {
 public:
  static constexpr std::size_t kMost = 100;  ///< at once

  /// Asks on behalf of a request, by its stream, and returns the client's result. Throws `Error` where the
  /// client answers by an error, has not answered by then, is gone, or has too much to answer already; and
  /// operation_aborted when the request is cancelled. Whether the client can answer such a method is the
  /// caller's to know. The Asks must live until then.
  [[nodiscard]] Awaitable<nlohmann::json> ask(ExchangePtr exchange, std::string method,
                                              nlohmann::ordered_json params, Clock::time_point until);

  /// A response of the client. Ignored where nothing of its id is asked, or not any longer.
  void take(const RpcMessage& response);

  /// The client is gone: whoever waits for an answer is told so.
  void close();

 private:
  struct Question;

  /// By the id as JSON text. Each belongs to the call that waits, so one that is cancelled is gone with it.
  std::map<std::string, std::weak_ptr<Question>> open_;
  std::uint64_t asked_ = 0;
};

}  // namespace terminally
