#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/awaitable.hpp"
#include "base/event.hpp"
#include "http/site.hpp"
#include "log/pane_log.hpp"
#include "page/flow.hpp"
#include "page/screen_at.hpp"
#include "secrets/secrets.hpp"
#include "system/log_watch.hpp"

namespace terminally {

/// Sends the log of one tab to one page as it grows, as fast as the page acknowledges and no faster. Nothing
/// is kept in memory: the log on disk is the buffer. A page that is far behind skips to the end, and is told.
class LogChannel {
 public:
  struct Parts {
    Socket& socket;
    std::uint16_t number = 0;
    PaneLog log;
    LogWatch::Watch watch;                  ///< of the log
    std::shared_ptr<const Secrets> hidden;  ///< stars stand in their place; null: none is hidden
    std::function<bool()> is_closed;        ///< the tab is, or nobody can say that it is not
    /// What the tab shows, where a program has the alternate screen: a page that skips begins with it. May be
    /// empty.
    std::function<Awaitable<std::optional<ScreenAt>>()> screen = nullptr;
  };
  LogChannel(Parts parts, std::uint64_t from) : parts_(std::move(parts)), position_(from) {}

  /// Sends until the tab is closed, the page is gone, or it is cancelled. Throws Error(io) where the log
  /// could not be read for a while.
  [[nodiscard]] static Awaitable<void> run(std::shared_ptr<LogChannel> self);

  /// The page has drawn all before this offset.
  void acknowledge(std::uint64_t to);

 private:
  [[nodiscard]] Awaitable<bool> step();
  [[nodiscard]] Awaitable<bool> skip(std::uint64_t end);
  [[nodiscard]] Awaitable<bool> send_part(bool closed);
  [[nodiscard]] Awaitable<bool> tell_gaps(const PaneLog::Slice& slice);
  [[nodiscard]] Awaitable<bool> send_frame(bool is_current, bool closed, std::string bytes);
  [[nodiscard]] Awaitable<void> wait_for_log();
  [[nodiscard]] bool holds_back(std::size_t settled, std::size_t bytes);

  Parts parts_;
  std::uint64_t position_;
  Flow flow_;
  Event acknowledged_;
  bool told_current_ = false;                    ///< the page knows that nothing more is there
  Clock::time_point next_frame_;                 ///< not before
  std::optional<Clock::time_point> held_since_;  ///< what may become a secret
  std::optional<std::uint64_t> gap_told_;        ///< the first byte behind the gap that was told last
};

/// Where the newest lines of a log begin that have at most `bytes` up to `end`.
[[nodiscard]] std::uint64_t begin_of_newest(const PaneLog& log, std::uint64_t end, std::uint64_t bytes);

/// `gap` of the wire, or several of them, as messages.
[[nodiscard]] std::string gap_text(std::uint16_t channel, std::uint64_t from, std::optional<std::uint64_t> to,
                                   const std::string& why, const std::string& detail);

}  // namespace terminally
