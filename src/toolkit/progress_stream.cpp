// Tells a client what a command prints, in steps: when the next step is due, and what becomes of one that the
// client does not take. The text of the steps is ShownText's.
#include "toolkit/progress_stream.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <string>

#include "base/background.hpp"
#include "base/error.hpp"
#include "base/event.hpp"
#include "base/timeout.hpp"
#include "text/seen_total.hpp"
#include "toolkit/shown_text.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kBetweenSteps = ShownText::kHeldBack;
constexpr Milliseconds kHeartbeat{5'000};
/// The pause between the last step and the answer.
constexpr Milliseconds kBeforeAnswer{10};
/// How long the last of the output is read at most, once the answer is known.
constexpr Milliseconds kReadsBehind{2'000};
/// How long the last step waits for a client that reads slowly.
constexpr Milliseconds kLastStepWithin{1'000};
/// What may wait to be sent: a second's worth at the highest rate that is streamed whole.
constexpr std::size_t kWaitingBytes = std::size_t{512} * 1024;
constexpr double kHeartbeatStep = 0.001;
constexpr double kMostBytes = 1e12;  ///< above, a step as small as that of a heartbeat is lost

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
    bytes_ += static_cast<double>(bytes.size());
    show(bytes);
  }

  void pass_on(const Progress& step) {
    bytes_ = step.progress <= kMostBytes ? std::max(bytes_, step.progress) : bytes_;
    if (step.awaiting_input) {
      awaiting_ = step.awaiting_input;
    }
    show(step.message);
  }

  void awaiting(AwaitingInput input) {
    awaiting_ = std::move(input);
    plan();
  }

  asio::awaitable<void> finish(bool goes_on) {
    const auto self = shared_from_this();
    if (!report_) {
      co_return;
    }
    const std::uint64_t unread = co_await read_to_end();
    awaiting_.reset();
    text_.end(goes_on || unread > 0, unread);
    const auto patience = Clock::now() + kLastStepWithin;
    while (has_news(kWaitingBytes) && !step() && Clock::now() < patience) {
      co_await sleep_for(kBeforeAnswer);  // a client that reads slowly still gets the last words
    }
    text_.keep(ShownText::kStepBytes);  // what it misses is said, as above the highest rate
    if (has_news(kWaitingBytes)) {
      step(true);
    }
    close();
    co_await sleep_until(last_step_ + kBeforeAnswer);
  }

  /// Tells what is due, and plans when to look again.
  void look() {
    const auto now = Clock::now();
    if (now >= last_step_ + kBetweenSteps &&
        (has_news(ShownText::kStepBytes) || now >= last_step_ + kHeartbeat)) {
      step();
    }
    plan();
  }

  [[nodiscard]] std::size_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t skipped_bytes() const { return text_.skipped_bytes(); }

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

  /// What is followed, up to where it is by now. Returns how many bytes could not be read in time.
  asio::awaitable<std::uint64_t> read_to_end() {
    if (!output_) {
      co_return 0;
    }
    output_->finish();
    const bool all = co_await all_read_.wait_by(Clock::now() + kReadsBehind);
    all_read_.set();
    co_return all ? 0 : output_->unread();
  }

  void show(std::string_view bytes) {
    if (report_) {
      text_.feed(bytes);
      text_.keep(kWaitingBytes);
      look();
    }
  }

  [[nodiscard]] bool has_news(std::size_t limit) {
    return report_ && (awaiting_ || !text_.next(limit).empty());
  }

  /// Tells the client, unless it reads too slowly: then everything stays for the next step.
  bool step(bool last_words = false) {
    Progress progress;
    progress.last_words = last_words;
    progress.message = text_.next(ShownText::kStepBytes);
    progress.seen = seen_total(progress.message);
    progress.awaiting_input = awaiting_;
    progress.progress = bytes_ > last_progress_ ? bytes_ : last_progress_ + kHeartbeatStep;
    last_step_ = Clock::now();
    const Taken taken = report_(progress);
    if (taken == Taken::never) {
      close();
    }
    if (taken != Taken::yes) {
      return false;
    }
    last_progress_ = progress.progress;
    awaiting_.reset();
    if (!progress.message.empty()) {
      ++messages_;
      text_.told();
    }
    return true;
  }

  void plan() {
    const auto due = awaiting_ ? last_step_ : text_.due();
    const auto when = std::min(last_step_ + kHeartbeat, std::max(last_step_ + kBetweenSteps, due));
    if (!report_ || when == timer_.expiry()) {
      return;
    }
    timer_.expires_at(when);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error && Clock::now() >= self->timer_.expiry()) {  // else it was set anew since
        self->look();
      }
    });
  }

  asio::steady_timer timer_;
  ReportProgress report_;
  ShownText text_;
  double bytes_ = 0;
  std::optional<AwaitingInput> awaiting_;
  std::size_t messages_ = 0;
  std::optional<LogFollower> output_;
  std::optional<Background> reading_;
  Event all_read_;  ///< or it cannot be
  double last_progress_ = 0;
  Clock::time_point last_step_;
};

ProgressStream::ProgressStream(const asio::any_io_executor& executor, ReportProgress report,
                               const std::shared_ptr<TextGuard>& guard, std::string own_files)
    : state_(std::make_shared<State>(executor, std::move(report), guard, std::move(own_files))) {
  state_->look();
}

ProgressStream::~ProgressStream() {
  state_->close();
}

void ProgressStream::follow(LogFollower output) {
  state_->follow(std::move(output));
}

void ProgressStream::feed(std::string_view bytes) {
  state_->feed(bytes);
}

void ProgressStream::pass_on(const Progress& step) {
  state_->pass_on(step);
}

void ProgressStream::awaiting(AwaitingInput input) {
  state_->awaiting(std::move(input));
}

asio::awaitable<void> ProgressStream::finish(bool goes_on) {
  return state_->finish(goes_on);
}

std::size_t ProgressStream::messages() const {
  return state_->messages();
}
std::uint64_t ProgressStream::skipped_bytes() const {
  return state_->skipped_bytes();
}

}  // namespace terminally
