#include "tmux/wire/control_channel.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/event.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "system/proc.hpp"
#include "tmux/wire/control_reader.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// What waits to be sent to a server that reads nothing. More is not taken.
constexpr std::size_t kMostWaiting = std::size_t{16} << 20U;
/// What is sent in one go: once it is being sent, it cannot be taken back.
constexpr std::size_t kMostAtOnce = std::size_t{64} << 10U;
/// A session that tmux does not know is not asked for again with each call.
constexpr Milliseconds kNotTriedAgain{5'000};
/// tmux up to 3.6 crashes where it has news for all control clients (a session was opened, closed or renamed,
/// its active window or pane changed, a client was detached, a pane's mode changed; from 3.4 on also a paste
/// buffer, which is how we type) while one of them is half known to it: control_write, control.c, of a client
/// that control_start has not seen (tmux's pull request 4980). A client that is lost with its session is lost
/// amidst such news.
constexpr Milliseconds kNewsIsOver{200};
/// What a client that has ended may have left in its output is read by then.
constexpr Milliseconds kLastWords{100};
constexpr const char* kLost =
    "the connection to its server broke before it answered; whether it was done is not known";

TmuxAnswer timed_out() {
  TmuxAnswer answer;
  answer.timed_out = true;
  return answer;
}

/// While it is under way. It may be put away after the channel.
class SpawnedCall {
 public:
  explicit SpawnedCall(std::shared_ptr<int> calls) : calls_(std::move(calls)) { ++*calls_; }
  SpawnedCall(const SpawnedCall&) = delete;
  SpawnedCall& operator=(const SpawnedCall&) = delete;
  ~SpawnedCall() { --*calls_; }

 private:
  std::shared_ptr<int> calls_;
};

}  // namespace

/// One client, from its start to its end. Lives as long as somebody waits for its answers.
class ControlChannel::Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// `news`: counts what tmux tells of. That there is a new connection counts, too: what came before is
  /// missed.
  Connection(const asio::any_io_executor& executor, const Argv& argv, std::shared_ptr<News> news)
      : news_(std::move(news)),
        reader_(random_hex(16)),
        process_(executor, argv, {}, ChildProcess::Kept::to_our_end) {
    ++news_->count;
  }

  void begin(const asio::any_io_executor& executor) {
    asio::co_spawn(executor, read(shared_from_this()), asio::detached);
    asio::co_spawn(executor, write(shared_from_this()), asio::detached);
    asio::co_spawn(executor, watch(shared_from_this()), asio::detached);
  }

  [[nodiscard]] bool attached() const { return reader_.attached(); }
  [[nodiscard]] bool refused() const { return reader_.refused(); }
  [[nodiscard]] bool lost() const { return lost_.is_set() || process_.has_ended(); }

  [[nodiscard]] bool is_settled() const { return settled_.is_set(); }
  /// Until it has its session, or is lost; until then at most.
  [[nodiscard]] Awaitable<bool> settled(Clock::time_point by) { return settled_.wait_by(by); }

  [[nodiscard]] Awaitable<TmuxAnswer> ask(std::string commands, Clock::time_point by) {
    Question question(*this);
    if (waiting_bytes_ < kMostWaiting) {
      waiting_bytes_ += commands.size();
      waiting_.push_back({question.number, std::move(commands)});
      more_.notify();
    }
    const bool answered = co_await question.answered.wait_by(by);
    if (!answered && is_stopped(process_.pid())) {
      lose();  // a tmux server that is to end waits for it
    }
    if (!answered) {
      co_return timed_out();
    }
    co_return std::move(question.answer);
  }

  /// Ends the client, and whatever waits for it.
  void lose() {
    if (!lost_.is_set()) {
      tell();  // who waits for news asks again
    }
    lost_.set();
    process_.end();
    settled_.set();
    more_.notify();
    for (const auto& [number, question] : questions_) {
      if (!question->answered.is_set()) {
        question->answer.lost = true;
        question->answer.error = kLost;
        question->answered.set();
      }
    }
  }

  /// The same, once nobody waits for it and tmux knows it whole: it crashes also over the end of a client
  /// that it half knows (control_stop; tmux's pull request 5004).
  void leave() {
    leaves_ = true;
    end_if_left();
  }

 private:
  struct Question {
    explicit Question(Connection& of) : connection(of), number(++of.last_number_) {
      connection.questions_.emplace(number, this);
    }
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;
    ~Question() {
      connection.questions_.erase(number);
      connection.end_if_left();
    }

    Connection& connection;
    std::uint64_t number;
    TmuxAnswer answer;
    Event answered;
  };

  struct Waiting {
    std::uint64_t number = 0;
    std::string commands;
  };

  static Awaitable<void> read(std::shared_ptr<Connection> self) {
    while (!self->lost_.is_set()) {
      const std::string bytes = co_await self->process_.read_some();
      if (bytes.empty()) {
        break;
      }
      self->take(bytes);
    }
    self->lose();
  }

  static Awaitable<void> write(std::shared_ptr<Connection> self) {
    for (bool reads = true; reads && !self->lost_.is_set();) {
      std::string text = self->next_requests();
      if (text.empty()) {
        co_await self->more_.wait();
        continue;
      }
      reads = co_await self->process_.write(std::move(text));
    }
    self->lose();
  }

  /// tmux has our pipe as well: where it is stopped, the end of its client alone tells.
  static Awaitable<void> watch(std::shared_ptr<Connection> self) {
    co_await self->process_.ended();
    co_await self->lost_.wait_by(Clock::now() + kLastWords);
    self->lose();
  }

  /// What was given up while it waited is not sent any more.
  std::string next_requests() {
    std::string text;
    while (!waiting_.empty() && text.size() < kMostAtOnce) {
      const Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      waiting_bytes_ -= next.commands.size();
      if (questions_.contains(next.number)) {
        text += reader_.request(next.commands, next.number);
      }
    }
    return text;
  }

  void tell() {
    ++news_->count;
    if (news_->told) {
      news_->told();
    }
  }

  void take(const std::string& bytes) {
    const std::uint64_t told = reader_.news();
    for (ControlReader::Answered& answered : reader_.feed(bytes)) {
      const auto question = questions_.find(answered.number);
      if (question != questions_.end()) {  // else it was given up
        question->second->answer = std::move(answered.answer);
        question->second->answered.set();
      }
    }
    if (reader_.news() != told) {
      tell();
    }
    if (reader_.attached()) {
      settled_.set();
      end_if_left();
    }
  }

  void end_if_left() {
    if (leaves_ && questions_.empty() && settled_.is_set()) {
      lose();
    }
  }

  std::shared_ptr<News> news_;
  ControlReader reader_;
  ChildProcess process_;
  Event lost_;
  Event settled_;  ///< it has its session, or was lost
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  Event more_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, Question*> questions_;
  bool leaves_ = false;
};

