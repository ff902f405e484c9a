#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/spawned.hpp"
#include "config.hpp"
#include "far_page/host_tabs.hpp"
#include "far_page/split_searches.hpp"
#include "http/site.hpp"
#include "page/crew.hpp"

namespace terminally {

/// The socket of a page as its Viewer sees it, which knows nothing of hosts: what the page asks of a tab on a
/// host goes there, and what the Viewer says of the instance gets the hosts that it uses. doc/page-wire.md.
class WideSocket final : public Socket {
 public:
  using Hidden = std::function<std::shared_ptr<const Secrets>()>;

  /// `config` is that of the process. `hidden`: what is masked for this page. The page outlives it.
  WideSocket(const boost::asio::any_io_executor& executor, const Config& config, Socket& page, Hidden hidden);

  /// Ends all links; to be awaited before it is destroyed.
  [[nodiscard]] Awaitable<void> end();

  [[nodiscard]] const Visitor& visitor() const override { return page_.visitor(); }
  [[nodiscard]] Awaitable<std::optional<std::string>> receive() override;
  [[nodiscard]] bool server_ends() const override { return page_.server_ends(); }
  [[nodiscard]] Awaitable<bool> send_text(std::string message) override;
  [[nodiscard]] Awaitable<bool> send_binary(std::string message) override;
  void close(std::string why) override { page_.close(std::move(why)); }

 private:
  using Names = std::vector<std::string>;
  struct Place {
    std::shared_ptr<HostTabs> tabs;
    Spawned<> running;
  };

  [[nodiscard]] Awaitable<void> sort(std::string text);
  [[nodiscard]] Awaitable<void> ask_host(std::shared_ptr<HostTabs> host, std::string text, std::string tab);
  [[nodiscard]] Awaitable<void> search(std::string text);
  [[nodiscard]] Awaitable<void> search_hosts(nlohmann::json request, std::map<std::string, Names> far);
  [[nodiscard]] std::shared_ptr<HostTabs> holder_of(std::uint16_t channel) const;
  void give_to(const std::string& host, std::uint16_t channel);
  void stop_search(const nlohmann::json& id);
  [[nodiscard]] Awaitable<bool> greet(nlohmann::json hello);
  [[nodiscard]] Awaitable<std::string> look_at(std::string instance);
  [[nodiscard]] Awaitable<bool> tell(nlohmann::json message);

  const Config& config_;
  Socket& page_;
  Hidden hidden_;
  std::string instance_;
  std::map<std::string, Place> hosts_;
  SplitSearches searches_;
  std::optional<std::string> for_viewer_;
  std::optional<std::string> put_off_;  ///< until the Viewer has taken that
  std::set<std::uint16_t> of_viewer_;   ///< channels that it may have
  Crew crew_;
};

}  // namespace terminally
