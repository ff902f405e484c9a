// terminally-mcp doctor: prints what this machine lacks, and how to mend it.

#include <CLI/CLI.hpp>
#include <cstdlib>

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

/// The instances that run, with their tabs and servers.
Findings check_instances(const Config& config) {
  Findings findings;
  for (const std::string& name : running_instances(config)) {
    const Config guest = guest_of(config, name);
    try {
      const std::string owner = read_file(Instance(guest, name).runtime() / "lock").value_or("");
      const bool owned = process_info(std::atoi(owner.c_str())).has_value();
      findings.push_back(fine("instance: " + name + ", " + std::to_string(tabs_of(guest).size()) + " tabs, " +
                              (owned ? "its server is pid " + owner : "no server at present")));
    } catch (const Error& error) {
      const int pid = Instance(guest, name).server_pid();
      findings.push_back(wrong("instance: " + name + ": " + error.what(),
                               "if its tmux server hangs, kill it" +
                                   (pid == 0 ? std::string() : " (pid " + std::to_string(pid) + ")") +
                                   "; the logs stay"));
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
