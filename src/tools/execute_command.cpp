// execute_command: runs a command and returns its exact output and exit code.
#include <boost/asio/this_coro.hpp>

#include "tmux/manager.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/progress_stream.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {
namespace {

struct ExecuteCommandArgs {
  ExecuteCommand request;
  std::optional<std::size_t> on_timeout;
  ViewArgs view;
  std::optional<std::uint64_t> max_output_bytes;
  bool verbose = false;

  void describe(ArgsVisitor& v) {
    v.text("command", Need::required, request.command, kCommandBytes, "Command or script.");
    v.text("cwd", Need::optional, request.cwd, kPathBytes, "Go there first.");
    v.tab("window_id", request.window_id, kTabOrMainDescription);
    v.integer("timeout_ms", request.timeout_ms, kTimeoutMs, "None: back after 10 s, it goes on.");
    view.describe(v);
    v.choice("on_timeout", Need::optional, on_timeout, {"interrupt", "background"},
             "Then end it (unless it may ask unseen) or not.");
    v.integer("max_output_bytes", max_output_bytes, kMaxOutputBytes, kMaxOutputDescription);
    v.flag("verbose", verbose, kVerboseDescription);
  }
};

std::string streamed_note(const ProgressStream& stream) {
  std::string note = "streamed in " + std::to_string(stream.messages()) +
                     (stream.messages() == 1 ? " progress notification" : " progress notifications");
  return stream.skipped_bytes() == 0
             ? note
             : note + ", " + std::to_string(stream.skipped_bytes()) + " bytes of text skipped there";
}

/// Waits for the command's end, and returns its result.
boost::asio::awaitable<CommandResult> see_through(TmuxManager& manager, QueryCommand query,
                                                  CommandResult so_far) {
  query.window_id = so_far.window_id;
  query.command_id = so_far.command_id;
  co_await manager.commands().wait_for_end(query.window_id, query.command_id);
  co_return co_await manager.commands().state(std::move(query));
}

boost::asio::awaitable<CommandAnswer> execute_command(ToolContext context, ExecuteCommandArgs args) {
  if (args.on_timeout) {
    args.request.on_timeout = *args.on_timeout == 0 ? OnTimeout::interrupt : OnTimeout::background;
  }
  args.request.view = args.view.view(context.default_view);
  args.request.max_output_bytes = output_limit(args.max_output_bytes, args.request.view);
  Caller& caller = context.caller;
  args.request.who = std::move(caller.client);
  const bool is_task = caller.task.has_value();  // a task ends with its command, not before
  if (is_task) {
    args.request.on_begin = std::move(caller.task->on_begin);
    args.request.task_key = std::move(caller.task->key);
  }
  if (!is_task) {
    args.request.task_key = std::move(caller.call_key);
  }
  args.request.hand_over = !is_task;
  CommandAnswer answer;
  answer.verbose = args.verbose;
  answer.tells_time = context.as_text;
  answer.tab_was_named = args.request.window_id.has_value();
  std::string own_files = context.manager->files_directory();
  const auto stream =
      std::make_shared<ProgressStream>(co_await boost::asio::this_coro::executor, caller.progress,
                                       context.default_view.guard, std::move(own_files));
  OutputReader reader;
  if (caller.progress) {
    args.request.hand_over = false;  // a client that sees the output live waits for the command's end
    reader = [stream](LogFollower output) { stream->follow(std::move(output)); };
    args.request.on_awaiting = [stream](AwaitingInput input) { stream->awaiting(std::move(input)); };
  }
  QueryCommand rest;
  rest.view = args.request.view;
  rest.max_output_bytes = args.request.max_output_bytes;
  answer.result = co_await context.manager->commands().execute(std::move(args.request), std::move(reader));
  if (is_task && answer.result.state == CommandState::running) {
    if (answer.result.awaiting_input) {
      stream->awaiting(*answer.result.awaiting_input);
    }
    answer.result = co_await see_through(*context.manager, std::move(rest), answer.result);
  }
  co_await stream->finish(answer.result.state == CommandState::running);
  if (stream->messages() > 0) {
    answer.result.notes.push_back(streamed_note(*stream));
  }
  co_return answer;
}

}  // namespace

Tool execute_command_tool() {
  return make_tool<&execute_command>(
      "execute_command",
      "Run a shell command in a tab, wait for it, return exactly what it printed and its exit code (non-zero "
      "is no error). cd, variables and functions persist. state \"running\": it goes on, see wait_for.",
      {.destructive = true, .open_world = true},
      {.task_support = TaskSupport::command,
       .begins = Begins::command,
       .has_timeout = true,
       .takes_host = true});
}

}  // namespace terminally
