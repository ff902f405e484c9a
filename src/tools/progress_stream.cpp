#include "tools/progress_stream.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <string>

#include "base/timeout.hpp"
#include "base/utf8.hpp"
#include "tmux/ansi.hpp"
#include "tools/seen_total.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kBetweenSteps{100};
constexpr Milliseconds kHeartbeat{5'000};
/// Between the last step and the answer.
constexpr Milliseconds kBeforeAnswer{10};
/// How long the last step waits for a client that reads slowly.
constexpr Milliseconds kLastStepWithin{1'000};
constexpr std::size_t kStepBytes = 64 * 1024;
/// What may wait to be sent: a second's worth at the highest rate that is streamed whole.
constexpr std::size_t kWaitingBytes = 512 * 1024;
constexpr double kHeartbeatStep = 0.001;

/// Not text: a NUL, or more than a tenth of it no UTF-8.
bool looks_binary(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos) {
    return true;
  }
  std::size_t invalid = 0;
  for (std::string_view rest = bytes; !rest.empty();) {
    if (const std::size_t ascii = ascii_prefix(rest); ascii > 0) {
      rest.remove_prefix(ascii);
      continue;
    }
    const Utf8Part part = first_utf8_part(rest);
    invalid += part.kind == Utf8Kind::invalid ? part.bytes : 0;
    rest.remove_prefix(part.bytes);
  }
  return invalid > 16 && invalid * 10 > bytes.size();
}

}  // namespace

/// Shared with the timer's handler, which may come after the stream is gone.
class ProgressStream::State : public std::enable_shared_from_this<State> {
 public:
  State(const asio::any_io_executor& executor, ReportProgress report)
      : timer_(executor), report_(std::move(report)), last_step_(Clock::now() - kBetweenSteps) {}

  void begin() { wake_at(last_step_ + kBetweenSteps + kHeartbeat); }

  void close() {
    report_ = nullptr;
    timer_.cancel();
  }

  void feed(std::string_view bytes) {
    if (!report_) {
      return;
    }
    bytes_ += bytes.size();
    if (binary_ || looks_binary(bytes)) {
      binary_ = true;
    } else {
      stripper_.feed(bytes, waiting_);
      skip_to(kWaitingBytes);
    }
    if (Clock::now() >= last_step_ + kBetweenSteps) {
      step(kStepBytes);
    }
    plan();
  }

  asio::awaitable<void> finish() {
    if (!binary_) {
      stripper_.finish(waiting_);
    }
    const auto self = shared_from_this();
    const auto patience = Clock::now() + kLastStepWithin;
    while (has_news() && !step(kWaitingBytes) && Clock::now() < patience) {
      co_await sleep_for(kBeforeAnswer);  // a client that reads slowly still gets the last words
    }
    close();
    co_await sleep_until(last_step_ + kBeforeAnswer);
  }

  [[nodiscard]] std::size_t messages() const { return messages_; }
  [[nodiscard]] std::size_t skipped_bytes() const { return skipped_; }

 private:
  [[nodiscard]] bool has_news() const { return !waiting_.empty() || (binary_ && !binary_named_); }

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
      message = "[... " + std::to_string(skipped_now_) + " bytes skipped ...]\n";
    }
    if (binary_ && !binary_named_) {
      return message + waiting_ + "[binary output: not streamed]\n";
    }
    std::size_t size = std::min(limit, waiting_.size());
    size -= size < waiting_.size() ? incomplete_utf8_suffix(std::string_view(waiting_).substr(0, size)) : 0;
    return message.append(waiting_, 0, size);
  }

  /// Tells the client, unless it reads too slowly: then everything stays for the next step.
  bool step(std::size_t limit) {
    Progress progress;
    progress.message = take_message(limit);
    progress.seen = seen_total(progress.message);
    const auto bytes = static_cast<double>(bytes_);
    progress.progress = bytes > last_progress_ ? bytes : last_progress_ + kHeartbeatStep;
    last_step_ = Clock::now();
    if (!report_ || !report_(progress)) {
      return false;
    }
    last_progress_ = progress.progress;
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

  void plan() { wake_at(last_step_ + (has_news() ? kBetweenSteps : kHeartbeat)); }

  void wake_at(Clock::time_point when) {
    if (!report_ || when == timer_.expiry()) {
      return;
    }
    timer_.expires_at(when);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      const bool due = Clock::now() >= self->timer_.expiry();  // else it was set anew since
      if (!error && due && self->report_) {
        self->step(kStepBytes);
        self->plan();
      }
    });
  }

  asio::steady_timer timer_;
  ReportProgress report_;
  AnsiStripper stripper_;
  std::string waiting_;  ///< stripped, not sent yet
  std::uint64_t bytes_ = 0;
  std::size_t skipped_ = 0;
  std::size_t skipped_now_ = 0;  ///< since the last step
  std::size_t messages_ = 0;
  bool binary_ = false;
  bool binary_named_ = false;
  double last_progress_ = 0;
  Clock::time_point last_step_;
};

ProgressStream::ProgressStream(const asio::any_io_executor& executor, ReportProgress report) {
  if (report) {
    state_ = std::make_shared<State>(executor, std::move(report));
    state_->begin();
  }
}

ProgressStream::~ProgressStream() {
  if (state_) {
    state_->close();
  }
}

void ProgressStream::feed(std::string_view bytes) {
  if (state_) {
    state_->feed(bytes);
  }
}

asio::awaitable<void> ProgressStream::finish() {
  if (state_) {
    co_await state_->finish();
  }
}

std::size_t ProgressStream::messages() const {
  return state_ ? state_->messages() : 0;
}
std::size_t ProgressStream::skipped_bytes() const {
  return state_ ? state_->skipped_bytes() : 0;
}

}  // namespace terminally
