// Follows one request from its admission to its reply, its cancellation or the end of its peer.
#include "mcp/exchange.hpp"

#include <boost/asio/cancellation_type.hpp>
#include <utility>

namespace terminally {

Exchange::Exchange(RpcMessage request, std::size_t bytes, std::shared_ptr<Stream> stream, Reply reply)
    : request_(std::move(request)),
      bytes_(bytes),
      outlet_(std::make_shared<Outlet>(std::move(stream))),
      reply_(std::move(reply)) {}

void Exchange::admit(Revision revision, std::string client, bool lasts) {
  revision_ = revision;
  client_ = std::move(client);
  lasts_ = lasts;
  if (const std::string token = progress_token(*request_.params); !token.empty()) {
    progress_ = std::make_shared<ProgressSink>(token, revision, outlet_);
  }
}

void Exchange::reply(std::string message) {
  state_ = State::replied;
  outlet_->close();
  std::exchange(reply_, nullptr)(std::move(message));
}

void Exchange::cancel() {
  given_up_ = true;
  silence(State::cancelled);
  cancel_.emit(boost::asio::cancellation_type::terminal);
}

void Exchange::abandon(bool stop) {
  silence(State::abandoned);
  reply_ = nullptr;
  if (stop) {
    cancel_.emit(boost::asio::cancellation_type::terminal);
  }
}

void Exchange::end() {
  if (const auto undo = std::exchange(undo_, nullptr); undo && given_up_) {
    undo();
  }
  if (state_ == State::cancelled) {
    std::exchange(reply_, nullptr)({});
  }
}

/// Nothing is sent from here on. Closes the progress separately, as a task's progress has another outlet.
void Exchange::silence(State why) {
  if (state_ == State::replied) {
    return;
  }
  state_ = why;
  outlet_->close();
  if (progress_) {
    progress_->close();
  }
}

}  // namespace terminally
