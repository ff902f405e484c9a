#include "page/crew.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

namespace terminally {

Spawned<> Crew::add(Awaitable<void> work) {
  std::erase_if(work_, [](const Spawned<>& one) { return one.is_over(); });
  work_.emplace_back(executor_, std::move(work));
  return work_.back();
}

Awaitable<void> Crew::end() {
  co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
  for (const Spawned<>& one : work_) {
    one.cancel();
  }
  const std::vector<Spawned<>> ending = std::exchange(work_, {});
  for (const Spawned<>& one : ending) {
    co_await one.wait_by(Clock::time_point::max());
  }
}

}  // namespace terminally
