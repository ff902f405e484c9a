#include "tmux/wire/client.hpp"

#include <algorithm>
#include <boost/asio.hpp>

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "tmux/wire/others_typed.hpp"
#include "tmux/wire/rows.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// What the guard prints instead of running the commands.
constexpr std::string_view kExpired = "terminally: expired";
/// What another server prints than the one that is meant.
constexpr std::string_view kOtherServer = "terminally: another server";
constexpr int kClientAttempts = 3;
/// The name of the buffer that texts are typed by. One is enough: it is made and used within one list of
/// commands, which tmux runs without a break.
constexpr std::string_view kTypedBuffer = "terminally";

constexpr const char* kNothingDone = "; nothing was done. Try again later";
/// The guard is evaluated when tmux reads the list, a moment before it runs it and another before it answers.
constexpr const char* kPerhapsDone =
    ". What was asked is not done later, unless tmux was stopped while it was at it: list_tabs and "
    "read_screen show it";

Error timed_out(std::chrono::milliseconds deadline, const std::string& what_of_it) {
  return Error(ErrorCode::tmux_timeout, "tmux did not answer within " + std::to_string(deadline.count()) +
                                            " ms (its server is stopped or overloaded)" + what_of_it);
}

/// An entry in the list of open questions, until it is answered. A call may be put away after the client.
class OpenQuestion {
 public:
  using Questions = std::shared_ptr<std::multiset<Clock::time_point>>;

  explicit OpenQuestion(Questions all) : all_(std::move(all)), place_(all_->insert(Clock::now())) {}
  OpenQuestion(const OpenQuestion&) = delete;
  OpenQuestion& operator=(const OpenQuestion&) = delete;
  ~OpenQuestion() { all_->erase(place_); }

 private:
  Questions all_;
  std::multiset<Clock::time_point>::iterator place_;
};

}  // namespace

TmuxClient::TmuxClient(std::shared_ptr<TmuxChannel> channel, std::chrono::milliseconds deadline)
    : channel_(std::move(channel)), deadline_(deadline) {}

/// What changes nothing may be asked again where the way to tmux broke over it.
asio::awaitable<std::string> TmuxClient::query(std::string commands) const {
  const auto begin = Clock::now();
  TmuxAnswer answer = co_await run(commands, deadline_);
  const auto left = deadline_ - std::chrono::duration_cast<Milliseconds>(Clock::now() - begin);
  if (answer.lost && left > Milliseconds(0)) {
    answer = co_await run(std::move(commands), left);
  }
  co_return output_of(std::move(answer), kNothingDone);
}

asio::awaitable<TmuxAnswer> TmuxClient::run(std::string commands, Milliseconds deadline) const {
  const OpenQuestion open(open_questions_);
  if (server_pid_ != 0) {
    commands = "%if \"#{!=:#{pid}," + std::to_string(server_pid_) + "}\" display-message -p " +
               quote(kOtherServer) + " %else " + commands + " %endif";
  }
  co_return co_await channel_->run(commands + "\n", deadline);
}

std::string TmuxClient::output_of(TmuxAnswer answer, const char* when_timed_out) const {
  if (answer.timed_out) {
    *timed_out_at_ = Clock::now();
    throw timed_out(deadline_, when_timed_out);
  }
  if (const std::string& message = answer.error; !message.empty()) {
    const bool missing = message.starts_with("can't find ") || message.starts_with("no such pane") ||
                         message == "no current target";  // the latter: no session at all
    throw Error(missing ? ErrorCode::not_found : ErrorCode::tmux_failed, "tmux: " + message);
  }
  if (server_pid_ != 0 && answer.out.starts_with(kOtherServer)) {
    throw Error(ErrorCode::not_found, "the tmux server of this tab is gone; nothing was done");
  }
  return std::move(answer.out);
}

TmuxClient TmuxClient::of_server(int pid) const {
  TmuxClient client = *this;
  client.server_pid_ = pid;
  return client;
}

TmuxClient TmuxClient::with_deadline(std::chrono::milliseconds deadline) const {
  TmuxClient client = *this;
  client.deadline_ = deadline;
  client.timed_out_at_ = std::make_shared<Clock::time_point>();  // its patience is its own
  return client;
}

