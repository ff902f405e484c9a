#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "base/process.hpp"
#include "base/timeout.hpp"

namespace terminally {

/// A tmux client that is started before it is needed: `tmux source-file -` has connected to its server by the
/// time it is given commands, so that they cost the way to the server and back (0.9 ms) and not a start of
/// tmux (2.2 ms) as well. It waits on its standard input, and ends when we do. A tmux server without tabs
/// lives as long as it has one: prepare none then.
class SpareClient {
 public:
  SpareClient(const boost::asio::any_io_executor& executor, Argv argv);
  ~SpareClient();
  SpareClient(const SpareClient&) = delete;
  SpareClient& operator=(const SpareClient&) = delete;

  /// The one that was prepared, if it still waits.
  [[nodiscard]] std::unique_ptr<ChildProcess> take();

  /// Starts one soon, unless there is one: not at once, in the way of what was just sent.
  void prepare();

  /// Ends the one there is.
  void drop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace terminally
