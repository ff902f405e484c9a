#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "base/event.hpp"
#include "base/timeout.hpp"
#include "far_page/far_lines.hpp"
#include "hosts/far_pipe.hpp"
#include "hosts/hosts_file.hpp"
#include "http/site.hpp"

namespace terminally {

/// An instance on a host as a page of this machine looks at it.
struct FarView {
  HostEntry host;
  std::string instance;            ///< there
  std::vector<std::string> flags;  ///< of this program, that hold there as well
  Visitor visitor;                 ///< as that side sees the page
};

/// One connection to a host for a page, from its hello on. It runs beside all servers, as people's commands
/// do. Silence ends it. Single-threaded, held by shared_ptr.
class PageLink : public std::enable_shared_from_this<PageLink> {
 public:
  static constexpr Milliseconds kHelloWithin{15'000};

  /// Starts the pipe, and returns once the program there has said hello. Throws Error that explains what went
  /// wrong.
  [[nodiscard]] static Awaitable<std::shared_ptr<PageLink>> open(FarView view);

  PageLink(const boost::asio::any_io_executor& executor, HostEntry host, const Argv& argv);

  /// What the host says next, also that it is there (PipedPing); nothing once the link is lost. Lines that
  /// are too long are dropped.
  [[nodiscard]] Awaitable<std::optional<LineOfHost>> next();
  /// Queues a line. A host that reads nothing loses its link.
  void send(const std::string& line);
  void close(const std::string& why);

  [[nodiscard]] bool is_lost() const { return lost_; }
  [[nodiscard]] const std::string& why_lost() const { return why_; }
  [[nodiscard]] Milliseconds round_trip() const { return round_trip_; }

 private:
  [[nodiscard]] Awaitable<void> ping_loop();
  void spawn(Awaitable<void> work);

  FarPipe pipe_;
  std::uint64_t pings_ = 0;
  std::uint64_t ponged_ = 0;
  Clock::time_point pinged_;
  Event pong_;
  bool listens_ = false;  ///< the next line is waited for, and not the page
  bool lost_ = false;
  std::string why_;
  Milliseconds round_trip_{0};
};

}  // namespace terminally
