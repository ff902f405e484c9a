// The tmux server: found, started, and what is to be done when it is lost. Its tabs are in manager_rows.cpp.

#include <boost/asio.hpp>
#include <charconv>
#include <cstdio>
#include <exception>
#include <optional>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/memory_file.hpp"
#include "tmux/instance_end.hpp"
#include "tmux/log_end.hpp"
#include "tmux/manager_impl.hpp"
#include "tmux/proc.hpp"
#include "tmux/server_config.hpp"
#include "tmux/signals.hpp"
#include "tmux/window_options.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// Some clients start a server only to probe it: that one must not become the owner.
constexpr Milliseconds kNoProbe{250};
/// How often a server looks whether the one that owns its instance has gone.
constexpr Milliseconds kOwnerLook{1'000};
constexpr Milliseconds kLostServerEndsWithin{300};
constexpr Milliseconds kCleanedWithin{3'000};
/// Each is gone 2 s after the end of its stdin.
constexpr Milliseconds kOwnerLeavesWithin{2'000};
/// What tmux had passed on before it was lost is in the logs by then.
constexpr Milliseconds kLostLogEndsWithin{400};

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

/// The pids that tmux tells would be of other processes here.
void refuse_foreign_server(const Instance& instance, int pid) {
  const bool unseen = process_info(pid) ? !instance.server_process(pid) : !is_alive(pid);
  if (unseen && instance.server_listens()) {  // else it has just ended
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

/// In memory where there is no space: tmux reads it once, at its start.
std::optional<MemoryFile> write_tmux_config(const Instance& instance, const std::string& text) {
  const std::filesystem::path path = instance.tmux_config();
  try {
    remove_file(path);  // perhaps a link to the memory of a server that is gone
    write_file(path, text);
  } catch (const Error&) {
    return MemoryFile(path, text);
  }
  return std::nullopt;
}

/// Opens the session with its first window, whose variables are its own.
std::string first_window(const Config& config, const std::string& session, const std::string& format,
                         const WindowOptions& options) {
  Argv command = {"new-session", "-d",
                  "-s",          session,
                  "-x",          std::to_string(config.cols),
                  "-y",          std::to_string(config.rows),
                  "-P",          "-F",
                  format};
  command.insert(command.end(), options.words.begin(), options.words.end());
  std::string commands = quote_all(command);
  for (const std::string& variable : options.variables) {
    commands += " ; set-environment -u -t =" + session + " " + quote(variable);
  }
  return commands + " ; " + mark_session(session);
}

}  // namespace

bool TmuxManager::Impl::server_alive() const {
  return is_alive(server_pid_);
}

/// One after the other; but who waited while tmux timed out for another does not wait for a time-out of its
/// own.
TmuxManager::Awaitable<AsyncMutex::Guard> TmuxManager::Impl::turn_at_tmux(std::shared_ptr<AsyncMutex> mutex,
                                                                          Clock::time_point give_up_at) {
  const auto arrived = Clock::now();
  AsyncMutex::Turn turn = co_await mutex->lock_by(give_up_at);
  client_.refuse_if_timed_out_since(arrived);
  co_return std::move(turn.guard);
}

/// A server that has lost its last tab ends with the client that has just found that out; one that was killed
/// drops its clients before it is seen to be gone.
TmuxManager::Awaitable<bool> TmuxManager::Impl::server_ends() const {
  const auto patience = Clock::now() + kLostServerEndsWithin;
  while (server_alive() && Clock::now() < patience) {
    co_await sleep_for(Milliseconds(5));
  }
  co_return !server_alive();
}

TmuxManager::Awaitable<std::optional<std::string>> TmuxManager::Impl::answer_unless_gone(
    Awaitable<std::string> asked) const {
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
  if (!co_await server_ends()) {
    std::rethrow_exception(failure);
  }
  co_return std::nullopt;
}

/// What cleans it just now (`instances clean`) is gone in a moment, and so may be the server whose client has
/// just started us in its place.
TmuxManager::Awaitable<void> TmuxManager::Impl::own_instance() {
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

/// A durable instance, or one that we are a guest of, may have a server already. Where it has none any more,
/// the logs of its last one can still be read.
TmuxManager::Awaitable<void> TmuxManager::Impl::attach_to_running_server() {
  refuse_without_proc();
  if (server_pid_ != 0 || durable_) {
    co_await restore_socket();
  }
  if (server_pid_ != 0 || !durable_) {
    co_return;
  }
  const auto turn = co_await turn_at_tmux(attaching_, Clock::time_point::max());
  if (server_pid_ != 0) {
    co_return;
  }
  std::string answer;
  if (instance_.server_listens()) {
    if (!owner_lock_ && !config_.guest) {
      co_await own_instance();
    }
    try {
      std::string commands = ask_for_server();
      if (!config_.guest) {
        commands += point_to_helpers(config_);
      }
      answer = co_await client_.query(std::move(commands));
    } catch (const Error&) {
      if (instance_.server_listens()) {
        throw;
      }  // else it has ended just now
    }
  }
  if (answer.empty()) {
    generation_ = generation_ != 0 ? generation_ : instance_.newest_generation();
    co_return;
  }
  const ServerAnswer server = parse_server_answer(answer);
  refuse_foreign_server(instance_, server.pid);
  for (const auto& [window, tab] : tabs_) {
    tab->closed = tab->closed || tab->server_pid != server.pid;
  }
  generation_ = server.generation;
  server_pid_ = server.pid;
  watch_server();
  std::exception_ptr failure;
  try {
    co_await list_panes();
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) {
    server_watch_.stop();
    server_pid_ = 0;  // not attached: the next try looks after its commands
    std::rethrow_exception(failure);
  }
  // A copy: others may come and go meanwhile.
  const std::map<WindowId, TabPtr> tabs = tabs_;
  for (const auto& [window, tab] : tabs) {
    try {
      look_after(tab);
    } catch (const Error& error) {
      std::fprintf(stderr, "terminally-mcp: tab %s: %s\n", to_string(window).c_str(), error.what());
    }
    co_await asio::post(executor_, asio::use_awaitable);
  }
}

/// On its own, without a call: a command's deadline is to hold although its server died. Waits until the
/// instance's owner has gone, if there is one; starts nothing, and touches nothing where no tmux runs.
TmuxManager::Awaitable<void> TmuxManager::Impl::look_after_running() {
  for (auto pause = kNoProbe; durable_; pause = kOwnerLook) {
    co_await sleep_for(pause);
    if (server_pid_ != 0 || !instance_.server_lives()) {
      co_return;
    }
    try {
      co_await attach_to_running_server();
    } catch (const Error&) {
      continue;  // the first call says what is wrong
    }
  }
}

/// The session with its first window, in a server that is started with it, or in one that has lost its last
/// tab.
TmuxManager::Awaitable<std::string> TmuxManager::Impl::new_session(std::string name, WindowOptions options,
                                                                   bool start_server) {
  if (!start_server) {
    // A server without a session has no target for the guard to run in; it has just answered.
    co_return co_await client_.start(first_window(config_, name, kNewPaneFormat, options),
                                     tmux_environment(config_, instance_, generation_));
  }
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
  co_await clear_up_lost_server();
  const auto turn = co_await turn_at_tmux(
      attaching_, Clock::time_point::max());  // it listens before we know its generation
  const std::uint32_t before = generation_;
  std::optional<Untagged> outlives_our_tab;  // where a durable instance is used in a tab of another
  if (durable_) {
    outlives_our_tab.emplace();
  }
  const std::uint32_t first_id = std::max(first_unused_id(instance_), next_id_);
  if (first_id > kHighestNumber) {
    throw Error(ErrorCode::io, "no tab can be opened: " + instance_.state().string() + " says that tab @" +
                                   std::to_string(kHighestNumber) +
                                   " was there, the last there can be; if somebody has edited the file `ids` "
                                   "there, or put logs there, take that out again");
  }
  generation_ = std::max(instance_.newest_generation(), generation_) + 1;
  make_private_directory(instance_.generation(generation_));
  const auto full_disk = write_tmux_config(instance_, tmux_config_text(config_, generation_, first_id));
  std::string answer;
  try {
    answer = co_await client_.start(
        first_window(config_, name, std::string(kServerFormat) + "\t" + kNewPaneFormat, options),
        tmux_environment(config_, instance_, generation_));
  } catch (const Error&) {
    std::error_code ignored;
    std::filesystem::remove(instance_.generation(generation_), ignored);  // unless something is in it
    generation_ = before;
    throw;
  }
  forget_closed_tabs();
  ServerAnswer server = parse_server_answer(answer);
  server_pid_ = server.pid;
  watch_server();
  co_return std::move(server.rest);
}

/// For a guest, who keeps nothing running, the next call will do.
void TmuxManager::Impl::watch_server() {
  if (!config_.guest) {
    server_watch_.start(server_pid_, [this] { asio::co_spawn(executor_, end_of_server(), asio::detached); });
  }
}

TmuxManager::Awaitable<void> TmuxManager::Impl::end_of_server() {
  const auto guard = co_await opening_window_->lock();
  if (!server_alive()) {
    co_await clear_up_lost_server();
  }
}

/// They are found on disk again, when somebody asks for them.
void TmuxManager::Impl::forget_closed_tabs() {
  std::erase_if(tabs_,
                [](const auto& entry) { return entry.second->closed && entry.second.use_count() == 1; });
}

/// After the tmux server's end: its commands have failed, its tabs are closed, and nothing of it runs on.
/// Before a new one, whose panes have the same numbers. For whoever holds `opening_window_`.
TmuxManager::Awaitable<void> TmuxManager::Impl::clear_up_lost_server() {
  server_watch_.stop();
  server_pid_ = 0;
  session_.clear();
  writer_guards_.clear();  // the next server's panes have the same numbers
  const auto logs_end_by = Clock::now() + kLostLogEndsWithin;
  const std::map<WindowId, TabPtr> tabs = tabs_;
  for (const auto& [window, tab] : tabs) {
    tab->closed = true;
    if (!tab->runs.empty()) {
      co_await wait_for_log_end(tab->log, logs_end_by);
    }
    for (const RunPtr& run : std::vector(tab->runs)) {
      co_await run->catch_up();
      run->give_up(Reason::tmux_server_lost);
    }
  }
  tab_came_or_went();
  for (const Survivor& survivor : co_await end_tab_processes(instance_)) {
    std::fprintf(stderr, "terminally-mcp: the tmux server is lost; left over from a tab: pid %d (%s)\n",
                 survivor.pid, survivor.command.c_str());
  }
  settle_generation(generation_ != 0 ? generation_ : instance_.newest_generation());
  remove_command_files(instance_);
}

/// The commands that nobody looked after when their tmux server was lost.
void TmuxManager::Impl::settle_generation(std::uint32_t generation) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(instance_.generation(generation), error)) {
    const auto window = tab_of_records(entry.path());
    if (!window) {
      continue;
    }
    const auto tab = std::make_shared<Tab>(*window, instance_, generation);
    try {
      look_after(tab);
    } catch (const Error& failure) {
      std::fprintf(stderr, "terminally-mcp: tab %s: %s\n", to_string(*window).c_str(), failure.what());
    }
  }
}

TmuxManager::Awaitable<void> TmuxManager::Impl::set_history_limit(std::uint32_t limit) {
  co_await attach_to_running_server();
  if (server_pid_ != 0) {
    const TmuxClient server = tmux();
    co_await server.change("set-option -g history-limit " + std::to_string(limit));
  }
  config_.history_limit = limit;
}

}  // namespace terminally
