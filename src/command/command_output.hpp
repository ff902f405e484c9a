#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "base/event.hpp"
#include "command/senses.hpp"
#include "log/log_follower.hpp"
#include "tab/command_log.hpp"
#include "tab/record_keeper.hpp"

namespace terminally {

/// What one command prints, as far as it was read from the log of its tab. Where the output begins is kept in
/// the record.
class CommandOutput {
 public:
  /// All three outlive it. `ended`: set once the command has ended.
  CommandOutput(const PaneLog& log, RecordKeeper& record, const Event& ended)
      : log_(log), record_(record), ended_(ended) {}

  /// Reads what is new in the log, so that `end_byte` is of now. True once END was found. Throws Error(io):
  /// the log may be readable later.
  bool read();
  /// Reads the log to its end, however far that is, and lets others run meanwhile. For a command whose log is
  /// not written any more; whoever waits for this keeps the command.
  [[nodiscard]] boost::asio::awaitable<void> catch_up();

  /// END, if it was read: it is on record in a moment.
  [[nodiscard]] std::optional<SeenEnd> end() const;
  /// Where what the command printed ends by now.
  [[nodiscard]] std::uint64_t end_byte() const;
  /// The part of the log that is the output, without our own lines: nothing before its beginning is known.
  [[nodiscard]] ReadableRange::Part part() const;
  /// Told each time that `part` may be another.
  [[nodiscard]] Event& changed() { return changed_; }
  [[nodiscard]] CommandLog& log() { return log_; }
  [[nodiscard]] const CommandLog& log() const { return log_; }

 private:
  CommandLog log_;
  Event changed_;
  RecordKeeper& record_;
  const Event& ended_;
};

/// The output of one command, for a reader that follows it until the command has ended.
class RunOutput : public ReadableRange {
 public:
  explicit RunOutput(std::shared_ptr<CommandOutput> output) : output_(std::move(output)) {}

  [[nodiscard]] Part now() override { return output_->part(); }
  [[nodiscard]] boost::asio::awaitable<void> changed_by(Clock::time_point when) override;
  void wake() override { output_->changed().notify(); }

 private:
  std::shared_ptr<CommandOutput> output_;
};

}  // namespace terminally
