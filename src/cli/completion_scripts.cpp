#include "cli/completion_scripts.hpp"

#include "tmux/shells.hpp"

namespace terminally {
namespace {

using Flags = std::vector<CompletionFlag>;

/// Flags of the program are understood after a subcommand, too.
Flags flags_of(const CompletionCommand& program, const CompletionCommand& command) {
  Flags flags = command.flags;
  for (const CompletionFlag& flag : program.flags) {
    if (flag.long_names != std::vector<std::string>{"help"}) {
      flags.push_back(flag);
    }
  }
  return flags;
}

std::vector<std::string> words_of(const CompletionFlag& flag) {
  std::vector<std::string> words;
  words.reserve(flag.short_names.size() + flag.long_names.size());
  for (const std::string& name : flag.short_names) {
    words.push_back("-" + name);
  }
  for (const std::string& name : flag.long_names) {
    words.push_back("--" + name);
  }
  return words;
}

std::string names(const std::vector<CompletionCommand>& commands, const char* between) {
  std::string text;
  for (const CompletionCommand& command : commands) {
    text += (text.empty() ? "" : between) + command.name;
  }
  return text;
}

std::string bash_words(const Flags& flags) {
  std::string text;
  for (const CompletionFlag& flag : flags) {
    for (const std::string& word : words_of(flag)) {
      text += (text.empty() ? "" : " ") + word;
    }
  }
  return text;
}

std::string bash_subcommands(const CompletionCommand& command) {
  return command.commands.empty() ? "" : " words=" + posix_quoted(names(command.commands, " "));
}

std::string bash(const CompletionCommand& program) {
  std::string cases;
  for (const CompletionCommand& command : program.commands) {
    cases += "    " + command.name + ") flags=" + posix_quoted(bash_words(flags_of(program, command))) +
             (command.takes_tab ? " takes_tab=1" : "") + bash_subcommands(command) + " ;;\n";
  }
  return "_terminally_mcp() {\n"
         "  local i command= flags=" +
         posix_quoted(bash_words(program.flags)) +
         " takes_tab= words= instance=() cur=${COMP_LINE:0:COMP_POINT}\n"
         "  cur=${cur##*[[:space:]]}\n"
         "  COMPREPLY=()\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case ${COMP_WORDS[i]} in\n"
         "      --instance) instance=(--instance \"${COMP_WORDS[i + 1]}\") ;;\n"
         "      " +
         names(program.commands, "|") +
         ") command=${COMP_WORDS[i]}; break ;;\n"
         "    esac\n"
         "  done\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "  if [[ $cur == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))\n"
         "  elif [[ -z $command ]]; then\n"
         "    COMPREPLY=($(compgen -W " +
         posix_quoted(names(program.commands, " ")) +
         " -- \"$cur\"))\n"
         "  elif [[ -n $takes_tab ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$(\"${COMP_WORDS[0]}\" \"${instance[@]}\" ls -q 2>/dev/null)\" -- "
         "\"$cur\"))\n"
         "  elif [[ -n $words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  fi\n"
         "}\n"
         "complete -o default -F _terminally_mcp " +
         program.name + "\n";
}

/// An item of zsh's _describe: in "name:description" a colon of the name would end it.
std::string zsh_item(const std::string& name, const std::string& description) {
  return " " + posix_quoted(name + ":" + description);
}

std::string zsh_flags(const Flags& flags) {
  std::string text;
  for (const CompletionFlag& flag : flags) {
    for (const std::string& word : words_of(flag)) {
      text += zsh_item(word, flag.description);
    }
  }
  return "flags=(" + text + " )";
}

std::string zsh(const CompletionCommand& program) {
  std::string commands;
  std::string cases;
  for (const CompletionCommand& command : program.commands) {
    commands += zsh_item(command.name, command.description);
    cases += "    (" + command.name + ") " + zsh_flags(flags_of(program, command)) +
             (command.takes_tab ? " takes_tab=1" : "") +
             (command.commands.empty() ? "" : " words_of=(" + names(command.commands, " ") + ")") + " ;;\n";
  }
  return "#compdef " + program.name +
         "\n"
         "_terminally_mcp() {\n"
         "  local i command= takes_tab=\n"
         "  local -a commands flags tabs instance words_of\n"
         "  commands=(" +
         commands +
         " )\n"
         "  " +
         zsh_flags(program.flags) +
         "\n"
         "  for ((i = 2; i < CURRENT; i++)); do\n"
         "    case ${words[i]} in\n"
         "      (--instance) instance=(--instance ${words[i + 1]}) ;;\n"
         "      (" +
         names(program.commands, "|") +
         ") command=${words[i]}; break ;;\n"
         "    esac\n"
         "  done\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "  if [[ $PREFIX == -* ]]; then\n"
         "    _describe -o flag flags\n"
         "  elif [[ -z $command ]]; then\n"
         "    _describe command commands\n"
         "  elif [[ -n $takes_tab ]]; then\n"
         "    tabs=(${(f)\"$(${words[1]} $instance ls -q 2>/dev/null)\"})\n"
         "    compadd -a tabs || _default\n"
         "  elif [[ -n $words_of ]]; then\n"
         "    compadd -a words_of\n"
         "  else\n"
         "    _default\n"
         "  fi\n"
         "}\n"
         "compdef _terminally_mcp " +
         program.name + "\n";
}

/// One word of fish: in single quotes only \ and ' are special.
std::string fish_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) {
    word += c == '\'' || c == '\\' ? "\\" : "";
    word += c;
  }
  return word + "'";
}

std::string fish_flags(const std::string& complete, const Flags& flags) {
  std::string text;
  for (const CompletionFlag& flag : flags) {
    text += complete;
    for (const std::string& name : flag.short_names) {
      text += " -s " + name;
    }
    for (const std::string& name : flag.long_names) {
      text += " -l " + name;
    }
    text += (flag.takes_value ? " -r" : "") + std::string(" -d ") + fish_word(flag.description) + "\n";
  }
  return text;
}

std::string fish(const CompletionCommand& program) {
  const std::string complete = "complete -c " + program.name;
  std::string text = fish_flags(complete, program.flags);
  for (const CompletionCommand& command : program.commands) {
    text += complete + " -f -n __fish_use_subcommand -a " + command.name + " -d " +
            fish_word(command.description) + "\n";
    const std::string chosen = complete + " -n '__fish_seen_subcommand_from " + command.name + "'";
    text += fish_flags(chosen, command.flags);
    for (const CompletionCommand& word : command.commands) {
      text += chosen + " -f -a " + word.name + " -d " + fish_word(word.description) + "\n";
    }
    if (command.takes_tab) {
      text += chosen + " -a '(" + program.name + " ls -q 2>/dev/null)'\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell, const CompletionCommand& program) {
  return shell == "bash" ? bash(program) : shell == "zsh" ? zsh(program) : fish(program);
}

}  // namespace terminally