ControlChannel::ControlChannel(asio::any_io_executor executor, std::shared_ptr<SpawnedClient> spawned,
                               std::shared_ptr<const std::string> session)
    : executor_(std::move(executor)), spawned_(std::move(spawned)), session_(std::move(session)) {}

ControlChannel::~ControlChannel() {
  if (connection_) {
    connection_->lose();
  }
}

std::optional<std::uint64_t> ControlChannel::news() const {
  const bool listens = connection_ && connection_->attached() && !connection_->lost();
  return listens ? std::optional(news_->count) : std::nullopt;
}

void ControlChannel::let_go() {
  if (connection_) {
    leaving_ = connection_;
    news_until_ = Clock::now() + kNewsIsOver;
    std::exchange(connection_, nullptr)->leave();
  }
}

bool ControlChannel::may_attach() const {
  const bool refused = *session_ == refused_session_ && Clock::now() < refused_until_;
  const auto leaving = leaving_.lock();
  const bool alone = !connection_ && (!leaving || leaving->lost());
  return alone && !session_->empty() && !refused && Clock::now() >= news_until_;
}

/// None: spawned clients have to do. None comes while one of them is under way: what it does may be news.
Awaitable<std::shared_ptr<ControlChannel::Connection>> ControlChannel::connection(Clock::time_point by) {
  if (connection_ && connection_->lost()) {
    connection_.reset();  // what it may still have to say, it says
    news_until_ = Clock::now() + kNewsIsOver;
  }
  while (may_attach() && *spawned_calls_ > 0 && Clock::now() < by) {
    co_await sleep_for(Milliseconds(1));
  }
  if (may_attach() && *spawned_calls_ == 0) {
    try {
      // -N: attach-session would start a server.
      const auto made = std::make_shared<Connection>(
          executor_,
          spawned_->argv({"-N", "-C", "attach-session", "-t", *session_, "-f", "no-output,ignore-size"}),
          news_);
      made->begin(executor_);
      connection_ = made;
    } catch (const Error&) {  // a spawned client says why, or can be had
      news_until_ = Clock::now() + kNewsIsOver;
    }
  }
  const std::shared_ptr<Connection> found = connection_;
  if (!found) {
    co_return nullptr;
  }
  const std::string session = *session_;
  co_await found->settled(by);
  if (found->lost() && found->refused()) {
    refused_session_ = session;
    refused_until_ = Clock::now() + kNotTriedAgain;
  }
  co_return found->lost() ? nullptr : found;
}

Awaitable<TmuxAnswer> ControlChannel::run(std::string commands, Milliseconds deadline) {
  const auto by = Clock::now() + deadline;
  const auto connected = co_await connection(by);
  if (connected && !connected->attached()) {
    co_return timed_out();  // what is sent now would be run although it was given up
  }
  if (connected) {
    co_return co_await connected->ask(std::move(commands), by);
  }
  const auto left = time_until(by);
  if (left <= Milliseconds(0)) {
    co_return timed_out();
  }
  const SpawnedCall call(spawned_calls_);
  co_return co_await spawned_->run(std::move(commands), left);
}

Awaitable<TmuxAnswer> ControlChannel::start(std::string commands, std::vector<std::string> environment,
                                            Milliseconds deadline) {
  const auto by = Clock::now() + deadline;
  refused_until_ = {};
  // A session that is opened is news.
  if (const auto leaving = leaving_.lock()) {
    co_await leaving->settled(by);
  }
  while (connection_ && !connection_->is_settled() && Clock::now() < by) {
    const auto attaching = connection_;
    co_await attaching->settled(by);
  }
  outlived_ = connection_;
  const auto left = time_until(by);
  if (left <= Milliseconds(0)) {
    co_return timed_out();
  }
  const SpawnedCall call(spawned_calls_);
  co_return co_await spawned_->start(std::move(commands), std::move(environment), left);
}

/// A client from before `start` is at its end, or another server's. What was news then has been told by the
/// time that tmux has answered.
Awaitable<void> ControlChannel::attach(Milliseconds deadline) {
  if (connection_ && (connection_->lost() || connection_ == outlived_.lock())) {
    std::exchange(connection_, nullptr)->lose();
  }
  news_until_ = {};
  static_cast<void>(co_await connection(Clock::now() + deadline));
}

}  // namespace terminally
