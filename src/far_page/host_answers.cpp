// Asks hosts for what a page gets by HTTP, over links that several requests share.
#include "far_page/host_answers.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/event.hpp"
#include "base/keyed_mutex.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kUnusedFor{30'000};
constexpr Milliseconds kLookForUse{5'000};
constexpr Milliseconds kAnswerWithin{20'000};
/// A host that could not be reached is not tried anew for each of a page's requests.
constexpr Milliseconds kFailsFor{2'000};
constexpr std::size_t kMostRequests = 60;

}  // namespace

/// The requests to one host over one link.
class HostDesk : public std::enable_shared_from_this<HostDesk> {
 public:
  HostDesk(boost::asio::any_io_executor executor, FarView view)
      : executor_(std::move(executor)), view_(std::move(view)) {}

  [[nodiscard]] const HostEntry& host() const { return view_.host; }
  [[nodiscard]] static Awaitable<PipedAnswer> ask(std::shared_ptr<HostDesk> self, PipedRequest request);

 private:
  struct Waiting {
    Event done;
    std::optional<PipedAnswer> answer;
  };

  [[nodiscard]] static Awaitable<void> listen(std::shared_ptr<HostDesk> self, std::shared_ptr<PageLink> link);
  [[nodiscard]] static Awaitable<void> end_unused(std::shared_ptr<HostDesk> self,
                                                  std::shared_ptr<PageLink> link);
  [[nodiscard]] Awaitable<std::shared_ptr<PageLink>> link();
  [[nodiscard]] Awaitable<void> open();
  [[noreturn]] void throw_no_link() const;

  boost::asio::any_io_executor executor_;
  FarView view_;
  std::shared_ptr<AsyncMutex> opening_ = std::make_shared<AsyncMutex>();
  std::shared_ptr<PageLink> link_;
  std::map<std::uint64_t, std::shared_ptr<Waiting>> waiting_;
  std::uint64_t last_ = 0;
  Clock::time_point used_;
  Clock::time_point failed_;
  std::string why_;
};

void HostDesk::throw_no_link() const {
  throw Error(ErrorCode::io, "There is no link to " + view_.host.name + ": " + why_);
}

Awaitable<void> HostDesk::open() {
  std::string why;
  try {
    link_ = co_await PageLink::open(view_);
  } catch (const Error& error) {
    why = error.what();
  }
  if (!why.empty()) {
    why_ = why;
    failed_ = Clock::now();
    throw_no_link();
  }
  used_ = Clock::now();
  boost::asio::co_spawn(executor_, listen(shared_from_this(), link_), boost::asio::detached);
  boost::asio::co_spawn(executor_, end_unused(shared_from_this(), link_), boost::asio::detached);
}

Awaitable<std::shared_ptr<PageLink>> HostDesk::link() {
  const AsyncMutex::Guard turn = co_await opening_->lock();
  if (!link_ || link_->is_lost()) {
    if (!why_.empty() && Clock::now() - failed_ < kFailsFor) {
      throw_no_link();
    }
    co_await open();
  }
  co_return link_;
}

Awaitable<PipedAnswer> HostDesk::ask(std::shared_ptr<HostDesk> self, PipedRequest request) {
  if (self->waiting_.size() >= kMostRequests) {
    throw Error(ErrorCode::busy, "too much is asked of " + self->view_.host.name + " at once");
  }
  const std::shared_ptr<PageLink> link = co_await self->link();
  request.re = ++self->last_;
  self->used_ = Clock::now();
  const auto waiting = std::make_shared<Waiting>();
  struct Leaves {
    HostDesk& desk;
    std::uint64_t number;
    ~Leaves() { desk.waiting_.erase(number); }
  };
  const Leaves leaves{*self, request.re};
  self->waiting_[request.re] = waiting;
  link->send(request_line(request));
  [[maybe_unused]] const bool in_time = co_await waiting->done.wait_by(Clock::now() + kAnswerWithin);
  if (!waiting->answer) {
    self->why_ = link->is_lost() ? link->why_lost() : "it has not answered in time";
    self->throw_no_link();
  }
  co_return std::move(*waiting->answer);
}

Awaitable<void> HostDesk::listen(std::shared_ptr<HostDesk> self, std::shared_ptr<PageLink> link) {
  for (;;) {
    std::optional<LineOfHost> said = co_await link->next();
    if (!said) {
      break;
    }
    auto* const answer = std::get_if<PipedAnswer>(&*said);
    const auto found = answer != nullptr ? self->waiting_.find(answer->re) : self->waiting_.end();
    if (found != self->waiting_.end()) {
      found->second->answer = std::move(*answer);
      found->second->done.set();
    }
  }
  for (const auto& [number, waiting] : self->waiting_) {
    waiting->done.set();
  }
}

Awaitable<void> HostDesk::end_unused(std::shared_ptr<HostDesk> self, std::shared_ptr<PageLink> link) {
  while (!link->is_lost()) {
    if (!self->waiting_.empty()) {
      self->used_ = Clock::now();
    } else if (Clock::now() - self->used_ >= kUnusedFor) {
      link->close("unused");
    }
    co_await sleep_for(kLookForUse);
  }
}

Awaitable<PipedAnswer> HostAnswers::ask(FarView view, PipedRequest request) {
  const std::string key =
      view.host.name + '\0' + view.instance + '\0' + (view.visitor.role == Role::exec ? "exec" : "view");
  std::shared_ptr<HostDesk>& desk = desks_[key];
  if (!desk || desk->host() != view.host) {
    desk = std::make_shared<HostDesk>(executor_, std::move(view));
  }
  return HostDesk::ask(desk, std::move(request));
}

}  // namespace terminally
