// Describes the command line to CLI11, runs the chosen subcommand, and explains what went wrong.
#include "cli/command_line.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/system/system_error.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "cli/options.hpp"
#include "cli/subcommands.hpp"
#include "hosts/hosts.hpp"
#include "hosts/people.hpp"
#include "manual/manual.hpp"
#include "system/this_build.hpp"
#include "terminal/guest.hpp"
#include "terminal/print.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {
namespace {

constexpr int kUsageError = 2;

constexpr const char* kExamples =
    "Examples:\n"
    "  terminally-mcp --agent                  what an MCP client starts: serves until stdin ends\n"
    "  terminally-mcp --instance work          tabs that outlive the server\n"
    "  terminally-mcp setup claude             have your client start it\n"
    "  terminally-mcp demo                     a client and a server talk to each other\n"
    "  terminally-mcp ls                       the tabs of the running instance\n"
    "  terminally-mcp tail @3 -f               what a tab prints, as it comes\n"
    "  terminally-mcp exec @3 -- make test     run a command in a tab, beside the agent\n"
    "  terminally-mcp open                     all of that in your browser\n"
    "  terminally-mcp tail build1:@3 -f        the same on a host (see: hosts)";

/// Shows the subcommands before the flags, of which a person at a terminal needs few.
class CommandsFirst : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (app->get_parent() != nullptr || mode == CLI::AppFormatMode::Sub) {
      return CLI::Formatter::make_help(app, std::move(name), mode);
    }
    return make_description(app) + make_usage(app, name) + make_subcommands(app, mode) +
           make_positionals(app) + make_groups(app, mode) + "\n" + make_footer(app);
  }
};

/// Adds all flags and subcommands to `app`, which parses the command line into `config` and `action`.
void describe(CLI::App& app, Config& config, Action& action, std::optional<std::size_t> behind_dashes) {
  app.name("terminally-mcp");
  app.formatter(std::make_shared<CommandsFirst>());
  app.set_version_flag("--version", "terminally-mcp " + text_of(this_build()));
  app.footer(kExamples);
  app.require_subcommand(0, 1);
  app.fallthrough();  // flags of the program are understood after the subcommand, too
  add_options(app, config);
  for (const auto& add : {add_ls, add_tail, add_grep, add_export, add_attach, add_new}) {
    add(app, config, action);
  }
  add_exec(app, config, action, behind_dashes);
  for (const auto& add :
       {add_open,      add_serve, add_token,     add_send,        add_wait,     add_cancel,  add_close,
        add_history,   add_cp,    add_instances, add_hosts,       add_setup,    add_doctor,  add_demo,
        add_uninstall, add_help,  add_version,   add_completions, add_complete, add_gateway, add_relay}) {
    add(app, config, action);
  }
}

/// How many letters differ, come or go; two that changed places are one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> least(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        least[i][j] = i + j;
        continue;
      }
      const std::size_t changed = least[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      least[i][j] = std::min({changed, least[i - 1][j] + 1, least[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        least[i][j] = std::min(least[i][j], least[i - 2][j - 2] + 1);
      }
    }
  }
  return least[a.size()][b.size()];
}

/// The subcommand that was meant: one letter in three may be wrong. Empty: none is near.
std::string nearest_subcommand(const CLI::App& app, const std::string& word) {
  std::string nearest;
  std::size_t least = word.size() / 3 + 1;
  for (const CLI::App* subcommand : shown_subcommands(app)) {
    const std::size_t differs = word.size() > 40 ? least : distance(word, subcommand->get_name());
    if (differs < least) {
      least = differs;
      nearest = subcommand->get_name();
    }
  }
  return nearest;
}

/// What is wrong with words that no option takes: mostly a flag of exec's command, or an unknown subcommand.
std::string explain_extras(const CLI::App& app, bool has_dashes, std::string otherwise) {
  const std::vector<std::string> words = app.remaining(true);
  const auto chosen = app.get_subcommands();
  const bool is_flag = !words.empty() && words.front().starts_with('-');
  if (is_flag && !has_dashes && !chosen.empty() && chosen.front()->get_name() == "exec") {
    return "\"" + words.front() +
           "\" is no flag of exec: before a command with flags put --, as in: terminally-mcp exec @3 -- ls "
           "-l";
  }
  if (words.empty() || is_flag || !chosen.empty()) {
    return otherwise;
  }
  std::string names;
  for (const CLI::App* subcommand : shown_subcommands(app)) {
    names += (names.empty() ? "" : ", ") + subcommand->get_name();
  }
  const std::string meant = nearest_subcommand(app, words.front());
  return "\"" + words.front() + "\" is no subcommand; " +
         (meant.empty() ? "there" : "did you mean " + meant + "? There") + " are: " + names;
}

int explain(const CLI::App& app, const CLI::ParseError& error, bool has_dashes) {
  if (error.get_exit_code() == 0) {
    return app.exit(error);  // --help and --version
  }
  const bool extras = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  const std::string what = extras ? explain_extras(app, has_dashes, error.what()) : error.what();
  const auto chosen = app.get_subcommands();
  const std::string command =
      chosen.empty() ? "terminally-mcp" : "terminally-mcp " + chosen.front()->get_name();
  complain_as_it_is(what + "\nTry: " + command + " --help");
  // Other exit codes of exec are those of its command.
  return !chosen.empty() && chosen.front()->get_name() == "exec" ? kExecFailed : kUsageError;
}

