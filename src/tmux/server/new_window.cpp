// Opens windows and sessions for tabs, by commands of tmux.
#include "tmux/server/new_window.hpp"

#include <exception>

#include "base/error.hpp"
#include "tmux/server/server_config.hpp"
#include "tmux/wire/rows.hpp"

namespace terminally {
namespace {

/// The session with its first window, whose variables are its own.
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

/// By its id, which no other session gets.
Awaitable<bool> session_has_ended(TmuxClient client, std::string session) {
  try {
    co_await client.query("has-session -t " + quote(session));
  } catch (const Error& error) {
    co_return error.code() == ErrorCode::not_found;
  }
  co_return false;
}

}  // namespace

Awaitable<std::string> start_server(TmuxServer& server, const Config& config, const std::string& session,
                                    const NewWindow& window, std::uint32_t first_id) {
  return server.start(first_window(config, session, TmuxServer::kFormat + ("\t" + kNewPaneFormat), window),
                      first_id);
}

/// By a client that starts none: with the configuration of a server that has just died, ids would be given
/// twice.
Awaitable<std::optional<std::string>> open_session(const TmuxServer& server, const Config& config,
                                                   std::string session, NewWindow window) {
  const TmuxClient client = server.client();
  std::optional<std::string> row = co_await server.answer_unless_gone(
      client.change(first_window(config, session, kNewPaneFormat, window)));
  if (row && row->empty() && co_await server.ends()) {
    row.reset();  // it died over it: the client ends well
  }
  co_return row;
}

/// Our client ends with the session: a window that was asked for in that moment went with it, or was not
/// made.
Awaitable<std::optional<std::string>> open_window(const TmuxServer& server, Argv words) {
  const TmuxClient client = server.client();
  std::optional<std::string> answer;
  std::exception_ptr failure;
  try {
    answer = co_await client.change("new-window -d -t " + quote(server.session() + ":") + " -P -F " +
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
  if (failure && !co_await session_has_ended(client, server.session()) && !co_await server.ends()) {
    std::rethrow_exception(failure);
  }
  if (answer && answer->empty() && co_await server.ends()) {
    answer.reset();  // it died over it: the client ends well
  }
  co_return answer;
}

}  // namespace terminally
