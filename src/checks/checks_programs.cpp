// Checks of `doctor` for the programs that are needed: tmux, the helpers and the shells.

#include <sys/statvfs.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "checks/checks.hpp"
#include "instance/instance.hpp"
#include "system/foreground.hpp"
#include "system/proc.hpp"
#include "tmux/server/server_config.hpp"
#include "tmux/wire/spawned_client.hpp"

namespace terminally {
namespace {

constexpr std::chrono::milliseconds kPatience{2'000};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

Finding does_not_run(const std::filesystem::path& tmux, const std::string& said) {
  return wrong("tmux: " + tmux.string() + " does not run" + (said.empty() ? "" : ": " + first_line(said)),
               lacks_locale(said) ? kMendLocale : kMendTmux);
}

/// Whether unpacked helpers could be run there. check_directories says whether they can be written.
Finding check_unpacking(const Config& config) {
  const std::string what = "helpers: inside of this program, for tabs in " + config.helper_dir.string();
  struct statvfs system{};
  const bool forbidden = ::statvfs(nearest_directory(config.helper_dir).c_str(), &system) == 0 &&
                         (system.f_flag & ST_NOEXEC) != 0;
  return forbidden ? wrong(what + ", which is mounted noexec", "give --state-dir a directory elsewhere")
                   : fine(what);
}

}  // namespace

Findings check_tmux(const Config& config) {
  const std::filesystem::path program = find_program(config.tmux);
  if (program.empty()) {
    return {wrong("tmux: no program \"" + config.tmux + "\"", kMendTmux)};
  }
  const ProcessResult answer = run_and_wait({program.string(), "-V"}, kPatience);
  if (answer.exit_code != 0 || answer.out.empty()) {
    return {does_not_run(program, answer.err)};
  }
  const std::string version = first_line(answer.out);
  const std::string what = "tmux: " + version + ", " + program.string();
  return {is_new_enough(version) ? fine(what) : wrong(what + " is too old", kMendTmux)};
}

Findings check_helpers(const Config& config) {
  Findings findings;
  if (!config.packed_helpers.programs.empty()) {
    findings.push_back(check_unpacking(config));
    return findings;
  }
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

}  // namespace terminally
