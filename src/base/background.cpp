#include "base/background.hpp"

#include <boost/asio.hpp>
#include <utility>

namespace terminally {

namespace asio = boost::asio;

/// Outlives the coroutine, which holds it: a signal must not go before its slot.
struct Background::State {
  asio::cancellation_signal cancel;
  std::weak_ptr<void> running;  ///< expires with the coroutine, also where the event loop ends first
};

Background::Background(const asio::any_io_executor& executor, asio::awaitable<void> work)
    : state_(std::make_shared<State>()) {
  const std::shared_ptr<void> running = std::make_shared<int>();
  state_->running = running;
  asio::co_spawn(executor, std::move(work),
                 asio::bind_cancellation_slot(state_->cancel.slot(),
                                              [state = state_, running](const std::exception_ptr&) {}));
}

Background::~Background() {
  stop();
}

Background::Background(Background&&) noexcept = default;

Background& Background::operator=(Background&& other) noexcept {
  stop();
  state_ = std::move(other.state_);
  return *this;
}

bool Background::over() const {
  return !state_ || state_->running.expired();
}

void Background::stop() {
  const auto state = std::exchange(state_, nullptr);
  if (state && !state->running.expired()) {
    state->cancel.emit(asio::cancellation_type::terminal);
  }
}

}  // namespace terminally