std::optional<std::size_t> words_behind_dashes(std::span<char* const> words) {
  const auto dashes = std::ranges::find(words, std::string_view("--"));
  return dashes == words.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(words.end() - dashes) - 1);
}

/// Whether the word after the flag `word` is the flag's value, as in "-n 5", and not as in "-n5".
bool value_follows(const CLI::App& app, const CLI::App& subcommand, const std::string& word) {
  const auto takes_value = [&](const std::string& flag) {
    const CLI::Option* option = subcommand.get_option_no_throw(flag);
    option = option != nullptr ? option : app.get_option_no_throw(flag);
    return option != nullptr && option->get_items_expected_max() > 0;
  };
  if (word.starts_with("--")) {
    return takes_value(word);
  }
  const auto takes = std::find_if(word.begin() + 1, word.end(),
                                  [&](char letter) { return takes_value(std::string("-") + letter); });
  return takes != word.end() && takes + 1 == word.end();
}

/// The first word from `at` on that is neither a flag nor a flag's value, and stands before "--".
std::size_t plain_word(const CLI::App& app, const CLI::App& subcommand, const std::vector<std::string>& words,
                       std::size_t at) {
  for (; at < words.size() && words[at] != "--"; ++at) {
    if (!words[at].starts_with('-')) {
      return at;
    }
    at += value_follows(app, subcommand, words[at]) ? 1 : 0;
  }
  return words.size();
}

/// A command line for a tab, and which of its words names the tab.
struct WordsWithTab {
  const CLI::App& command;
  std::vector<std::string> words;
  std::size_t subcommand;
  std::size_t tab;
};

/// Only the word at the tab's own place can name one: later words are the command's, as in `exec @3 scp file
/// build1:/tmp`. nullopt: there is none.
std::optional<WordsWithTab> words_with_tab(const CLI::App& app, std::span<char* const> argv) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty() || !is_of_a_tab(chosen.front()->get_name())) {
    return std::nullopt;
  }
  std::vector<std::string> words(argv.begin() + 1, argv.end());
  const std::size_t subcommand = plain_word(app, app, words, 0);
  const std::size_t tab = plain_word(app, *chosen.front(), words, subcommand + 1);
  return tab < words.size() ? std::optional(WordsWithTab{*chosen.front(), std::move(words), subcommand, tab})
                            : std::nullopt;
}

/// A name is looked for in all instances. What stands alone before the command of exec may be the command
/// itself: there a name has "--" behind it.
void choose_instance_of_tab(const WordsWithTab& line, bool has_dashes, Config& config) {
  if (has_dashes || line.command.get_name() != "exec") {
    const std::string instance = instance_with_tab(config, line.words[line.tab]);
    config.instance = instance.empty() ? config.instance : instance;
  }
}

/// Runs a command for a tab of a host on that host, and then does not return.
void run_there_if_meant(WordsWithTab line, const Config& config) {
  auto& [command, words, subcommand, tab] = line;
  if (!split_far_name(words[tab])) {
    return;
  }
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(subcommand));
  if (auto far = far_words(std::move(words), tab - subcommand, read_hosts(config.hosts_file))) {
    const CLI::Option* no_stdin = command.get_option_no_throw("--no-stdin");
    far->reads = no_stdin != nullptr && no_stdin->count() == 0;
    const std::string instance = far->host.instance.empty() ? instance_on_hosts(config) : config.instance;
    run_there(*far, far_start(far->host, config, instance).instance);
  }
}

}  // namespace

int run_command_line(int argc, char** argv) {
  return run_command_line(argc, argv, default_config());
}

int run_command_line(int argc, char** argv, Config config) {
  CLI::App app{
      "A terminal that AI agents and their people trust: MCP over stdio, tmux tabs, exact output, logs that "
      "lose nothing."};
  const bool is_bare = argc == 1 && ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
  Action action = [&config, is_bare] { return is_bare ? show_overview(config) : start_server(config); };
  const auto behind_dashes = words_behind_dashes(std::span(argv, static_cast<std::size_t>(argc)));
  describe(app, config, action, behind_dashes);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file at the size limit is an error like a full disk
  std::signal(SIGCHLD, SIG_DFL);  // where a parent left it ignored, children could not be waited for
  try {
    app.parse(argc, argv);
    settle_options(app, config);
    if (app.count("--hosts") > 0 && !std::filesystem::exists(config.hosts_file) &&
        !app.got_subcommand("hosts")) {
      throw CLI::ValidationError("--hosts", "there is no file " + config.hosts_file.string() +
                                                "; terminally-mcp --hosts FILE hosts add makes it");
    }
    if (const auto line = words_with_tab(app, std::span(argv, static_cast<std::size_t>(argc)))) {
      run_there_if_meant(*line, config);
      choose_instance_of_tab(*line, behind_dashes.has_value(), config);
    }
    place_helpers(config);
    return action();
  } catch (const CLI::ParseError& error) {
    return explain(app, error, behind_dashes.has_value());
  } catch (const OutputClosed&) {
    return 0;  // `terminally-mcp ls | head -1`
  } catch (const boost::system::system_error& error) {
    const bool of_system = error.code().category() == boost::system::system_category();
    complain(of_system ? "system error: " + system_reason(error.code().value()) : error.what());
    return 1;
  } catch (const std::exception& error) {
    complain(error.what());
    return app.got_subcommand("exec") ? kExecFailed : app.got_subcommand("grep") ? kGrepTrouble : 1;
  }
}

}  // namespace terminally
