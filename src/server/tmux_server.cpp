#include "server/tmux_server.hpp"

#include <boost/asio.hpp>
#include <charconv>
#include <exception>

#include "base/error.hpp"
#include "instance/helpers.hpp"
#include "instance/tab_ids.hpp"
#include "server/control_channel.hpp"
#include "server/instance_end.hpp"
#include "server/rows.hpp"
#include "server/server_config.hpp"
#include "server/spawned_client.hpp"
#include "system/proc.hpp"
#include "system/signals.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// A tmux server that was silent for so long counts as what held a call up: it answers in milliseconds.
constexpr Milliseconds kSilent{1'000};
constexpr Milliseconds kLostServerEndsWithin{300};
constexpr Milliseconds kCleanedWithin{3'000};
/// How long a server that is leaving is waited for: it is gone 2 s after the end of its stdin.
constexpr Milliseconds kOwnerLeavesWithin{2'000};

/// What `new-session -P -F` answers with: the tmux server's pid and its generation, then a row.
constexpr const char* kServerFormat = "#{pid}\t#{@terminally_generation}";

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
void refuse_foreign_server(const Instance& instance, int pid) {
  if (is_unseen(instance, pid) && instance.server_listens()) {  // else it has just ended
    throw Error(
        ErrorCode::tmux_failed,
        "the tmux server of instance \"" + instance.name() + "\", by its own count pid " +
            std::to_string(pid) +
            ", is in another PID namespace (a container), and its processes cannot be seen from here; "
            "use that instance there, or another --instance here");
  }
}

std::string ask_for_server() {
  return std::string("display-message -p ") + quote(kServerFormat);
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

/// Opens the session with its first window, whose variables are its own.
std::string first_window(const Config& config, const std::string& session, const std::string& format,
                         const NewWindow& window) {
  Argv command = {"new-session", "-d",
                  "-s",          session,
                  "-x",          std::to_string(config.cols),
                  "-y",          std::to_string(config.rows),
                  "-P",          "-F",
                  format};
  command.insert(command.end(), window.words.begin(), window.words.end());
  std::string commands = quote_all(command);
  for (const std::string& variable : window.variables) {
    commands += " ; set-environment -u -t =" + session + " " + quote(variable);
  }
  return commands + " ; " + mark_session(session);
}

/// Who asks once needs nobody who is kept.
std::shared_ptr<TmuxChannel> channel_to(const boost::asio::any_io_executor& executor, const Config& config,
                                        const Instance& instance,
                                        std::shared_ptr<const std::string> session) {
  auto spawned = std::make_shared<SpawnedClient>(config.tmux, instance.socket(), instance.tmux_config());
  if (config.guest) {
    return spawned;
  }
  return std::make_shared<ControlChannel>(executor, std::move(spawned), std::move(session));
}

}  // namespace

TmuxServer::TmuxServer(boost::asio::any_io_executor executor, const Config& config,
                       std::shared_ptr<TmuxChannel> tmux)
    : executor_(std::move(executor)),
      config_(config),
      durable_(!config_.instance.empty()),
      instance_(config_, durable_ ? config_.instance : fresh_instance_name()),
      client_(tmux ? std::move(tmux) : channel_to(executor_, config_, instance_, session_),
              Milliseconds(config_.tmux_deadline_ms)),
      watch_(executor_) {}

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

/// What cleans it just now (`instances clean`) is gone in a moment, and so may be the server whose client has
/// just started us in its place.
Awaitable<void> TmuxServer::own_instance() {
  const auto begin = Clock::now();
  if (owner_lock_.lost_its_name()) {
    owner_lock_.release();
  }
  while (!owner_lock_) {
    try {
      owner_lock_ = instance_.own();
    } catch (const Error& error) {
      const auto patience = instance_.is_being_cleaned() ? kCleanedWithin : kOwnerLeavesWithin;
      if (error.code() != ErrorCode::busy || Clock::now() - begin >= patience) {
        throw;
      }
    }
    if (!owner_lock_) {
      co_await sleep_for(Milliseconds(20));
    }
  }
}

/// What it tells of itself. Empty: none listens.
Awaitable<std::string> TmuxServer::ask_who_listens() {
  if (!instance_.server_listens()) {
    co_return "";
  }
  if (!owner_lock_ && !config_.guest) {
    co_await own_instance();
  }
  try {
    std::string commands = ask_for_server();
    if (trouble_with_helpers(config_).empty() && !config_.guest) {
      commands += point_to_helpers(config_);
    }
    co_return co_await client_.query(std::move(commands));
  } catch (const Error&) {
    if (instance_.server_listens()) {
      throw;
    }  // else it has ended just now
  }
  co_return "";
}

Awaitable<bool> TmuxServer::find() {
  std::string answer = co_await ask_who_listens();
  if (!answer.empty() && is_unseen(instance_, parse_server_answer(answer).pid)) {
    answer = co_await ask_who_listens();  // another may listen by now
  }
  if (answer.empty()) {
    generation_ = generation_ != 0 ? generation_ : instance_.newest_generation();
    co_return false;
  }
  const ServerAnswer server = parse_server_answer(answer);
  refuse_foreign_server(instance_, server.pid);
  generation_ = server.generation;
  pid_ = server.pid;
  watch();
  co_return true;
}

Awaitable<void> TmuxServer::own_to_start() {
  if (config_.guest) {
    throw Error(ErrorCode::not_found,
                "instance \"" + instance_.name() +
                    "\" has no tmux server any more; its own terminally-mcp starts it anew");
  }
  if (!owner_lock_ || owner_lock_.lost_its_name()) {
    co_await own_instance();
    if (!durable_) {
      instance_.mark_unnamed();
    }
    asio::co_spawn(executor_, end_abandoned_instances(config_), asio::detached);
  }
}

Awaitable<std::string> TmuxServer::start(std::string session, NewWindow window, std::uint32_t first_id) {
  const std::uint32_t before = generation_;
  std::optional<Untagged> outlives_our_tab;  // where a durable instance is used in a tab of another
  if (durable_) {
    outlives_our_tab.emplace();
  }
  first_id = std::max(first_unused_id(instance_), first_id);
  if (first_id > kHighestNumber) {
    throw Error(ErrorCode::io, "no tab can be opened: " + instance_.state().string() + " says that tab @" +
                                   std::to_string(kHighestNumber) +
                                   " was there, the last there can be; if somebody has edited the file `ids` "
                                   "there, or put logs there, take that out again");
  }
  generation_ = std::max(instance_.newest_generation(), generation_) + 1;
  make_private_directory(instance_.generation(generation_));
  write_tmux_config(instance_, tmux_config_text(config_, generation_, first_id));
  std::string answer;
  try {
    answer = co_await client_.start(
        first_window(config_, session, std::string(kServerFormat) + "\t" + kNewPaneFormat, window),
        tmux_environment(config_, instance_, generation_));
  } catch (const Error&) {
    std::error_code ignored;
    std::filesystem::remove(instance_.generation(generation_), ignored);  // unless something is in it
    generation_ = before;
    throw;
  }
  ServerAnswer server = parse_server_answer(answer);
  pid_ = server.pid;
  watch();
  co_return std::move(server.rest);
}

Awaitable<std::string> TmuxServer::open_session(std::string session, NewWindow window) {
  // Not guarded: a server without a session has no target for the guard to run in; it has just answered.
  co_return co_await client_.start(first_window(config_, session, kNewPaneFormat, window),
                                   tmux_environment(config_, instance_, generation_));
}

/// By its id, which no other session gets.
Awaitable<bool> TmuxServer::session_has_ended() const {
  const TmuxClient server = client();
  try {
    co_await server.query("has-session -t " + quote(*session_));
  } catch (const Error& error) {
    co_return error.code() == ErrorCode::not_found;
  }
  co_return false;
}

/// Our client ends with the session: a window that was asked for in that moment went with it, or was not
/// made.
Awaitable<std::optional<std::string>> TmuxServer::open_window(Argv words) {
  const TmuxClient server = client();
  std::optional<std::string> answer;
  std::exception_ptr failure;
  try {
    answer = co_await server.change("new-window -d -t " + quote(*session_ + ":") + " -P -F " +
                                    quote(kNewPaneFormat) + " " + quote_all(words));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::not_found) {
      co_return std::nullopt;
    }
    if (error.code() == ErrorCode::tmux_timeout) {
      throw;
    }
    failure = std::current_exception();
  }
  if (failure && !co_await session_has_ended() && !co_await ends()) {
    std::rethrow_exception(failure);
  }
  if (answer && answer->empty() && co_await ends()) {
    answer.reset();  // it died over it: the client ends well
  }
  co_return answer;
}

void TmuxServer::watch() {
  if (!config_.guest) {
    watch_.start(pid_, [this] { ended_(); });
  }
}

void TmuxServer::let_go() {
  watch_.stop();
  pid_ = 0;
}

void TmuxServer::forget() {
  let_go();
  session_->clear();
}

Awaitable<void> TmuxServer::shut_down() {
  watch_.stop();
  client_.let_go();
  if (!durable_ && owner_lock_) {
    co_await end_instance(config_, instance_, pid_);
  } else if (owner_lock_) {
    co_await sleep_for(
        Milliseconds(20));  // files of commands that have just ended are still being taken away
  }
  owner_lock_.release();
}

}  // namespace terminally
