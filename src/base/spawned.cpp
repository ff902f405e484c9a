// Spawned work: what is shared by those who wait for it and the coroutine that does it.
#include "base/spawned.hpp"

#include <boost/asio.hpp>
#include <exception>

#include "base/event.hpp"

namespace terminally {

namespace asio = boost::asio;

/// The coroutine's handler holds the state: a signal must not go before its slot.
struct Spawned<void>::State {
  asio::cancellation_signal cancel;
  std::weak_ptr<void> running;  ///< expires with the coroutine, also where the event loop ends first
  Event over;
  std::exception_ptr failure;
};

Spawned<void>::Spawned(const asio::any_io_executor& executor, Awaitable<void> work)
    : state_(std::make_shared<State>()) {
  const std::shared_ptr<void> running = std::make_shared<int>();
  state_->running = running;
  auto over = [state = state_, running](std::exception_ptr failure) {
    state->failure = std::move(failure);
    state->over.set();
  };
  asio::co_spawn(executor, std::move(work),
                 asio::bind_cancellation_slot(state_->cancel.slot(), std::move(over)));
}

bool Spawned<void>::is_over() const {
  return !state_ || state_->over.is_set();
}

Awaitable<bool> Spawned<void>::wait_by(Clock::time_point when) const {
  const std::shared_ptr<State> state = state_;
  bool is_over = true;
  if (state) {
    is_over = co_await state->over.wait_by(when);
  }
  if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  co_return is_over;
}

void Spawned<void>::result() const {
  if (state_ && state_->failure) {
    std::rethrow_exception(state_->failure);
  }
}

void Spawned<void>::cancel() const {
  if (!is_over() && !state_->running.expired()) {
    state_->cancel.emit(asio::cancellation_type::terminal);
  }
}

}  // namespace terminally
