#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "toolkit/tool.hpp"

namespace terminally {

/// Finds a tool by its name and moves JSON in and out of it, here or at another host. Immutable; outlives the
/// peers that use it.
class Router {
 public:
  Router(std::vector<Tool> tools, Services services);

  [[nodiscard]] const Tool* find(std::string_view name) const;

  [[nodiscard]] const Services& services() const { return services_; }

  /// For what reaches this peer's model on another way than `call`: it knows what the open tabs have that is
  /// to be masked. Null when nothing is guarded.
  [[nodiscard]] std::shared_ptr<TextGuard> new_guard(const PeerSettings& peer) const;

  /// Name, description, schemas and annotations of each tool, in the order they were given: the `tools` of
  /// tools/list.
  [[nodiscard]] nlohmann::ordered_json list() const;

  /// The host at which it is done; empty: this side.
  [[nodiscard]] std::string host_of(const Tool& tool, const nlohmann::json& arguments) const;

  /// The result object of one call. `arguments` is an object. Throws `Error` when the tool could not do it.
  /// All texts are guarded, the error's too, and what was masked is in the notes. What is of another host (a
  /// `host` argument, "build1:@3") is done there.
  [[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> call(
      const Tool& tool, std::shared_ptr<const nlohmann::json> arguments, Caller caller) const;

 private:
  [[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> call_here(
      const Tool& tool, std::shared_ptr<const nlohmann::json> arguments, Caller caller,
      std::shared_ptr<TextGuard> guard) const;

  std::vector<Tool> tools_;
  Services services_;
};

}  // namespace terminally
