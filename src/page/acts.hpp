#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "http/site.hpp"
#include "page/instance_feed.hpp"
#include "page/page_request.hpp"
#include "tab/hold.hpp"

namespace terminally {

/// What a person does at a page that may act: they cancel, answer, take over and type. Nothing that is typed
/// is kept, logged or told to anybody but the terminal.
class Acts {
 public:
  /// How long a tab stays taken over without a key.
  static constexpr Milliseconds kHold{30'000};

  /// `name`: the person's. `holder`: this page among all of its browser's, as holds name it.
  Acts(const Visitor& visitor, std::string name, std::string holder)
      : visitor_(visitor), name_(std::move(name)), holder_(std::move(holder)) {}

  [[nodiscard]] const std::string& holder() const { return holder_; }
  /// Whether a message is one of these.
  [[nodiscard]] static bool is_act(const std::string& type);
  /// Throws Error(invalid_argument) where this visitor may only look.
  static void refuse_who_looks(const Visitor& visitor, const std::string& type);

  /// Does it; the feed outlives that. Throws Error: invalid_argument for a visitor that may only look.
  [[nodiscard]] Awaitable<void> act(InstanceFeed& feed, const PageRequest& request);

  /// Gives back what this page has taken over: it is gone.
  void give_all(const InstanceFeed& feed);

 private:
  void take(const InstanceFeed& feed, WindowId tab);
  void give(const InstanceFeed& feed, WindowId tab);
  [[nodiscard]] Awaitable<void> type(InstanceFeed& feed, WindowId tab, std::string bytes);
  [[nodiscard]] Hold hold_from_now() const;

  Visitor visitor_;
  std::string name_;
  std::string holder_;
  std::map<WindowId, Clock::time_point> held_;  ///< and when that was said last
};

}  // namespace terminally
