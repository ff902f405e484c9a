#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/record.hpp"
#include "text/seen_total.hpp"
#include "toolkit/args.hpp"
#include "toolkit/peer_settings.hpp"
#include "toolkit/results_json.hpp"
#include "toolkit/shared_args.hpp"

namespace terminally {

class FarHosts;

/// One step of a running call, for the client to show.
struct Progress {
  double progress = 0;                ///< must rise from step to step; a step that does not rise is not sent
  std::string message;                ///< empty for none
  std::optional<ProgressCount> seen;  ///< the count that the message shows
  std::optional<AwaitingInput> awaiting_input = std::nullopt;
  bool last_words = false;  ///< the last step: queued however slowly the client reads
};

/// What became of a step.
enum class Taken {
  yes,
  later,  ///< the client reads too slowly: keep the message for the next step
  never,  ///< the call is over for its client
};

/// Sends a step to the client. To be called on the session's executor; stays callable after the tool call.
using ReportProgress = std::function<Taken(const Progress&)>;

/// What the client is to be told beside the answer to a call in a tab, as notes.
using NewsBeside = std::function<std::vector<std::string>(const nlohmann::json& arguments,
                                                          const nlohmann::ordered_json& answer)>;

// NOLINTBEGIN(readability-redundant-member-init): g++ warns where it is left out

/// A call that is a task. It blocks nobody, so it may outlast the synchronous window.
struct TaskCall {
  BeganCallback on_begin;
  std::string key = {};  ///< known to its client alone; kept in the record of the command that it begins
};

/// Whose call it is, and what gets its progress.
struct Caller {
  PeerSettingsPtr peer = nullptr;               ///< never null outside of tests
  std::string client = {};                      ///< the client's name and version, as it says; may be empty
  ReportProgress progress = nullptr;            ///< empty when the client asked for none
  std::optional<TaskCall> task = std::nullopt;  ///< nullopt: the call is no task
  NewsBeside news_beside = nullptr;             ///< empty: there are none
  std::string call_key = {};                    ///< a gateway's name for the call: kept as a task's key is
};

/// The objects that all calls of all peers work with.
struct Services {
  TmuxManager* manager = nullptr;                 ///< never null outside tests; outlives every call
  std::shared_ptr<FarHosts> hosts = nullptr;      ///< null where none are configured
  std::chrono::milliseconds sync_window{55'000};  ///< how long a call may take, unless it is a task
};

/// The objects that one call of a tool works with. Tools themselves hold no state.
struct ToolContext : Services {
  Caller caller = {};
  DefaultView default_view = {};                ///< the peer's, with the guard of this call
  std::shared_ptr<FileAccess> files = nullptr;  ///< the peer's
  bool as_text = false;                         ///< the answer becomes a text (answer_text.hpp)
};

// NOLINTEND(readability-redundant-member-init)

/// All four hints of the protocol, each sent even where it has its default.
/// https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
struct Annotations {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = false;  ///< reaches beyond this server's own tabs and logs
};

/// Whether a client may have a call go on as a task, and ask for its result later.
enum class TaskSupport {
  none,
  call,     ///< the task is the call: it ends with the server
  command,  ///< the task is the command that the call begins (`on_begin`), and lives as long
};

/// What a call begins in its tab, and when it returns.
enum class Begins {
  nothing,
  command,  ///< returns at the command's end
  process,  ///< returns once the process runs
};

/// Facts about a tool for the code that passes on, counts or masks its calls, so that no such code depends on
/// a tool's name.
struct Traits {
  TaskSupport task_support = TaskSupport::none;
  Begins begins = Begins::nothing;
  bool has_timeout = false;      ///< has the argument `timeout_ms`, with a default
  bool takes_host = false;       ///< has the argument `host`, as it need not name a tab
  bool gives_env = false;        ///< has the argument `env`, whose values may have to be masked
  bool names_tab = false;        ///< has the argument `name`, which becomes a tab's
  bool of_files = false;         ///< reaches files: more than a client has that may only look
  bool exact_content = false;    ///< its `content` may be written back, and so is never masked
  bool ends_things = false;      ///< accepted even where too many calls are unanswered
  bool one_of_tabs = false;      ///< takes several tabs as well, and answers for the first (one_of_tabs.hpp)
  bool lists_tabs = false;       ///< the tabs of hosts are appended to its result
  bool describes_hosts = false;  ///< left out where there are no hosts
};

/// One tool as the router sees it: the router visits arguments and results without knowing their types.
struct Tool {
  std::string_view name;
  std::string_view description;
  Annotations annotations;
  void (*describe_args)(ArgsVisitor&) = nullptr;
  void (*describe_result)(ResultVisitor&) = nullptr;
  /// Reads the arguments, does the work, writes the result. Throws `Error`, and writes nothing then.
  /// `args` and `result` outlive the coroutine.
  boost::asio::awaitable<void> (*call)(ToolContext, ArgsVisitor& args, ResultVisitor& result) = nullptr;
  Traits traits;
};

template <class Args, class Result>
using Handler = boost::asio::awaitable<Result> (*)(ToolContext, Args);

template <auto HandlerFunction>
struct HandlerTypes;

template <class Args, class Result, Handler<Args, Result> HandlerFunction>
struct HandlerTypes<HandlerFunction> {
  static void describe_args(ArgsVisitor& visitor) {
    Args args;
    args.describe(visitor);
    visitor.finish();
  }

  static void describe_result(ResultVisitor& visitor) { describe(visitor, Result{}); }

  static boost::asio::awaitable<void> call(ToolContext context, ArgsVisitor& reader, ResultVisitor& writer) {
    Args args;
    args.describe(reader);
    reader.finish();
    const Result result = co_await HandlerFunction(std::move(context), std::move(args));
    describe(writer, result);
  }
};

/// Makes a tool from its handler, `awaitable<Result> handler(ToolContext, Args)`.
template <auto HandlerFunction>
[[nodiscard]] Tool make_tool(std::string_view name, std::string_view description, Annotations annotations,
                             Traits traits = {}) {
  using Types = HandlerTypes<HandlerFunction>;
  return {name,         description, annotations, &Types::describe_args, &Types::describe_result,
          &Types::call, traits};
}

}  // namespace terminally
