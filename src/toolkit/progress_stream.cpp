#include "toolkit/progress_stream.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <string>

#include "base/background.hpp"
#include "base/error.hpp"
#include "base/event.hpp"
#include "base/timeout.hpp"
#include "base/utf8.hpp"
#include "toolkit/seen_total.hpp"
#include "toolkit/shown_text.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kBetweenSteps = ShownText::kHeldBack;
constexpr Milliseconds kHeartbeat{5'000};
/// The pause between the last step and the answer.
constexpr Milliseconds kBeforeAnswer{10};
/// How long the output is read on at most, once the answer is known.
constexpr Milliseconds kReadsBehind{10'000};
/// Reading ends sooner when nothing could be read for this long.
constexpr Milliseconds kReadsNothing{2'000};
/// How long it is read in any case, also where the call has no time left.
constexpr Milliseconds kReadsAtLeast{500};
/// How long the last step waits for a client that reads slowly.
constexpr Milliseconds kLastStepWithin{1'000};
constexpr std::size_t kStepBytes = 64 * 1024;
/// What may wait to be sent: a second's worth at the highest rate that is streamed whole.
constexpr std::size_t kWaitingBytes = 512 * 1024;
constexpr double kHeartbeatStep = 0.001;
constexpr double kMostBytes = 1e12;  ///< above, a step as small as that of a heartbeat is lost

std::string skipped_line(std::uint64_t bytes) {
  return "[... " + std::to_string(bytes) + " bytes skipped ...]\n";
}

}  // namespace

/// Shared with the timer's handler, which may come after the stream is gone.
class ProgressStream::State : public std::enable_shared_from_this<State> {
 public:
  State(const asio::any_io_executor& executor, ReportProgress report, const std::shared_ptr<TextGuard>& guard,
        std::string own_files)
      : timer_(executor),
        report_(std::move(report)),
        text_(guard, std::move(own_files)),
        last_step_(Clock::now() - kBetweenSteps) {}

  void begin() { wake_at(last_step_ + kBetweenSteps + kHeartbeat); }

  void close() {
    report_ = nullptr;
    timer_.cancel();
    reading_.reset();
  }

  void follow(LogFollower output) {
    output_.emplace(std::move(output));
    reading_.emplace(timer_.get_executor(), read(shared_from_this()));
  }

  void feed(std::string_view bytes) {
    if (!report_) {
      return;
    }
    bytes_ += static_cast<double>(bytes.size());
    show(bytes);
  }

  void pass_on(const Progress& step) {
    if (!report_) {
      return;
    }
    bytes_ = step.progress <= kMostBytes ? std::max(bytes_, step.progress) : bytes_;
    if (step.awaiting_input) {
      awaiting(*step.awaiting_input);
    }
    if (!step.message.empty()) {
      show(step.message);
    }
  }

  void show(std::string_view bytes) {
    if (!binary_ && looks_binary(bytes)) {
      binary_ = true;
      text_.finish(waiting_, true);
    }
    if (!binary_) {
      text_.feed(bytes, waiting_);
      skip_to(kWaitingBytes);
    }
    if (Clock::now() >= last_step_ + kBetweenSteps) {
      text_.release(waiting_);
      step(kStepBytes);
    }
    plan();
  }

  void awaiting(AwaitingInput input) {
    awaiting_ = std::move(input);
    text_.release(waiting_);
    plan();
  }

  asio::awaitable<void> finish(bool goes_on, Clock::time_point read_by) {
    const auto self = shared_from_this();
    const std::uint64_t left_out = co_await read_to_end(read_by);
    awaiting_.reset();
    if (!binary_) {
      text_.finish(waiting_, goes_on || left_out > 0);
    }
    if (left_out > 0) {
      skipped_ += left_out;
      waiting_ += "\n" + skipped_line(left_out);
    }
    const auto patience = Clock::now() + kLastStepWithin;
    while (report_ && has_news() && !step(kWaitingBytes) && Clock::now() < patience) {
      co_await sleep_for(kBeforeAnswer);  // a client that reads slowly still gets the last words
    }
    if (report_ && has_news()) {  // what it misses is said, as above the highest rate
      skip_to(kStepBytes);
      step(kWaitingBytes, true);
    }
    close();
    co_await sleep_until(last_step_ + kBeforeAnswer);
  }

  [[nodiscard]] std::size_t messages() const { return messages_; }
  [[nodiscard]] std::size_t skipped_bytes() const { return skipped_; }

 private:
  static asio::awaitable<void> read(std::shared_ptr<State> self) {
    try {
      for (;;) {
        const std::optional<PaneLog::Slice> slice = co_await self->output_->next();
        if (!slice || self->all_read_.is_set()) {
          break;
        }
        self->feed(slice->bytes);
      }
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what cannot be read is not shown
    }
    self->all_read_.set();
  }

  /// As long as something is read: a log that cannot be read holds up no answer.
  asio::awaitable<bool> reads_all_by(Clock::time_point give_up_at) {
    bool all = false;
    for (bool moves = true; !all && moves && Clock::now() < give_up_at;) {
      const std::uint64_t before = output_->offset();
      all = co_await all_read_.wait_by(std::min(give_up_at, Clock::now() + kReadsNothing));
      moves = output_->offset() != before;
    }
    co_return all;
  }

  /// What is followed, up to where it is by now. Says how many bytes were too much.
  asio::awaitable<std::uint64_t> read_to_end(Clock::time_point read_by) {
    std::uint64_t left_out = 0;
    if (output_ && report_) {
      output_->finish();
      const auto now = Clock::now();
      const bool all = co_await reads_all_by(std::clamp(read_by, now + kReadsAtLeast, now + kReadsBehind));
      left_out = all ? 0 : output_->unread();
      all_read_.set();
    }
    co_return left_out;
  }

  [[nodiscard]] bool has_news() const {
    return !waiting_.empty() || (binary_ && !binary_named_) || awaiting_.has_value();
  }

  /// Leaves out the oldest text beyond what may wait: down to one step, so that what follows is the newest.
  void skip_to(std::size_t limit) {
    if (waiting_.size() <= limit) {
      return;
    }
    std::size_t cut = waiting_.size() - kStepBytes;
    while (cut < waiting_.size() && (static_cast<unsigned char>(waiting_[cut]) & 0xC0U) == 0x80U) {
      ++cut;
    }
    waiting_.erase(0, cut);
    skipped_ += cut;
    skipped_now_ += cut;
  }

  [[nodiscard]] std::string take_message(std::size_t limit) const {
    std::string message;
    if (skipped_now_ > 0) {
      message = skipped_line(skipped_now_);
    }
    if (binary_ && !binary_named_) {
      return message + waiting_ + "[binary output: not streamed]\n";
    }
    return message.append(whole_characters(waiting_, limit));
  }

  /// Tells the client, unless it reads too slowly: then everything stays for the next step.
  bool step(std::size_t limit, bool last_words = false) {
    Progress progress;
    progress.last_words = last_words;
    progress.message = take_message(limit);
    progress.seen = seen_total(progress.message);
    progress.awaiting_input = awaiting_;
    progress.progress = bytes_ > last_progress_ ? bytes_ : last_progress_ + kHeartbeatStep;
    last_step_ = Clock::now();
    const Taken taken = report_ ? report_(progress) : Taken::never;
    if (taken == Taken::never) {
      close();
    }
    if (taken != Taken::yes) {
      return false;
    }
    last_progress_ = progress.progress;
    awaiting_.reset();
    if (progress.message.empty()) {
      return true;
    }
    ++messages_;
    waiting_.erase(0, binary_ ? waiting_.size() : sent_of(progress.message));
    skipped_now_ = 0;
    binary_named_ = binary_;
    return true;
  }

  /// How much of `waiting_` the message holds: all but the line that says what was skipped.
  [[nodiscard]] std::size_t sent_of(const std::string& message) const {
    return skipped_now_ == 0 ? message.size() : message.size() - (message.find('\n') + 1);
  }

  void plan() {
    const auto heartbeat = last_step_ + kHeartbeat;
    wake_at(has_news() ? last_step_ + kBetweenSteps : std::min(heartbeat, text_.next_release(last_step_)));
  }

  void wake_at(Clock::time_point when) {
    if (!report_ || when == timer_.expiry()) {
      return;
    }
    timer_.expires_at(when);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      const bool due = Clock::now() >= self->timer_.expiry();  // else it was set anew since
      if (!error && due && self->report_) {
        self->text_.release(self->waiting_);
        if (self->has_news() || self->timer_.expiry() >= self->last_step_ + kHeartbeat) {
          self->step(kStepBytes);
        }
        self->plan();
      }
    });
  }

  asio::steady_timer timer_;
  ReportProgress report_;
  ShownText text_;
  std::string waiting_;  ///< to be sent
  double bytes_ = 0;
  std::optional<AwaitingInput> awaiting_;
  std::size_t skipped_ = 0;
  std::size_t skipped_now_ = 0;  ///< since the last step
  std::size_t messages_ = 0;
  std::optional<LogFollower> output_;
  std::optional<Background> reading_;
  Event all_read_;  ///< or it cannot be
  bool binary_ = false;
  bool binary_named_ = false;
  double last_progress_ = 0;
  Clock::time_point last_step_;
};

ProgressStream::ProgressStream(const asio::any_io_executor& executor, ReportProgress report,
                               const std::shared_ptr<TextGuard>& guard, std::string own_files) {
  if (report) {
    state_ = std::make_shared<State>(executor, std::move(report), guard, std::move(own_files));
    state_->begin();
  }
}

ProgressStream::~ProgressStream() {
  if (state_) {
    state_->close();
  }
}

void ProgressStream::follow(LogFollower output) {
  if (state_) {
    state_->follow(std::move(output));
  }
}

void ProgressStream::feed(std::string_view bytes) {
  if (state_) {
    state_->feed(bytes);
  }
}

void ProgressStream::pass_on(const Progress& step) {
  if (state_) {
    state_->pass_on(step);
  }
}

void ProgressStream::awaiting(AwaitingInput input) {
  if (state_) {
    state_->awaiting(std::move(input));
  }
}

asio::awaitable<void> ProgressStream::finish(bool goes_on, Clock::time_point read_by) {
  if (state_) {
    co_await state_->finish(goes_on, read_by);
  }
}

std::size_t ProgressStream::messages() const {
  return state_ ? state_->messages() : 0;
}
std::size_t ProgressStream::skipped_bytes() const {
  return state_ ? state_->skipped_bytes() : 0;
}

}  // namespace terminally
