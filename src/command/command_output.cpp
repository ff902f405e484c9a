// Reads on in the log of a tab for one command, and says which part of the log is its output.

#include "command/command_output.hpp"

#include <algorithm>
#include <boost/asio.hpp>

#include "base/error.hpp"

namespace terminally {

bool CommandOutput::read() {
  const std::uint64_t read_before = log_.read_to();
  const bool ended = log_.read();
  if (log_.has_start() && std::exchange(record_.edit().start_byte, log_.start()) != log_.start() && !ended) {
    static_cast<void>(record_.save());  // before anybody sees its output, and asks
  }
  if (log_.read_to() != read_before) {
    changed_.notify();
  }
  return ended;
}

boost::asio::awaitable<void> CommandOutput::catch_up() {
  const auto executor = co_await boost::asio::this_coro::executor;
  try {
    while (!ended_.is_set() && !read() && log_.goes_on()) {
      co_await boost::asio::post(executor, boost::asio::use_awaitable);
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): who gives the command up says so
  }
}

std::optional<SeenEnd> CommandOutput::end() const {
  return log_.end() ? std::optional(SeenEnd{log_.end()->by, log_.end()->exit_code}) : std::nullopt;
}

std::uint64_t CommandOutput::end_byte() const {
  return ended_.is_set() || !record_.may_be_typed() ? record_->end_byte : log_.output_end();
}

ReadableRange::Part CommandOutput::part() const {
  const bool ended = ended_.is_set();
  if (!log_.has_start() || (!log_.output_is_known() && !ended)) {
    return {.begin = 0, .end = 0, .last = ended};
  }
  // Where the log had not taken all of the output when the command ended, the rest may come later, or never.
  const std::uint64_t end =
      record_->unread_from != 0 ? std::min(record_->unread_from, record_->end_byte) : end_byte();
  return {.begin = record_->start_byte, .end = end, .last = ended};
}

boost::asio::awaitable<void> RunOutput::changed_by(Clock::time_point when) {
  [[maybe_unused]] const bool changed = co_await output_->changed().wait_by(when);
}

}  // namespace terminally
