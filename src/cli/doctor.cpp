// terminally-mcp doctor: what this machine lacks, and how to mend it.

#include <CLI/CLI.hpp>

#include "cli/checks.hpp"
#include "cli/print.hpp"
#include "cli/subcommands.hpp"

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

int doctor(const Config& config) {
  bool wrong = false;
  for (const auto& check : {check_tmux, check_helpers, check_locale, check_directories, check_socket_path,
                            check_kernel, check_limits, check_shells, check_instances}) {
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
