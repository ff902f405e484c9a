#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <utility>

#include "mcp/progress.hpp"

namespace terminally {

/// Where the notifications of a session go that belong to no request. Shared by all that may have something
/// to tell; says nothing once it is closed.
class Outlet {
 public:
  explicit Outlet(Send send) : send_(std::move(send)) {}

  /// False when it may be dropped and the client reads too slowly: try again later. True once closed: there
  /// is nothing to try.
  bool notify(std::string_view method, const nlohmann::ordered_json& params, Delivery delivery);

  void close() { send_ = nullptr; }

 private:
  Send send_;
};

}  // namespace terminally
