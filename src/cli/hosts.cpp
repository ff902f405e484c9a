// terminally-mcp hosts: which machines and containers agents may use, and whether they answer.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio.hpp>
#include <cerrno>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/composition.hpp"
#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/spawned.hpp"
#include "base/utf8.hpp"
#include "cli/subcommands.hpp"
#include "hosts/far_messages.hpp"
#include "hosts/hosts.hpp"
#include "hosts/push.hpp"
#include "terminal/print.hpp"
#include "text/visible_text.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

struct HostsOptions {
  HostEntry entry;
  std::string terminal;            ///< for add: the words of entry.terminal
  std::vector<std::string> names;  ///< for check; none: all
  std::string from;                ///< for push
  std::string to;                  ///< for push; empty: below the home directory there
};

HostEntry need_host(const Config& config, const std::string& name) {
  for (HostEntry& host : read_hosts(config.hosts_file)) {
    if (host.name == name) {
      return host;
    }
  }
  throw Error(ErrorCode::not_found, "there is no host \"" + name + "\" in " + config.hosts_file.string() +
                                        "; hosts list names those there are, hosts add allows one");
}

std::string way_to(const HostEntry& host) {
  if (!host.ssh.empty()) {
    return "ssh " + host.ssh;
  }
  std::string way;
  for (const std::string& word : host.command) {
    way += (way.empty() ? "" : " ") + word;
  }
  return way;
}

/// All hosts. Where there are none, says on stderr how to add one.
std::vector<HostEntry> all_hosts(const Config& config) {
  std::vector<HostEntry> hosts = read_hosts(config.hosts_file);
  if (hosts.empty()) {
    complain("no hosts in " + config.hosts_file.string() +
             ": terminally-mcp hosts add NAME --ssh DESTINATION");
  }
  return hosts;
}

int list_hosts(const Config& config) {
  std::vector<TableRow> rows = {{"HOST", "PROGRAM", "WAY"}};
  for (const HostEntry& host : all_hosts(config)) {
    rows.push_back({host.name, host.program, on_one_line(way_to(host))});
  }
  print(table(rows));
  return 0;
}

Error cannot_write(const std::filesystem::path& file, const std::string& reason) {
  return Error(ErrorCode::io, "cannot write the hosts into " + file.string() + ": " + reason +
                                  "; make that writable for you, or name another file with --hosts");
}

/// Changes the file of hosts while no other process does, by a lock on its directory. A link to the file
/// stays one. A running server has read the file already, so a message tells to restart it.
void change_hosts(const Config& config, const std::function<void(std::vector<HostEntry>&)>& change) {
  constexpr int kMostLinks = 40;
  std::filesystem::path file = config.hosts_file;
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(file); ++links) {
    file = file.parent_path() / std::filesystem::read_symlink(file);
  }
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  const UniqueFd directory(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || ::flock(directory.get(), LOCK_EX) != 0) {
    throw cannot_write(file, system_reason(error ? error.value() : errno));
  }
  std::vector<HostEntry> hosts = read_hosts(file);
  change(hosts);
  try {
    replace_file(file, write_hosts(hosts));
  } catch (const Error& failure) {
    throw cannot_write(file, failure.what());
  }
  complain("restart running servers for this to take effect");
}

/// Replaces the host of that name, or adds it.
void put(const Config& config, const HostEntry& entry) {
  change_hosts(config, [&entry](std::vector<HostEntry>& hosts) {
    std::erase_if(hosts, [&](const HostEntry& host) { return host.name == entry.name; });
    hosts.push_back(entry);
  });
}

/// A host that is added again with the same way keeps the program of `push`, unless another one is given.
void replace_earlier(const Config& config, HostEntry& entry, bool gives_program) {
  for (const HostEntry& host : read_hosts(config.hosts_file)) {
    if (host.name != entry.name) {
      continue;
    }
    const bool keeps = is_same_way(host, entry) && !gives_program && host.program != entry.program;
    complain("replaced the host " + entry.name +
             (keeps ? " (kept its program " + host.program + "; --program names another)" : ""));
    entry.program = keeps ? host.program : entry.program;
  }
}

