#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
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

  /// The client has initialized with these capabilities. Until it does, it can answer nothing.
  void allow(const nlohmann::json& capabilities);

  /// Asks on behalf of a request, by its stream, and returns the client's result. Throws `Error` where the
  /// client cannot answer such a method, answers by an error, has not answered by then, is gone, or has too
  /// much to answer already; and operation_aborted when the request is cancelled. The Asks must live until
  /// then.
  [[nodiscard]] Awaitable<nlohmann::json> ask(ExchangePtr exchange, std::string method,
                                              nlohmann::ordered_json params, Clock::time_point until);

  /// A response of the client. Ignored where nothing of its id is asked, or not any longer.
  void take(const RpcMessage& response);

  /// The client is gone: whoever waits for an answer is told so.
  void close();

 private:
  struct Question;

  void refuse_to_ask(const Exchange& exchange, const std::string& method) const;

  /// By the id as JSON text. Each belongs to the call that waits, so one that is cancelled is gone with it.
  std::map<std::string, std::weak_ptr<Question>> open_;
  std::uint64_t asked_ = 0;
  std::set<std::string, std::less<>> answers_;  ///< what the client can answer: methods up to their "/"
};

}  // namespace terminally
