#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/keyed_mutex.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

/// What a call gives back.
struct Answer {
  nlohmann::ordered_json object;
  std::string text;  ///< for a peer that has its answers as text: in place of the object. Empty for others
};

/// Finds a tool by its name, and passes JSON to it and back, here or on a host. Immutable; outlives the peers
/// that use it.
class Router {
 public:
  Router(std::vector<Tool> tools, Services services);

  [[nodiscard]] const Tool* find(std::string_view name) const;

  [[nodiscard]] const Services& services() const { return services_; }

  /// A guard for text that reaches the peer's model by another way than `call`. It knows the values to mask
  /// in the open tabs. Null when nothing is masked.
  [[nodiscard]] std::shared_ptr<TextGuard> new_guard(const PeerSettings& peer) const;

  /// Name, description, schemas and annotations of each tool, in the order they were given: the `tools` of
  /// tools/list.
  [[nodiscard]] nlohmann::ordered_json list() const;

  /// The host that a call would go to; empty: this side.
  [[nodiscard]] std::string host_of(const Tool& tool, const nlohmann::json& arguments) const;

  /// The result of one call. `arguments` is an object. Throws `Error` when the tool fails. All texts
  /// are masked, the error's too, and the notes say what was masked. A call for a host (by a `host` argument
  /// or "build1:@3") is made there. Calls take their places in a tab's queue in the order of their arrival,
  /// however they name the tab.
  [[nodiscard]] boost::asio::awaitable<Answer> call(const Tool& tool,
                                                    std::shared_ptr<const nlohmann::json> arguments,
                                                    Caller caller) const;

 private:
  [[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> call_anywhere(
      const Tool& tool, std::shared_ptr<const nlohmann::json> arguments, Caller caller) const;
  [[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> call_in_one_of(
      const Tool& tool, std::vector<std::shared_ptr<const nlohmann::json>> in_each, Caller caller) const;
  [[nodiscard]] boost::asio::awaitable<AsyncMutex::Guard> in_turn(
      const Tool& tool, std::shared_ptr<const nlohmann::json> arguments, std::string host) const;
  [[nodiscard]] boost::asio::awaitable<nlohmann::ordered_json> call_here(
      const Tool& tool, std::shared_ptr<const nlohmann::json> arguments, Caller caller,
      std::shared_ptr<TextGuard> guard) const;

  std::vector<Tool> tools_;
  Services services_;
  /// By host: of the calls whose tab is being found, in the order in which they came.
  std::shared_ptr<KeyedMutex<std::string>> arrivals_ = std::make_shared<KeyedMutex<std::string>>();
};

}  // namespace terminally
