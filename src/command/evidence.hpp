#pragma once

#include <algorithm>
#include <optional>

#include "command/command_acts.hpp"
#include "log/log_end.hpp"

namespace terminally {

/// What a real command sees of itself and of what is around it: its log and files, /proc, the other commands.
class Evidence : public CommandSenses {
 public:
  /// All outlive it.
  Evidence(const RunContext& context, const Tab& tab, const RunState& state, const RecordKeeper& record,
           const CommandOutput& output, const HowTyped& typed, const CommandShells& shells,
           const CommandActs& acts, PlaceInTab place)
      : context_(context),
        tab_(tab),
        state_(state),
        record_(record),
        output_(output),
        typed_(typed),
        shells_(shells),
        acts_(acts),
        place_(place) {}

  [[nodiscard]] bool has_start() const override { return output_.log().has_start(); }
  [[nodiscard]] std::optional<SeenEnd> end() const override { return output_.end(); }
  [[nodiscard]] bool log_goes_on() const override { return output_.log().goes_on(); }
  [[nodiscard]] Clock::time_point log_grew() const override { return output_.log().grew(); }
  [[nodiscard]] bool log_has_gap() const override {
    return log_has_gap_behind(tab_.log.path(), std::max(record_->typed_byte, record_->start_byte));
  }
  [[nodiscard]] bool log_writer_is_stopped() const override {
    return terminally::log_writer_is_stopped(tab_.log.path());
  }
  [[nodiscard]] std::optional<Clock::time_point> log_unreadable_since() const override {
    return output_.log().unreadable() ? std::optional(output_.log().read_well()) : std::nullopt;
  }
  [[nodiscard]] bool in_files() const override { return typed_.in_files; }
  [[nodiscard]] bool may_be_taken() const override { return tab_.files.may_be_taken(record_->nonce); }
  [[nodiscard]] std::optional<int> exit_code() const override { return tab_.files.exit_code(record_->nonce); }
  [[nodiscard]] bool tab_lives() const override { return is_alive(tab_.pane_pid); }
  [[nodiscard]] bool tmux_lives() const override { return context_.server_alive(); }
  [[nodiscard]] bool shell_is_gone() const override { return shells_.own_is_gone(); }
  [[nodiscard]] bool shell_can_be_told() const override { return shells_.own().has_value(); }
  [[nodiscard]] SeenForeground foreground() const override;
  [[nodiscard]] bool is_nested() const override { return typed_.nested; }
  [[nodiscard]] bool is_outermost() const override { return place_.is_outermost(); }
  [[nodiscard]] bool one_around_is_ending() const override { return place_.one_around_is_ending(); }
  [[nodiscard]] Requested requested() const override { return state_.requested; }
  [[nodiscard]] bool can_probe() const override { return !typed_.script.probe_line.empty(); }
  [[nodiscard]] ActState state_of(LongAct act) const override { return acts_.state_of(act); }
  [[nodiscard]] bool tmux_answered() const override { return acts_.found().tmux_answered; }
  [[nodiscard]] bool typed_by_others() const override { return acts_.found().others_typed; }
  [[nodiscard]] bool is_stopped() const override { return acts_.found().stopped.has_value(); }

 private:
  const RunContext& context_;
  const Tab& tab_;
  const RunState& state_;
  const RecordKeeper& record_;
  const CommandOutput& output_;
  const HowTyped& typed_;
  const CommandShells& shells_;
  const CommandActs& acts_;
  PlaceInTab place_;
};

}  // namespace terminally