std::chrono::milliseconds TmuxClient::silence_since(Clock::time_point when) const {
  const auto timed_out = *timed_out_at_ >= when ? deadline_ : Milliseconds(0);
  const auto open = open_questions_->empty() ? Clock::duration(0) : Clock::now() - *open_questions_->begin();
  return std::max(timed_out, std::chrono::duration_cast<Milliseconds>(open));
}

void TmuxClient::refuse_if_timed_out_since(Clock::time_point when) const {
  if (*timed_out_at_ >= when) {
    throw timed_out(deadline_, kNothingDone);
  }
}

asio::awaitable<bool> TmuxClient::has_no_news_since(std::uint64_t then, std::string session,
                                                    std::string untold) const {
  if (news() != then) {
    co_return false;
  }
  const std::string now =
      co_await query("display-message -p -t " + quote(session + ":") + " " + quote(kUntold));
  const bool is_as_it_was = now == untold + "\n" && news() == then;
  co_return is_as_it_was;
}

asio::awaitable<bool> TmuxClient::answers() const {
  bool answered = true;
  try {
    co_await query("display-message -p ''");
  } catch (const Error& error) {
    if (error.code() == ErrorCode::io) {
      throw;  // it was not asked
    }
    answered = false;
  }
  co_return answered;
}

std::string TmuxClient::guarded_condition() const {
  // #{T:@terminally_now} is the server's clock in seconds: the option holds "%s", and T expands it with
  // strftime(3).
  const auto last_second = wall_clock_ms() / 1000 + std::max<std::int64_t>(1, deadline_.count() / 1000);
  return "#{e|<|:#{T:@terminally_now}," + std::to_string(last_second) + "}";
}

/// `%if` and not `if-shell`: tmux 3.3a never gives back what an if-shell parsed and ran (6 KB a command).
asio::awaitable<std::string> TmuxClient::change(std::string commands) const {
  const auto deadline = Clock::now() + deadline_;
  for (int attempt = 1;; ++attempt) {
    std::string out = output_of(co_await run("%if \"" + guarded_condition() + "\" " + commands +
                                                 " %else display-message -p " + quote(kExpired) + " %endif",
                                             deadline_),
                                kPerhapsDone);
    if (!out.starts_with(kExpired)) {
      co_return out;
    }
    if (attempt == kClientAttempts || Clock::now() >= deadline) {
      throw timed_out(deadline_, kNothingDone);
    }
    // It ran nothing, and no time has passed: somebody set the clock just then.
  }
}

asio::awaitable<std::string> TmuxClient::start(std::string commands,
                                               std::vector<std::string> environment) const {
  co_return output_of(co_await channel_->start(commands + "\n", std::move(environment), deadline_),
                      kPerhapsDone);
}

/// Nothing is parsed and run by the if-shell where the buffer stays: see change().
std::string drop_buffer_if(std::string_view target, std::string_view condition, std::string_view buffer) {
  return "if-shell -F -t " + quote(target) + " " + quote(condition) + " 'delete-buffer -b " +
         std::string(buffer) + "'";
}

std::string type_bytes(std::string_view target, std::string_view bytes, std::string_view unless,
                       TypedAs kind) {
  const std::string at = "-t " + quote(target);
  const std::string keep = "set -pF " + at + " @terminally_";  // a tenth of a millisecond of tmux's
  const std::string buffer = "-b " + std::string(kTypedBuffer);
  const bool nul = bytes == std::string_view("\0", 1);  // no buffer takes it alone
  std::string commands = kind == TypedAs::key ? keep + "kept '#{@terminally_seen}' ; " : "";
  commands += "set-buffer " + buffer + " -- " + quote(nul ? "NUL" : bytes);
  if (!unless.empty()) {
    commands += " ; " + drop_buffer_if(target, unless, kTypedBuffer);
  }
  commands += nul ? " ; delete-buffer " + buffer + " ; send-keys -H " + at + " 00"
                  : " ; paste-buffer -d -r " + buffer + " " + at;  // "sent", by its hook
  if (kind == TypedAs::line) {
    commands += " ; " + set_untouched(at);
  } else {
    commands += " ; " + keep + "seen '#{@terminally_kept}'";
  }
  return commands;
}

bool were_not_typed(const Error& error) {
  return error.code() == ErrorCode::tmux_failed &&
         std::string_view(error.what()).find("no buffer ") != std::string_view::npos;
}

}  // namespace terminally
