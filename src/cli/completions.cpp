// terminally-mcp completions: prints shell lines that ask `terminally-mcp complete` for what fits the cursor.
// `complete` walks CLI11's description of the command line, so completions cannot go stale.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/characters.hpp"
#include "base/process.hpp"
#include "cli/arguments.hpp"
#include "cli/command_line.hpp"
#include "cli/subcommands.hpp"
#include "manual/manual.hpp"
#include "shell/shell_templates.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

/// The exit code of `complete` where files fit, too: the shell offers those.
constexpr int kFilesToo = 3;

/// The first clause of a description, as completions show one line.
std::string first_clause(const std::string& text) {
  std::size_t end = text.size();
  for (const char* mark : {": ", "; ", " ("}) {
    end = std::min(end, text.find(mark));
  }
  return text.substr(0, end);
}

void offer(const std::string& candidate, const std::string& description) {
  print(candidate + "\t" + first_clause(description) + "\n");
}

/// The place in the command line that the words before the cursor lead to.
class CursorPlace {
 public:
  explicit CursorPlace(const CLI::App& program) : program_(program), command_(&program) {}

  void take(const std::string& word) {
    const CLI::Option* flag = std::exchange(wants_, nullptr);
    if (flag != nullptr) {
      take_value(*flag, word);
    } else if (word.starts_with('-')) {
      flag = flag_of(word);
      if (flag != nullptr && word.find('=') != std::string::npos) {
        take_value(*flag, word.substr(word.find('=') + 1));
      } else {
        wants_ = flag;
      }
    } else {
      const auto children = shown_subcommands(*command_);
      const auto child =
          std::ranges::find_if(children, [&](const CLI::App* one) { return one->get_name() == word; });
      if (arguments_ == 0 && child != children.end()) {
        command_ = *child;
      } else {
        ++arguments_;
      }
    }
  }

  /// Prints all that fits this place, after a flag its values, after a command its first argument; the shell
  /// filters by `typed`. Prints nothing where nothing is known. Returns the exit code of `complete`.
  int offer_all(const std::string& typed) {
    if (wants_ == nullptr && typed.starts_with("--") && typed.find('=') != std::string::npos) {
      wants_ = flag_of(typed);
    }
    if (wants_ != nullptr) {
      return offer_values(*wants_);
    }
    if (typed.starts_with('-')) {
      offer_flags();
      return 0;
    }
    const auto arguments =
        command_->get_options([](const CLI::Option* one) { return one->get_positional(); });
    if (arguments_ > 0) {
      return arguments.size() > 1 ? kFilesToo : 0;
    }
    const auto children = shown_subcommands(*command_);
    for (const CLI::App* child : children) {
      offer(child->get_name(), child->get_description());
    }
    return children.empty() && !arguments.empty() ? offer_values(*arguments.front()) : 0;
  }

 private:
  void take_value(const CLI::Option& flag, const std::string& value) {
    if (std::ranges::count(program_.get_options(), &flag) > 0) {
      for_list_.push_back("--" + flag.get_single_name() + "=" + value);
    }
  }

  /// The flag in `word` ("--flag" or "--flag=value"), if it takes a value. The program's flags are understood
  /// after a subcommand, too.
  [[nodiscard]] const CLI::Option* flag_of(const std::string& word) const {
    const std::string name = word.substr(0, word.find('='));
    const CLI::Option* flag = command_->get_option_no_throw(name);
    flag = flag == nullptr ? program_.get_option_no_throw(name) : flag;
    return flag != nullptr && flag->get_items_expected_max() > 0 ? flag : nullptr;
  }

  void offer_flags() const {
    std::vector<const CLI::Option*> flags = command_->get_options();
    if (command_ != &program_) {
      std::ranges::copy_if(program_.get_options(), std::back_inserter(flags),
                           [&](const CLI::Option* flag) { return flag != program_.get_help_ptr(); });
    }
    for (const CLI::Option* flag : flags) {
      for (const std::string& name : flag->get_snames()) {
        offer("-" + name, flag->get_description());
      }
      for (const std::string& name : flag->get_lnames()) {
        offer("--" + name, flag->get_description());
      }
    }
  }

  /// The option's name in the help says what it takes: "a|b|c", or one of the names in value_types.hpp.
  [[nodiscard]] int offer_values(const CLI::Option& option) const {
    const std::string type = option.get_type_name();
    if (is_one_of(type, {kTabType, kLogType, kInstanceType})) {
      std::vector<std::string> words = for_list_;
      words.insert(words.begin(), "terminally-mcp");
      words.insert(words.end(), {type == kInstanceType ? "instances" : "ls", "-q"});
      static_cast<void>(run_command_line(static_cast<int>(words.size()), pointers(words).data()));
    } else if (type.find('|') != std::string::npos) {
      for (const std::string& word : CLI::detail::split(type, '|')) {
        print(word + "\n");
      }
    }
    return is_one_of(type, {kLogType, kFileType, kDirectoryType, kProgramType}) ? kFilesToo : 0;
  }

  const CLI::App& program_;
  const CLI::App* command_;
  const CLI::Option* wants_ = nullptr;  ///< the flag that waits for its value
  std::size_t arguments_ = 0;
  std::vector<std::string> for_list_;  ///< the program's flags with values, for `ls`: above all --instance
};

int complete(const CLI::App& program, const std::vector<std::string>& words) {
  CursorPlace place(program);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    place.take(words[i]);
  }
  return place.offer_all(words.empty() ? "" : words.back());
}

}  // namespace

void add_completions(CLI::App& app, Config& /*config*/, Action& action) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completions", "Prints a script that completes this command line in your shell");
  command->add_option("shell", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
      ->type_name("bash|zsh|fish");
  command->footer(
      "Examples:\n"
      "  eval \"$(terminally-mcp completions bash)\"          in ~/.bashrc\n"
      "  eval \"$(terminally-mcp completions zsh)\"           in ~/.zshrc, after compinit\n"
      "  terminally-mcp completions fish > ~/.config/fish/completions/terminally-mcp.fish");
  command->callback([&action, shell] {
    action = [shell] {
      print(*shell == "zsh" ? "#compdef terminally-mcp\n" : "");
      print(shell_template(*shell_kind(*shell)).completions);
      return 0;
    };
  });
}

void add_complete(CLI::App& app, Config& /*config*/, Action& action) {
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("complete", "What may stand at the end of a command line");
  command->group("");
  command->add_option("words", *words, "Behind --: the command line without the program, up to the cursor");
  command->callback([&app, &action, words] { action = [&app, words] { return complete(app, *words); }; });
}

}  // namespace terminally
