#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/keyed_mutex.hpp"
#include "http/site.hpp"
#include "page/acts.hpp"
#include "page/crew.hpp"
#include "page/instance_feed.hpp"
#include "page/log_channel.hpp"
#include "page/news.hpp"
#include "page/page_house.hpp"
#include "page/page_request.hpp"
#include "page/page_search.hpp"

namespace terminally {

/// One page: what it asks for over its socket, and what it is told.
class Viewer {
 public:
  /// Both outlive it.
  Viewer(PageHouse& house, Socket& socket);

  /// Serves the page until it is gone, or the server ends. `instance`: to begin with, where the page says
  /// none.
  [[nodiscard]] Awaitable<void> run(std::string instance);

 private:
  struct Channel {
    WindowId tab;
    std::shared_ptr<LogChannel> log;
    Spawned<> sending;
  };

  static constexpr std::size_t kMostChannels = 64;

  [[nodiscard]] Awaitable<std::string> answer_to(std::string text);
  [[nodiscard]] Awaitable<void> take(const PageRequest& request);
  [[nodiscard]] Awaitable<void> greet(std::string instance);
  [[nodiscard]] nlohmann::json hello(const std::string& instance, const std::vector<InstanceRow>& rows) const;
  [[nodiscard]] Awaitable<void> watch(const PageRequest& request);
  [[nodiscard]] Awaitable<std::uint64_t> begin_with_screen(std::uint16_t number, WindowId window,
                                                           std::optional<std::uint64_t> skips);
  [[nodiscard]] Awaitable<std::optional<ScreenAt>> screen_if_full(WindowId window);
  [[nodiscard]] Awaitable<void> unwatch(std::uint16_t channel);
  void search(const PageRequest& request);
  void stop_search(const std::string& id);
  [[nodiscard]] Awaitable<void> tell_news();
  [[nodiscard]] Awaitable<void> tell_instances();
  [[nodiscard]] Awaitable<void> send_log(std::shared_ptr<LogChannel> log);
  [[nodiscard]] Awaitable<bool> send(nlohmann::json message);
  [[nodiscard]] std::uint64_t begin_of_watch(const SeenTab& tab, const nlohmann::json& from) const;

  PageHouse& house_;
  Socket& socket_;
  Acts acts_;
  std::string asked_for_;  ///< the instance, by the socket's address
  bool greeted_ = false;
  std::optional<InstanceFeed::Look> look_;
  std::optional<News> news_;
  Spawned<> telling_;
  std::shared_ptr<AsyncMutex> acting_ = std::make_shared<AsyncMutex>();  ///< one request at a time
  std::map<std::uint16_t, Channel> channels_;
  std::map<std::string, Spawned<>> searches_;  ///< by the page's id
  Crew crew_;
};

}  // namespace terminally