int add(const Config& config, HostEntry entry, const std::string& terminal, bool gives_program) {
  entry.terminal = CLI::detail::split_up(terminal);
  check_host(entry);
  replace_earlier(config, entry, gives_program);
  put(config, entry);
  print(entry.name + ": " + on_one_line(way_to(entry)) + "\nterminally-mcp hosts check " + entry.name +
        " tells whether it answers\n");
  return 0;
}

int remove(const Config& config, const std::string& name) {
  static_cast<void>(need_host(config, name));
  change_hosts(config, [&name](std::vector<HostEntry>& hosts) {
    std::erase_if(hosts, [&](const HostEntry& host) { return host.name == name; });
  });
  return 0;
}

template <typename T>
T run_alone(asio::io_context& io, asio::awaitable<T> work) {
  const Spawned<T> made(io.get_executor(), std::move(work));
  while (!made.is_over() && io.run_one() > 0) {
  }
  return made.result();
}

/// The output of `doctor` on the host where that finds something wrong, else empty.
asio::awaitable<std::string> doctor_of(HostEntry host) {
  constexpr Milliseconds kWithin{30'000};
  Argv argv = relay_argv(host, {"doctor"}, false);
  const ProcessResult result = co_await run_process(std::move(argv), kWithin);
  co_return result.exit_code == 0 ? "" : result.out + result.err;
}

/// Runs a command in a tab there. Throws Error where none can be run, as with a login shell that is none of
/// ours.
asio::awaitable<void> run_true(std::shared_ptr<Host> way) {
  nlohmann::json arguments;
  arguments["command"] = "true";
  FarCall call;
  call.host = way->entry().name;
  call.tool = "execute_command";
  call.arguments = std::make_shared<const nlohmann::json>(std::move(arguments));
  const nlohmann::ordered_json result = co_await way->call(std::move(call));
  if (result.value("exit_code", nlohmann::ordered_json()) != 0) {
    throw Error(ErrorCode::io, "a command there (true) did not end well: " + result.dump());
  }
}

/// What the host says of itself, once it has run a command.
asio::awaitable<std::string> try_host(std::shared_ptr<Host> way) {
  const auto session = co_await way->connected(Clock::now() + Host::kConnectsWithin + Milliseconds(1'000));
  co_await session->ping(Clock::now() + Milliseconds(5'000));
  co_await run_true(way);
  co_return "terminally-mcp " + session->version() + ", " + std::to_string(session->round_trip().count()) +
      " ms";
}

/// Uses an instance of its own, so that a server that uses the host now is not disturbed. It ends with the
/// goodbye, also where something was wrong.
asio::awaitable<bool> check_one(asio::any_io_executor executor, HostEntry host, Config config) {
  const std::string name = host.name;
  host.instance.clear();
  config.instance.clear();
  const FarStart start = far_start(host, config, "check-" + random_hex(8));
  const auto way = std::make_shared<Host>(executor, host, start, std::filesystem::path());
  std::string problem;
  std::string said;
  try {
    said = co_await try_host(way);
  } catch (const Error& error) {
    problem = error.what();
  }
  co_await way->say_goodbye(Clock::now() + kForGoodbye);
  try {
    if (problem.empty()) {
      problem = co_await doctor_of(host);
    }
  } catch (const Error& error) {
    problem = error.what();
  }
  const bool is_ok = problem.empty();
  print(name + ": " + visible_text(is_ok ? "ok, " + said : shortened(problem, kLongestFarWords)) + "\n");
  co_return is_ok;
}

asio::awaitable<bool> check_all(asio::any_io_executor executor, std::vector<HostEntry> hosts, Config config) {
  bool all = true;
  for (const HostEntry& host : hosts) {
    const bool ok = co_await check_one(executor, host, config);
    all = all && ok;
  }
  co_return all;
}

int check(const Config& config, const std::vector<std::string>& names) {
  std::vector<HostEntry> hosts;
  hosts.reserve(names.size());
  for (const std::string& name : names) {
    hosts.push_back(need_host(config, name));
  }
  if (names.empty()) {
    hosts = all_hosts(config);
  }
  asio::io_context io(1);
  return run_alone(io, check_all(io.get_executor(), hosts, config)) ? 0 : 1;
}

/// This program, or the one at `from`, with the helpers beside it.
std::vector<std::filesystem::path> files_to_push(const std::string& from) {
  std::error_code error;
  const std::filesystem::path program =
      from.empty() ? std::filesystem::read_symlink("/proc/self/exe", error) : std::filesystem::path(from);
  std::vector<std::filesystem::path> files = {program};
  for (const char* helper : kHelpers) {
    const std::filesystem::path beside = program.parent_path() / helper;
    if (std::filesystem::exists(beside, error)) {
      files.push_back(beside);
    }
  }
  return files;
}

int push(const Config& config, const std::string& name, const std::string& from, const std::string& to) {
  HostEntry host = need_host(config, name);
  check_push_directory(to);
  asio::io_context io(1);
  host.program = run_alone(io, push_program(host, files_to_push(from), this_implementation().version, to));
  check_host(host);
  change_hosts(config, [&host](std::vector<HostEntry>& hosts) { set_program(hosts, host); });
  print(name + ": " + host.program + "\n");
  return check(config, {name});
}

}  // namespace

void add_hosts(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<HostsOptions>();
  CLI::App* command =
      app.add_subcommand("hosts", "The machines and containers that agents may use beside this one");
  command->require_subcommand(1);
  CLI::App* list = command->add_subcommand("list", "List the hosts");
  list->callback([&config, &action] { action = [&config] { return list_hosts(config); }; });

  CLI::App* adding = command->add_subcommand("add", "Add a host that agents may use");
  adding->add_option("name", options->entry.name, "What agents call it")->required();
  adding->add_option("--ssh", options->entry.ssh, "A destination of ssh: build1, me@10.0.0.7");
  adding->add_option("--ssh-config", options->entry.ssh_config,
                     "A configuration for ssh in place of your own");
  const CLI::Option* program =
      adding->add_option("--program", options->entry.program, "Where terminally-mcp is there");
  adding->add_option("--instance-there", options->entry.instance,
                     "The instance there; default: one for this gateway alone");
  adding->add_option("--state-dir-there", options->entry.state_dir,
                     "Where its logs are there; default: below the home directory there");
  adding
      ->add_option("--file-root", options->entry.file_roots,
                   "Where list_files, read_file and write_file may work there; more than one is allowed")
      ->allow_extra_args(false);
  adding->add_option("--terminal", options->terminal,
                     "The command that runs a program there with a terminal, for attach, in quotes: \"docker "
                     "exec -it web\"");
  adding->add_option(
      "command", options->entry.command,
      "Without --ssh, after --: the command that runs a program there over a pipe; the program is appended: "
      "docker exec -i web");
  adding->callback([&config, &action, options, program] {
    action = [&config, options, gives = program->count() != 0] {
      return add(config, options->entry, options->terminal, gives);
    };
  });

  CLI::App* checking = command->add_subcommand("check", "Whether they answer, and have what is needed");
  checking->add_option("names", options->names, "Some of them");
  checking->callback(
      [&config, &action, options] { action = [&config, options] { return check(config, options->names); }; });

  CLI::App* pushing = command->add_subcommand("push", "Put this program there, for your account alone");
  pushing->add_option("name", options->entry.name, "Where to")->required();
  pushing->add_option("--from", options->from, "Another program, for another kind of machine");
  pushing->add_option("--to", options->to,
                      "The directory for it there, where the home directory takes nothing: /data/programs");
  pushing->callback([&config, &action, options] {
    action = [&config, options] { return push(config, options->entry.name, options->from, options->to); };
  });

  CLI::App* removing = command->add_subcommand("remove", "Allow it no longer; nothing is changed there");
  removing->add_option("name", options->entry.name, "Which")->required();
  removing->callback([&config, &action, options] {
    action = [&config, options] { return remove(config, options->entry.name); };
  });

  for (CLI::App* one : {command, list, adding, checking, pushing, removing}) {
    one->footer(
        "Examples:\n"
        "  terminally-mcp hosts add build1 --ssh build1 --file-root /srv/app\n"
        "  terminally-mcp hosts add web --terminal \"docker exec -it web\" -- docker exec -i web\n"
        "  terminally-mcp hosts push build1\n"
        "  terminally-mcp hosts check");
  }
}

}  // namespace terminally
