#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/awaitable.hpp"
#include "base/event.hpp"
#include "base/timeout.hpp"
#include "config.hpp"
#include "far_page/far_lines.hpp"
#include "http/site.hpp"
#include "page/crew.hpp"
#include "stdio/line_framer.hpp"
#include "stdio/stdio_transport.hpp"

namespace terminally {

/// The far side: one page of another machine, over a pair of descriptors. What that page gets by HTTP is
/// asked for in the same lines, and answered beside its messages.
class PipedPage final : public Socket {
 public:
  PipedPage(const boost::asio::any_io_executor& executor, StdioPair pair, Visitor visitor);
  ~PipedPage() override;

  /// By which the other side knows this program.
  void say_hello(const std::string& nonce);
  /// Serves the page until the pipe ends, or nothing came for 20 s: a pipe may be cut without notice.
  [[nodiscard]] Awaitable<void> serve(Site& site);

  [[nodiscard]] const Visitor& visitor() const override { return visitor_; }
  [[nodiscard]] Awaitable<std::optional<std::string>> receive() override;
  [[nodiscard]] bool server_ends() const override { return false; }
  [[nodiscard]] Awaitable<bool> send_text(std::string message) override;
  [[nodiscard]] Awaitable<bool> send_binary(std::string message) override;
  void close(std::string why) override;

 private:
  struct Pipe;

  [[nodiscard]] Awaitable<void> read(Site& site);
  [[nodiscard]] Awaitable<void> end_at_silence();
  [[nodiscard]] Awaitable<void> answer(Site& site, PipedRequest request);
  void take(std::string_view line, Site& site);
  [[nodiscard]] Awaitable<bool> send_line(std::string line);
  void end();

  Visitor visitor_;
  std::unique_ptr<Pipe> pipe_;
  Crew crew_;
  LineFramer framer_;
  std::deque<std::string> inbox_;
  Event moved_;  ///< the inbox has more, or less, or all is over
  int answering_ = 0;
  bool over_ = false;
  Clock::time_point heard_;
};

/// A visitor on the command line of the far side, "exec-SESSION", and back. Throws Error(invalid_argument).
[[nodiscard]] std::string name_of(const Visitor& visitor);
[[nodiscard]] Visitor visitor_named(const std::string& name);

/// Says hello with the nonce, and serves the page of another machine over stdin and stdout, to the visitor of
/// that name: of the instance `config.instance` alone. Returns the exit code.
[[nodiscard]] int serve_piped_page(const Config& config, const std::string& nonce,
                                   const std::string& visitor);

}  // namespace terminally
