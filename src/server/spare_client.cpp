#include "server/spare_client.hpp"

#include <boost/asio.hpp>
#include <utility>

#include "base/error.hpp"

namespace terminally {
namespace {

/// The pause before the next client is started: a trivial command has ended by then.
constexpr Milliseconds kPrepareAfter{1};

}  // namespace

struct SpareClient::State {
  State(const boost::asio::any_io_executor& on, Argv start)
      : executor(on), argv(std::move(start)), later(on) {}

  boost::asio::any_io_executor executor;
  Argv argv;
  boost::asio::steady_timer later;
  std::unique_ptr<ChildProcess> process;
};

SpareClient::SpareClient(const boost::asio::any_io_executor& executor, Argv argv)
    : state_(std::make_shared<State>(executor, std::move(argv))) {}

SpareClient::~SpareClient() {
  drop();
}

std::unique_ptr<ChildProcess> SpareClient::take() {
  state_->later.cancel();
  std::unique_ptr<ChildProcess> process = std::move(state_->process);
  return process && !process->has_ended() ? std::move(process) : nullptr;
}

void SpareClient::prepare() {
  state_->later.expires_after(kPrepareAfter);
  state_->later.async_wait([weak = std::weak_ptr(state_)](const boost::system::error_code& error) {
    const auto state = weak.lock();
    if (error || !state || state->process) {
      return;
    }
    try {
      state->process = std::make_unique<ChildProcess>(state->executor, state->argv);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): then the next command starts its own
    }
  });
}

void SpareClient::drop() {
  state_->later.cancel();
  state_->process.reset();
}

}  // namespace terminally
