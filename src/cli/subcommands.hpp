#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "config.hpp"

namespace CLI {
class App;
}

namespace terminally {

/// Runs what the command line asks for, once it was read whole; returns the exit code.
using Action = std::function<int()>;

/// The exit code of an exec that failed itself, as of env(1) and docker: not a code of its command.
inline constexpr int kExecFailed = 125;
/// The same of grep(1), where 1 is "nothing was found".
inline constexpr int kGrepTrouble = 2;

/// Runs the server until its end (app/serve.hpp). Says on stderr first what is wrong with this machine, and
/// to a person at a terminal what to do instead. Returns the exit code.
[[nodiscard]] int start_server(const Config& config);

/// Says what runs and what to type, to a person at a terminal. Returns the exit code.
[[nodiscard]] int show_overview(const Config& config);

/// Each function adds one subcommand, in a file of its name. A chosen subcommand sets `action`. `config` and
/// `action` live as long as `app`, and the flags are in `config` by the time the action runs.
void add_tail(CLI::App& app, Config& config, Action& action);
void add_export(CLI::App& app, Config& config, Action& action);
void add_ls(CLI::App& app, Config& config, Action& action);
void add_cp(CLI::App& app, Config& config, Action& action);
void add_new(CLI::App& app, Config& config, Action& action);
void add_send(CLI::App& app, Config& config, Action& action);
void add_wait(CLI::App& app, Config& config, Action& action);
void add_cancel(CLI::App& app, Config& config, Action& action);
void add_close(CLI::App& app, Config& config, Action& action);
void add_grep(CLI::App& app, Config& config, Action& action);
void add_attach(CLI::App& app, Config& config, Action& action);
/// `behind_dashes`: the number of words after the command line's first "--", if it has one.
void add_exec(CLI::App& app, Config& config, Action& action, std::optional<std::size_t> behind_dashes);
void add_history(CLI::App& app, Config& config, Action& action);
void add_instances(CLI::App& app, Config& config, Action& action);
void add_doctor(CLI::App& app, Config& config, Action& action);
void add_setup(CLI::App& app, Config& config, Action& action);
void add_uninstall(CLI::App& app, Config& config, Action& action);
void add_demo(CLI::App& app, Config& config, Action& action);
void add_serve(CLI::App& app, Config& config, Action& action);
void add_open(CLI::App& app, Config& config, Action& action);
void add_token(CLI::App& app, Config& config, Action& action);
void add_hosts(CLI::App& app, Config& config, Action& action);
void add_gateway(CLI::App& app, Config& config, Action& action);
void add_relay(CLI::App& app, Config& config, Action& action);
void add_help(CLI::App& app, Config& config, Action& action);
void add_version(CLI::App& app, Config& config, Action& action);
void add_completions(CLI::App& app, Config& config, Action& action);
void add_complete(CLI::App& app, Config& config, Action& action);

}  // namespace terminally
