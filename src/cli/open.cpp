// terminally-mcp open: opens the page in a browser, by a link that is good for one entry.

#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/serve_page.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/timeout.hpp"
#include "cli/subcommands.hpp"
#include "http/links.hpp"
#include "system/this_build.hpp"
#include "terminal/detached.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

constexpr Milliseconds kStartsWithin{10'000};
constexpr Milliseconds kPause{20};

/// As this command was started, so that the page shows the same instances with the same masks.
Argv serve_argv(const Config& config) {
  static constexpr std::array kRedact = {"off", "rules", "all"};
  Argv argv = {std::filesystem::read_symlink("/proc/self/exe").string(),
               "serve",
               "--runtime-dir",
               config.runtime_root.string(),
               "--state-dir",
               config.state_root.string(),
               "--tmux",
               config.tmux,
               "--redact",
               kRedact.at(static_cast<std::size_t>(config.redact))};
  for (const std::string& name : config.mask_env) {
    argv.insert(argv.end(), {"--mask-env", name});
  }
  if (!config.mask_file.empty()) {
    argv.insert(argv.end(), {"--mask-file", std::filesystem::absolute(config.mask_file).string()});
  }
  if (std::filesystem::exists(config.hosts_file)) {
    argv.insert(argv.end(), {"--hosts", config.hosts_file.string()});
  }
  return argv;
}

/// Appends what a process says; false: it has ended.
bool hear(const UniqueFd& errors, std::string& said) {
  pollfd wait{errors.get(), POLLIN, 0};
  if (::poll(&wait, 1, static_cast<int>(kPause.count())) <= 0) {
    return true;
  }
  std::array<char, 4096> piece{};
  const ssize_t size = ::read(errors.get(), piece.data(), piece.size());
  said.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return size > 0;
}

Error not_started(std::string said) {
  constexpr std::string_view kName = "terminally-mcp: ";
  said = said.starts_with(kName) ? said.substr(kName.size()) : said;
  while (said.ends_with('\n')) {
    said.pop_back();
  }
  return {ErrorCode::io, "cannot serve the page: " + (said.empty() ? "it did not start in time" : said)};
}

/// Starts the process that serves, and returns its link. Where another `open` started one just before, ours
/// ends, and the link is that one's.
Link start_serving(const Config& config, Role role) {
  Pipe errors = make_pipe();
  start_detached(serve_argv(config), errors.write);
  errors.write.reset();
  std::string said;
  auto until = Clock::now() + kStartsWithin;
  for (bool lives = true; Clock::now() < until;) {
    if (auto link = ask_for_link(page_links(config), role)) {
      return std::move(*link);
    }
    if (lives && !hear(errors.read, said)) {
      lives = false;
      until = std::min(until, Clock::now() + Milliseconds(500));
    } else if (!lives) {
      ::usleep(static_cast<useconds_t>(kPause.count()) * 1'000);
    }
  }
  throw not_started(std::move(said));
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// What opens a link on this person's screen; empty where there is no screen, as over ssh.
std::string browser() {
  if (is_set("BROWSER") && !find_program(std::getenv("BROWSER")).empty()) {
    return std::getenv("BROWSER");
  }
  const bool screen = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
  for (const char* name : {"wslview", "xdg-open", "sensible-browser"}) {
    if ((screen || std::string_view(name) == "wslview") && !find_program(name).empty()) {
      return name;
    }
  }
  return {};
}

struct OpenOptions {
  bool print = false;
  bool exec = false;
};

int open_page(const Config& config, const OpenOptions& options) {
  make_private_directory(config.runtime_root);
  const Role role = options.exec ? Role::exec : Role::view;
  auto asked = ask_for_link(page_links(config), role);
  const Link link = asked ? std::move(*asked) : start_serving(config, role);
  if (link.build != text_of(this_build())) {
    complain("the page is served by another build, " + link.build +
             ": terminally-mcp serve --stop, and the "
             "next open starts this one");
  }
  const std::string program = options.print ? "" : browser();
  if (program.empty()) {
    print(link.url + "\n");
    return 0;
  }
  start_detached({program, link.url});
  print("Opened " + link.url.substr(0, link.url.find("/#")) +
        " in your browser. Nothing there? terminally-mcp open --print\n");
  return 0;
}

}  // namespace

void add_open(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<OpenOptions>();
  CLI::App* command = app.add_subcommand(
      "open", "Opens the page in your browser; starts what serves it where that does not run");
  command->add_flag("--print", options->print, "Print the link, and open nothing");
  command->add_flag("--exec", options->exec, "The page may also type and cancel; else it may only look");
  command->footer(
      "The link is good for one browser, within ten minutes. Whoever has it sees what you see.\n"
      "Examples:\n"
      "  terminally-mcp open\n"
      "  terminally-mcp open --exec\n"
      "  terminally-mcp open --print        the link, for a browser elsewhere: ssh -L 7332:127.0.0.1:7332 "
      "MACHINE");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return open_page(config, *options); }; });
}

}  // namespace terminally
