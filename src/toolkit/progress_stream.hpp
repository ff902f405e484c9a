#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/timeout.hpp"
#include "log/log_follower.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

/// Streams what a command prints as progress: the first output at once, then at most ten steps a second;
/// `progress` is the number of raw bytes so far, `message` the new text without escape sequences. The
/// messages put together are the output while it comes at less than 512 KiB a second; above that a step
/// carries the newest 64 KiB and says what it skipped. Silence is a step without a message every 5 s. Binary
/// output is named and not streamed. What the client does not take in time is kept for the next step, within
/// the same bound: nobody waits for it.
///
/// The text is that of a ShownText: with a guard it is masked, and of a file in `own_files` the messages say
/// `command`.
class ProgressStream {
 public:
  /// Nothing is sent when `report` is empty.
  ProgressStream(const boost::asio::any_io_executor& executor, ReportProgress report,
                 const std::shared_ptr<TextGuard>& guard = nullptr, std::string own_files = {});
  ProgressStream(const ProgressStream&) = delete;
  ProgressStream& operator=(const ProgressStream&) = delete;
  /// Ends it: no further step.
  ~ProgressStream();

  /// Is fed with all that is followed, until that ends or `finish`.
  void follow(LogFollower output);
  /// Nothing happens once it has finished: a command may print on after its call.
  void feed(std::string_view bytes);

  /// What a stream like this one has told elsewhere: it counts as that one counts.
  void pass_on(const Progress& step);

  /// It waits for the keyboard: said with the next step.
  void awaiting(AwaitingInput input);

  /// Sends what is left, of what is followed what is there by now, and returns when the answer may follow: a
  /// client that reads both at once drops the step (the TypeScript SDK v1 does). `goes_on`: the command
  /// prints on after its call. What cannot be read within 2 s is counted and left out.
  [[nodiscard]] boost::asio::awaitable<void> finish(bool goes_on = false);

  /// How many steps with a message were sent, and how many bytes they left out.
  [[nodiscard]] std::size_t messages() const;
  [[nodiscard]] std::uint64_t skipped_bytes() const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace terminally
