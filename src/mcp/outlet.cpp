#include "mcp/outlet.hpp"

#include <nlohmann/json.hpp>

#include "mcp/json_rpc.hpp"

namespace terminally {

bool Outlet::notify(std::string_view method, const nlohmann::ordered_json& params, Delivery delivery) {
  return !send_ || send_(notification_message(method, params), delivery);
}

}  // namespace terminally
