// Finds, starts, watches and loses the process of the tmux server.
#include "tmux/server/tmux_server.hpp"

#include <boost/asio.hpp>
#include <charconv>
#include <exception>

#include "base/error.hpp"
#include "instance/helpers.hpp"
#include "instance/tab_ids.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"
#include "tmux/server/server_config.hpp"
#include "tmux/wire/control_channel.hpp"
#include "tmux/wire/spawned_client.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// A tmux server that was silent for so long counts as what held a call up: it answers in milliseconds.
constexpr Milliseconds kSilent{1'000};
constexpr Milliseconds kLostServerEndsWithin{300};

struct ServerAnswer {
  int pid = 0;
  std::uint32_t generation = 0;
  std::string rest;
};

ServerAnswer parse_server_answer(const std::string& answer) {
  ServerAnswer parsed;
  const char* const end = answer.data() + answer.size();
  const auto pid = std::from_chars(answer.data(), end, parsed.pid);
  const auto generation = std::from_chars(std::min(pid.ptr + 1, end), end, parsed.generation);
  parsed.rest = std::string(std::min(generation.ptr + 1, end), end);
  return parsed;
}

/// It has just ended, or it is one of another PID namespace.
bool is_unseen(const Instance& instance, int pid) {
  return process_info(pid) ? !instance.server_process(pid) : !is_alive(pid);
}

/// The pids that tmux tells would be of other processes here.
Error foreign_server(const Instance& instance, int pid) {
  return Error(ErrorCode::tmux_failed,
               "the tmux server of instance \"" + instance.name() + "\", by its own count pid " +
                   std::to_string(pid) +
                   ", is in another PID namespace (a container), and its processes cannot be seen from here; "
                   "use that instance there, or another --instance here");
}

std::string ask_for_server() {
  return std::string("display-message -p ") + quote(TmuxServer::kFormat);
}

/// The tmux server may be older than our installation and our options.
std::string point_to_helpers(const Config& config) {
  return "\nset-environment -g TERMINALLY_PANE_SHELL " +
         quote((config.helper_dir / "terminally-shell").string()) + "\n" + tmux_hooks(config);
}

/// Among the files of commands where there is no space: tmux reads it once, at its start.
void write_tmux_config(const Instance& instance, const std::string& text) {
  remove_file(instance.tmux_config());  // perhaps a link
  if (instance.files() == instance.runtime() || has_room(instance.runtime(), text.size())) {
    write_file(instance.tmux_config(), text);
  } else {
    write_elsewhere(instance.tmux_config(), text, instance.files());
  }
}

/// Who asks once needs no client that is kept.
std::shared_ptr<TmuxChannel> channel_to(const boost::asio::any_io_executor& executor, const Config& config,
                                        const Instance& instance,
                                        std::shared_ptr<const std::string> session) {
  auto spawned = std::make_shared<SpawnedClient>(config.tmux, instance.socket(), instance.tmux_config());
  if (config.guest && !config.stays) {
    return spawned;
  }
  return std::make_shared<ControlChannel>(executor, std::move(spawned), std::move(session));
}

}  // namespace

TmuxServer::TmuxServer(boost::asio::any_io_executor executor, const Config& config,
                       std::shared_ptr<TmuxChannel> tmux)
    : config_(config),
      owner_(executor, config_),
      client_(tmux ? std::move(tmux) : channel_to(executor, config_, instance(), session_),
              Milliseconds(config_.tmux_deadline_ms)),
      watch_(std::move(executor)) {}

std::string TmuxServer::what_held_up(Clock::time_point since) const {
  const Milliseconds silence = client_.silence_since(since);
  if (silence >= kSilent) {
    return "tmux left a question unanswered for " + std::to_string(silence.count()) +
           " ms (its server is stopped or overloaded)";
  }
  return "tmux left no question unanswered, and what it waited for is not known";
}

bool TmuxServer::alive() const {
  return is_alive(pid_);
}

/// One after the other; but who waited while tmux timed out for another does not wait for a time-out of its
/// own.
Awaitable<AsyncMutex::Guard> TmuxServer::turn(std::shared_ptr<AsyncMutex> mutex,
                                              Clock::time_point give_up_at) const {
  const auto arrived = Clock::now();
  AsyncMutex::Turn turn = co_await mutex->lock_by(give_up_at);
  client_.refuse_if_timed_out_since(arrived);
  co_return std::move(turn.guard);
}

