#pragma once

#include "command/command_run.hpp"
#include "log/log_follower.hpp"

namespace terminally {

/// What one command prints, until it has ended.
class RunOutput : public LogReach {
 public:
  explicit RunOutput(RunPtr run) : run_(std::move(run)) {}

  [[nodiscard]] Part now() override { return run_->output(); }
  [[nodiscard]] boost::asio::awaitable<void> changed_by(Clock::time_point when) override;
  void wake() override { run_->output_changed().notify(); }

 private:
  RunPtr run_;
};

}  // namespace terminally
