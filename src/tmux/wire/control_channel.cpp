// The kept client of a tmux server: what is asked of it, and who waits for its answers.
#include "tmux/wire/control_channel.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/event.hpp"
#include "base/files.hpp"
#include "tmux/wire/control_reader.hpp"
#include "tmux/wire/wire_client.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// What waits to be sent to a server that reads nothing. More is not taken.
constexpr std::size_t kMostWaiting = std::size_t{16} << 20U;
/// What is sent in one go: once it is being sent, it cannot be taken back.
constexpr std::size_t kMostAtOnce = std::size_t{64} << 10U;
/// What a client that has ended may have left in its output is read by then.
constexpr Milliseconds kLastWords{100};
constexpr const char* kLost =
    "the connection to its server broke before it answered; whether it was done is not known";

TmuxAnswer timed_out() {
  TmuxAnswer answer;
  answer.timed_out = true;
  return answer;
}

/// What it does would be done with our commands.
void refuse_other_users(const UnixPeer& server, const std::filesystem::path& socket) {
  if (server.uid != ::geteuid()) {
    throw Error(ErrorCode::io, "who listens on the tmux socket " + socket.string() + " is of user id " +
                                   std::to_string(server.uid) + ", and not of yours, " +
                                   std::to_string(::geteuid()) +
                                   "; nothing was asked. End it, or use another --instance");
  }
}

}  // namespace

/// One client, from its start to its end. Lives as long as somebody waits for its answers.
class ControlChannel::Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// `news`: counts what tmux tells of. That there is a new connection counts, too: what came before is
  /// missed.
  Connection(const asio::any_io_executor& executor, UnixPeer server, WireForm form,
             std::shared_ptr<News> news)
      : server_pid_(server.pid),
        form_(form),
        news_(std::move(news)),
        reader_(random_hex(16)),
        client_(executor, std::move(server), form) {
    ++news_->count;
  }

  void begin(const asio::any_io_executor& executor) {
    asio::co_spawn(executor, read(shared_from_this()), asio::detached);
    asio::co_spawn(executor, write(shared_from_this()), asio::detached);
    asio::co_spawn(executor, watch(shared_from_this()), asio::detached);
  }

  [[nodiscard]] int server_pid() const { return server_pid_; }
  [[nodiscard]] bool attached() const { return reader_.attached(); }
  [[nodiscard]] bool lost() { return lost_.is_set() || client_.has_ended(); }
  /// Of one that tmux did not take: it may be for its form alone.
  [[nodiscard]] bool may_know_the_other_form() const {
    return form_ == WireForm::flagged && !client_.was_spoken_to();
  }

  [[nodiscard]] Awaitable<TmuxAnswer> ask(std::string commands, Clock::time_point by) {
    Question question(*this);
    if (waiting_bytes_ < kMostWaiting) {
      waiting_bytes_ += commands.size();
      waiting_.push_back({question.number, std::move(commands)});
      more_.notify();
    }
    const bool answered = co_await question.answered.wait_by(by);
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
    client_.end();
    more_.notify();
    for (const auto& [number, question] : questions_) {
      if (!question->answered.is_set()) {
        question->answer.lost = true;
        question->answer.error = kLost;
        question->answered.set();
      }
    }
  }

  /// The same, once nobody waits for it.
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
      const std::string bytes = co_await self->client_.read_some();
      if (bytes.empty()) {
        break;
      }
      self->take(bytes);
    }
    self->lose();
  }

  /// What is sent before tmux has taken us would be run although it was given up meanwhile.
  static Awaitable<void> write(std::shared_ptr<Connection> self) {
    for (bool reads = true; reads && !self->lost_.is_set();) {
      std::string text = self->attached() ? self->next_requests() : "";
      if (text.empty()) {
        co_await self->more_.wait();
        continue;
      }
      reads = co_await self->client_.write(std::move(text));
    }
    self->lose();
  }

  static Awaitable<void> watch(std::shared_ptr<Connection> self) {
    co_await self->client_.ended();
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
    const bool was_attached = reader_.attached();
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
    if (!was_attached && reader_.attached()) {
      more_.notify();
    }
  }

  void end_if_left() {
    if (leaves_ && questions_.empty()) {
      lose();
    }
  }

  int server_pid_;
  WireForm form_;
  std::shared_ptr<News> news_;
  ControlReader reader_;
  WireClient client_;
  Event lost_;
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  Event more_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, Question*> questions_;
  bool leaves_ = false;
};

ControlChannel::ControlChannel(asio::any_io_executor executor, std::shared_ptr<SpawnedClient> spawned,
                               std::shared_ptr<const std::string> session, Milliseconds rests)
    : executor_(std::move(executor)),
      spawned_(std::move(spawned)),
      session_(std::move(session)),
      rests_(rests) {}

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
    std::exchange(connection_, nullptr)->leave();
  }
}

/// A server that was not spoken to in its form drops us without a word, and so does one that ends: only who
/// is still the same is tried in the other form, as tmux before 3.6 would have no way to answer us then.
void ControlChannel::learn_from_refusal(const Connection& refused) {
  const bool other_form = refused.may_know_the_other_form();
  marked_server_ = other_form ? refused.server_pid() : 0;
  refused_until_ = other_form ? Clock::time_point() : Clock::now() + rests_;
}

/// None: spawned clients have to do, and say why nobody is reached.
std::shared_ptr<ControlChannel::Connection> ControlChannel::connection() {
  if (connection_ && connection_->lost()) {
    if (!connection_->attached()) {
      learn_from_refusal(*connection_);
    }
    connection_.reset();  // what it may still have to say, it says
  }
  if (connection_ || session_->empty() || Clock::now() < refused_until_) {
    return connection_;
  }
  UnixPeer server = connect_to(spawned_->socket());
  if (server.connection) {
    refuse_other_users(server, spawned_->socket());
    const WireForm form = server.pid == marked_server_ ? WireForm::marked : WireForm::flagged;
    connection_ = std::make_shared<Connection>(executor_, std::move(server), form, news_);
    connection_->begin(executor_);
  }
  return connection_;
}

Awaitable<TmuxAnswer> ControlChannel::run(std::string commands, Milliseconds deadline) {
  const auto by = Clock::now() + deadline;
  const std::shared_ptr<Connection> connected = connection();
  if (connected) {
    TmuxAnswer answer = co_await connected->ask(commands, by);
    if (!answer.lost || connected->attached()) {
      co_return answer;
    }  // else nothing was sent
  }
  const auto left = time_until(by);
  if (left <= Milliseconds(0)) {
    co_return timed_out();
  }
  co_return co_await spawned_->run(std::move(commands), left);
}

Awaitable<TmuxAnswer> ControlChannel::start(std::string commands, std::vector<std::string> environment,
                                            Milliseconds deadline) {
  return spawned_->start(std::move(commands), std::move(environment), deadline);
}

}  // namespace terminally