/// One that was killed drops its clients before it is seen to be gone.
Awaitable<bool> TmuxServer::ends() const {
  const auto patience = Clock::now() + kLostServerEndsWithin;
  while (alive() && Clock::now() < patience) {
    co_await sleep_for(Milliseconds(5));
  }
  co_return !alive();
}

Awaitable<std::optional<std::string>> TmuxServer::answer_unless_gone(Awaitable<std::string> asked) const {
  std::exception_ptr failure;
  try {
    co_return co_await std::move(asked);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::tmux_timeout) {
      throw;
    }
    if (error.code() == ErrorCode::not_found) {
      co_return std::nullopt;
    }
    failure = std::current_exception();
  }
  if (!co_await ends()) {
    std::rethrow_exception(failure);
  }
  co_return std::nullopt;
}

/// What it tells of itself. Empty: none listens.
Awaitable<std::string> TmuxServer::ask_who_listens() {
  if (!instance().server_listens()) {
    co_return "";
  }
  co_await owner_.own_to_find();
  try {
    std::string commands = ask_for_server();
    if (trouble_with_helpers(config_).empty() && owner_.keeps()) {
      commands += point_to_helpers(config_);
    }
    co_return co_await client_.query(std::move(commands));
  } catch (const Error&) {
    if (instance().server_listens()) {
      throw;
    }  // else it has ended just now
  }
  co_return "";
}

Awaitable<void> TmuxServer::use_our_helpers() const {
  if (trouble_with_helpers(config_).empty()) {
    co_await client().query(ask_for_server() + point_to_helpers(config_));
  }
}

Awaitable<bool> TmuxServer::find() {
  std::string answer = co_await ask_who_listens();
  const auto patience = Clock::now() + kLostServerEndsWithin;
  while (!answer.empty() && is_unseen(instance(), parse_server_answer(answer).pid)) {
    if (Clock::now() > patience) {
      throw foreign_server(instance(), parse_server_answer(answer).pid);
    }
    co_await sleep_for(Milliseconds(5));  // it may have ended right behind its answer, and another may listen
    answer = co_await ask_who_listens();
  }
  if (answer.empty()) {
    generation_ = generation_ != 0 ? generation_ : instance().newest_generation();
    co_return false;
  }
  const ServerAnswer server = parse_server_answer(answer);
  generation_ = server.generation;
  pid_ = server.pid;
  gone_.clear();
  watch();
  co_return true;
}

Awaitable<std::string> TmuxServer::start(std::string first_window, std::uint32_t first_id) {
  const std::uint32_t before = generation_;
  std::optional<Untagged> outlives_our_tab;  // where a durable instance is used in a tab of another
  if (owner_.durable()) {
    outlives_our_tab.emplace();
  }
  first_id = std::max(first_unused_id(instance()), first_id);
  if (first_id > kHighestNumber) {
    throw Error(ErrorCode::io, "no tab can be opened: " + instance().state().string() + " says that tab @" +
                                   std::to_string(kHighestNumber) +
                                   " was there, the last there can be; if somebody has edited the file `ids` "
                                   "there, or put logs there, take that out again");
  }
  generation_ = std::max(instance().newest_generation(), generation_) + 1;
  make_private_directory(instance().generation(generation_));
  write_tmux_config(instance(), tmux_config_text(config_, generation_, first_id));
  std::string answer;
  try {
    answer =
        co_await client_.start(std::move(first_window), tmux_environment(config_, instance(), generation_));
  } catch (const Error&) {
    std::error_code ignored;
    std::filesystem::remove(instance().generation(generation_), ignored);  // unless something is in it
    generation_ = before;
    throw;
  }
  ServerAnswer server = parse_server_answer(answer);
  pid_ = server.pid;
  gone_.clear();
  watch();
  co_return std::move(server.rest);
}

void TmuxServer::watch() {
  if (!config_.guest) {
    watch_.start(pid_, [this] { ended_(); });
  }
}

void TmuxServer::let_go() {
  watch_.stop();
  pid_ = 0;
  gone_.set();
}

void TmuxServer::forget() {
  let_go();
  session_->clear();
}

Awaitable<void> TmuxServer::shut_down() {
  watch_.stop();
  client_.let_go();
  co_await owner_.shut_down(pid_);
}

}  // namespace terminally
