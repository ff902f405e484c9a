// terminally-mcp doctor: prints what this machine lacks, and how to mend it.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"
#include "checks/checks.hpp"
#include "cli/subcommands.hpp"
#include "instance/instance.hpp"
#include "system/proc.hpp"
#include "terminal/guest.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

const char* mark(Finding::Grade grade) {
  switch (grade) {
    case Finding::Grade::ok:
      return "ok      ";
    case Finding::Grade::warning:
      return "warning ";
    case Finding::Grade::wrong:
      break;
  }
  return "wrong   ";
}

/// A server that does not answer is one thing; a client that cannot ask it, as it is missing, or of another
/// version, is another, and then nothing is wrong with the server.
std::string how_to_mend(int server_pid, const Error& error) {
  const std::string pid = server_pid == 0 ? "" : " (pid " + std::to_string(server_pid) + ")";
  if (error.code() == ErrorCode::tmux_timeout) {
    return "if its tmux server" + pid + " hangs, kill it; the logs stay";
  }
  std::error_code unknown;
  const std::string program =
      std::filesystem::read_symlink("/proc/" + std::to_string(server_pid) + "/exe", unknown);
  return "nothing need be ended: what runs there goes on. The tmux that started it" + pid + " can ask it" +
         (unknown ? "" : ": --tmux " + program);
}

/// The instances that run, with their tabs and servers. Without a tmux that works, that is all to be said.
Findings check_instances(const Config& config) {
  const Findings tmux = check_tmux(config);
  const bool can_ask = std::ranges::none_of(
      tmux, [](const Finding& finding) { return finding.grade == Finding::Grade::wrong; });
  Findings findings;
  for (const std::string& name : running_instances(config)) {
    const Config guest = guest_of(config, name);
    if (!can_ask) {
      findings.push_back(warning("instance: " + name + ": it runs, and cannot be asked without tmux",
                                 "mend tmux, as said above; what runs there goes on meanwhile"));
      continue;
    }
    try {
      const std::string owner = read_file(Instance(guest, name).runtime() / "lock").value_or("");
      const bool owned = process_info(std::atoi(owner.c_str())).has_value();
      findings.push_back(fine("instance: " + name + ", " + std::to_string(tabs_of(guest).size()) + " tabs, " +
                              (owned ? "its server is pid " + owner : "no server at present")));
    } catch (const Error& error) {
      findings.push_back(wrong("instance: " + name + ": " + error.what(),
                               how_to_mend(Instance(guest, name).server_pid(), error)));
    }
  }
  if (findings.empty()) {
    findings.push_back(fine("instance: none runs"));
  }
  return findings;
}

int doctor(const Config& config) {
  bool wrong = false;
  for (const auto& check : {check_tmux, check_helpers, check_locale, check_directories, check_socket_path,
                            check_kernel, check_limits, check_shells, check_clients, check_instances}) {
    for (const Finding& finding : check(config)) {
      print(mark(finding.grade) + on_one_line(finding.what) + "\n");
      if (!finding.mend.empty()) {
        print("         -> " + on_one_line(finding.mend) + "\n");
      }
      wrong = wrong || finding.grade == Finding::Grade::wrong;
    }
  }
  return wrong ? 1 : 0;
}

}  // namespace

void add_doctor(CLI::App& app, Config& config, Action& action) {
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Looks whether this machine has what is needed: each line ok, a warning, or wrong and how to mend it");
  command->footer(
      "The exit code is 1 when something is wrong.\n"
      "Examples:\n"
      "  terminally-mcp doctor\n"
      "  terminally-mcp --state-dir /data/logs doctor     with the flags that your client passes");
  command->callback([&config, &action] { action = [&config] { return doctor(config); }; });
}

}  // namespace terminally
