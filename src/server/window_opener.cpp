// Opens windows and sessions for tabs, by commands of tmux.
#include "server/window_opener.hpp"

#include <exception>

#include "base/error.hpp"
#include "server/rows.hpp"
#include "server/server_config.hpp"

namespace terminally {

/// The session with its first window, whose variables are its own.
std::string WindowOpener::first_window(const std::string& session, const std::string& format,
                                       const NewWindow& window) const {
  Argv command = {"new-session", "-d",
                  "-s",          session,
                  "-x",          std::to_string(config_.cols),
                  "-y",          std::to_string(config_.rows),
                  "-P",          "-F",
                  format};
  command.insert(command.end(), window.words.begin(), window.words.end());
  std::string commands = quote_all(command);
  for (const std::string& variable : window.variables) {
    commands += " ; set-environment -u -t =" + session + " " + quote(variable);
  }
  return commands + " ; " + mark_session(session);
}

Awaitable<std::string> WindowOpener::start_server(std::string session, NewWindow window,
                                                  std::uint32_t first_id) {
  return server_.start(first_window(session, TmuxServer::kFormat + ("\t" + kNewPaneFormat), window),
                       first_id);
}

Awaitable<std::string> WindowOpener::open_session(std::string session, NewWindow window) {
  // Not guarded: a server without a session has no target for the guard to run in; it has just answered.
  const TmuxClient server = server_.client();
  co_return co_await server.start(first_window(session, kNewPaneFormat, window),
                                  tmux_environment(config_, server_.instance(), server_.generation()));
}

/// By its id, which no other session gets.
Awaitable<bool> WindowOpener::session_has_ended() const {
  const TmuxClient server = server_.client();
  try {
    co_await server.query("has-session -t " + quote(server_.session()));
  } catch (const Error& error) {
    co_return error.code() == ErrorCode::not_found;
  }
  co_return false;
}

/// Our client ends with the session: a window that was asked for in that moment went with it, or was not
/// made.
Awaitable<std::optional<std::string>> WindowOpener::open_window(Argv words) {
  const TmuxClient server = server_.client();
  std::optional<std::string> answer;
  std::exception_ptr failure;
  try {
    answer = co_await server.change("new-window -d -t " + quote(server_.session() + ":") + " -P -F " +
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
  if (failure && !co_await session_has_ended() && !co_await server_.ends()) {
    std::rethrow_exception(failure);
  }
  if (answer && answer->empty() && co_await server_.ends()) {
    answer.reset();  // it died over it: the client ends well
  }
  co_return answer;
}

}  // namespace terminally
