// terminally-mcp gateway and relay: what another terminally-mcp runs here over its pipe (doc/hosts.md).
// They are not for people, so --help does not show them.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "app/composition.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "cli/command_line.hpp"
#include "cli/options.hpp"
#include "cli/subcommands.hpp"
#include "far_page/piped_page.hpp"
#include "hosts/gateway_lock.hpp"
#include "hosts/hello.hpp"
#include "hosts/pipe_command.hpp"
#include "instance/instance.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

struct GatewayOptions {
  std::string id;
  std::string nonce;
  bool temporary = false;
  std::string roots;
  std::string page;
  std::uint64_t linger_ms = 600'000;
};

bool is_hex(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Prints the hello once this is the only server of its gateway: an earlier server has ended by then, and the
/// requests that it had not begun are never carried out.
int gateway(Config config, const GatewayOptions& options) {
  if (!is_hex(options.id) || !is_hex(options.nonce) || config.instance.empty()) {
    throw Error(ErrorCode::invalid_argument, "gateway is for other terminally-mcp programs only");
  }
  if (::isatty(STDIN_FILENO) != 0) {  // it would send back what it gets, and lose long lines
    throw Error(ErrorCode::io, "gateway: standard input is a terminal, and must be a pipe");
  }
  if (!options.page.empty()) {
    return serve_piped_page(config, options.nonce, options.page);
  }
  config.gateway = options.id;
  config.temporary = options.temporary;
  if (!options.roots.empty()) {
    const std::vector<std::string> roots = decode_words(options.roots);
    config.file_roots.assign(roots.begin(), roots.end());
  }
  const FileLock lock = take_gateway_lock(config, options.id, options.nonce);
  print(hello_line(options.nonce, this_implementation().version));
  const int code = start_server(config);
  if (config.temporary && Instance(config, config.instance).server_pid() != 0) {
    linger(config, lock, Milliseconds(options.linger_ms));
  }
  return code;
}

/// Runs the words as if they were typed here, for a machine that calls this one `as`. This machine's own
/// hosts are left out, as behind a gateway: a host that leads back here would make `ls` ask without end.
int relay(const std::string& text, const std::string& as) {
  say_as_host(as);
  ::unsetenv("TERMINALLY_HOSTS");
  Config config = default_config();
  config.hosts_file.clear();
  std::vector<std::string> words = decode_words(text);
  words.insert(words.begin(), "terminally-mcp");
  std::vector<char*> argv = pointers(words);
  return run_command_line(static_cast<int>(words.size()), argv.data(), std::move(config));
}

}  // namespace

void add_relay(CLI::App& app, Config& /*config*/, Action& action) {
  const auto text = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("relay", "A command line that another terminally-mcp passes on");
  command->group("");
  const auto as = std::make_shared<std::string>();
  command->add_option("words", *text, "In hexadecimal digits")->required();
  command->add_option("--as", *as, "What this machine is called there");
  command->callback([&action, text, as] { action = [text, as] { return relay(*text, *as); }; });
}

void add_gateway(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<GatewayOptions>();
  CLI::App* command = app.add_subcommand("gateway", "What another terminally-mcp runs here through a pipe");
  command->group("");
  command->add_option("id", options->id, "Of the gateway")->required();
  command->add_option("nonce", options->nonce, "Is said back, turned around")->required();
  command->add_flag("--temporary", options->temporary, "Its tabs end with the gateway");
  command->add_option("--roots", options->roots, "As --file-root, in hexadecimal digits");
  command->add_option("--page", options->page, "Serves this page, and is no gateway");
  command->add_option("--linger-ms", options->linger_ms,
                      "How long they stay where the link ends without a goodbye");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return gateway(config, *options); }; });
}

}  // namespace terminally
