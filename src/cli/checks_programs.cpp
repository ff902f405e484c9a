// doctor: the programs that are needed, and what runs.

#include <boost/asio.hpp>
#include <charconv>
#include <cstdlib>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/programs.hpp"
#include "cli/checks.hpp"
#include "cli/guest.hpp"
#include "instance/instance.hpp"
#include "server/server_config.hpp"
#include "server/spawned_client.hpp"
#include "system/proc.hpp"
#include "system/shell_kind.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr int kOldestTmux[2] = {3, 2};
constexpr std::chrono::milliseconds kPatience{2'000};

/// What a program prints, without the newline at its end; empty when it fails.
std::string output_of(Argv argv) {
  asio::io_context io(1);
  std::string output;
  asio::co_spawn(io, run_process(std::move(argv), kPatience),
                 [&output](const std::exception_ptr& failure, const ProcessResult& result) {
                   output = failure || result.exit_code != 0 ? "" : result.out;
                 });
  io.run();
  return output.substr(0, output.find('\n'));
}

/// "tmux 3.3a", "tmux next-3.5": is it new enough?
bool new_enough(const std::string& version) {
  int number[2] = {0, 0};
  const char* at = version.data() + std::min(version.find_first_of("0123456789"), version.size());
  const char* end = version.data() + version.size();
  at = std::from_chars(at, end, number[0]).ptr;
  if (at != end && *at == '.') {
    std::from_chars(at + 1, end, number[1]);
  }
  return std::pair(number[0], number[1]) >= std::pair(kOldestTmux[0], kOldestTmux[1]);
}

}  // namespace

Findings check_tmux(const Config& config) {
  const std::filesystem::path program = find_program(config.tmux);
  if (program.empty()) {
    return {wrong("tmux: no program \"" + config.tmux + "\"", kMendTmux)};
  }
  const std::string version = output_of({program.string(), "-V"});
  if (version.empty()) {
    return {wrong("tmux: " + program.string() + " does not run", kMendTmux)};
  }
  const std::string what = "tmux: " + version + ", " + program.string();
  return {new_enough(version) ? fine(what) : wrong(what + " is too old", kMendTmux)};
}

Findings check_helpers(const Config& config) {
  Findings findings;
  for (const char* name : kHelpers) {
    const std::filesystem::path path = config.helper_dir / name;
    findings.push_back(
        is_program(path)
            ? fine("helper: " + path.string())
            : wrong(
                  "helper: " + path.string() + " is missing",
                  "keep terminally-log and terminally-shell beside terminally-mcp, or use cmake --install"));
  }
  return findings;
}

Findings check_shells(const Config& /*config*/) {
  Findings findings;
  const std::string shell = user_shell();
  findings.push_back(
      shell_kind(shell)
          ? fine("shell: " + shell + " in new tabs")
          : warning("shell: " + shell + " in new tabs is none that commands can be run in",
                    "set SHELL to bash, zsh, fish or a POSIX shell, or name one in create_tab"));
  std::string found;
  for (const char* name : {"bash", "zsh", "fish", "dash", "ksh", "mksh", "sh"}) {
    const std::filesystem::path path = find_program(name);
    found += path.empty() ? "" : (found.empty() ? "" : ", ") + path.string();
  }
  findings.push_back(found.empty() ? wrong("shells: none on PATH", "set PATH") : fine("shells: " + found));
  return findings;
}

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
      findings.push_back(wrong("instance: " + name + ": " + error.what(),
                               "if its tmux server hangs, kill that; the logs stay"));
    }
  }
  if (findings.empty()) {
    findings.push_back(fine("instance: none runs"));
  }
  return findings;
}

}  // namespace terminally
