#include "command/run_output.hpp"

namespace terminally {

boost::asio::awaitable<void> RunOutput::changed_by(Clock::time_point when) {
  [[maybe_unused]] const bool changed = co_await run_->output_changed().wait_by(when);
}

}  // namespace terminally
