#include "setup/completion_scripts.hpp"

#include <functional>

#include "shell/shell_quoting.hpp"

namespace terminally {
namespace {

using ValueKind = CompletionValue::Kind;

template <class Range, class Text>
std::string joined(const Range& range, const char* between, Text text) {
  std::string all;
  for (const auto& item : range) {
    all += (all.empty() ? "" : between) + text(item);
  }
  return all;
}

/// A place in the command line: the program, or a command with the words before it ("instances clean").
struct Place {
  std::string path;
  const CompletionCommand& command;
};

void collect(std::vector<Place>& places, const std::string& path, const CompletionCommand& command) {
  places.push_back({path, command});
  for (const CompletionCommand& child : command.commands) {
    collect(places, path.empty() ? child.name : path + " " + child.name, child);
  }
}

std::vector<Place> places_of(const CompletionCommand& program) {
  std::vector<Place> places;
  collect(places, "", program);
  return places;
}

/// Flags of the program are understood after a command, too.
std::vector<CompletionFlag> flags_at(const CompletionCommand& program, const Place& place) {
  std::vector<CompletionFlag> flags = place.command.flags;
  for (const CompletionFlag& flag : program.flags) {
    const bool is_help = flag.names.back() == "--help";
    if (!place.path.empty() && !is_help) {
      flags.push_back(flag);
    }
  }
  return flags;
}

/// For each flag with a value: calls with the pattern of `$path:$word` that means it.
void for_each_value(const CompletionCommand& program,
                    const std::function<void(const std::string&, const CompletionFlag&)>& take) {
  for (const Place& place : places_of(program)) {
    for (const CompletionFlag& flag : place.command.flags) {
      if (flag.takes_value) {
        const std::string before = place.path.empty() ? "*:" : shell_word(place.path) + ":";
        take(joined(flag.names, "|", [&](const std::string& name) { return before + name; }), flag);
      }
    }
  }
}

std::string patterns_of_values(const CompletionCommand& program) {
  std::string all;
  for_each_value(program, [&all](const std::string& pattern, const CompletionFlag& /*flag*/) {
    all += (all.empty() ? "" : "|") + pattern;
  });
  return all;
}

// The walk over the words before the cursor, for bash and zsh alike: which command, which flag waits for its
// value ($wants), how many arguments there are.
std::string walk(const CompletionCommand& program) {
  const std::string paths =
      joined(places_of(program), "|", [](const Place& place) { return shell_word(" " + place.path); });
  return "    if [[ -n $wants ]]; then\n"
         "      [[ $wants == --instance ]] && instance=(--instance \"$word\")\n"
         "      wants=\n"
         "      continue\n"
         "    fi\n"
         "    case \"$place:$word\" in\n"
         "      " +
         patterns_of_values(program) +
         ") wants=$word ;;\n"
         "      *:--instance=*) instance=(\"$word\") ;;\n"
         "      *:-*) ;;\n"
         "      *) case \" ${place:+$place }$word\" in\n"
         "           " +
         paths +
         ") [[ $arguments == 0 ]] && place=\"${place:+$place }$word\" || arguments=$((arguments + 1)) ;;\n"
         "           *) arguments=$((arguments + 1)) ;;\n"
         "         esac ;;\n"
         "    esac\n";
}

// What is offered, given to `offer_words`, `offer_from` (lines that the program prints), or `offer_files`.
std::string offer(const CompletionValue& value) {
  switch (value.kind) {
    case ValueKind::words:
      return "offer_words " + joined(value.words, " ", shell_word);
    case ValueKind::tabs:
      return "offer_from ls";
    case ValueKind::logs:
      return "offer_files; _terminally_offer_from ls";
    case ValueKind::instances:
      return "offer_from instances";
    case ValueKind::files:
      return "offer_files";
    case ValueKind::unknown:
      break;
  }
  return "offer_words";
}

std::string offers_of_values(const CompletionCommand& program) {
  std::string cases;
  for_each_value(program, [&cases](const std::string& pattern, const CompletionFlag& flag) {
    cases += "      " + pattern + ") _terminally_" + offer(flag.value) + " ;;\n";
  });
  return cases;
}

/// How bash and zsh are offered what has a name and a description.
struct Dialect {
  const char* typed;  ///< the word before the cursor
  std::string (*item)(const std::string& name, const std::string& description);
  std::string (*offer_flags)(const std::string& items);
  std::string (*offer_commands)(const std::string& items);
};

std::string offers_of_flags(const CompletionCommand& program, const Dialect& dialect) {
  std::string cases;
  for (const Place& place : places_of(program)) {
    const std::string items = joined(flags_at(program, place), " ", [&](const CompletionFlag& flag) {
      return joined(flag.names, " ",
                    [&](const std::string& name) { return dialect.item(name, flag.description); });
    });
    cases += "      " + shell_word(place.path) + ") " + dialect.offer_flags(items) + " ;;\n";
  }
  return cases;
}

std::string offers_of_arguments(const CompletionCommand& program, const Dialect& dialect) {
  std::string cases;
  for (const Place& place : places_of(program)) {
    const std::string name = shell_word(place.path);
    const std::string commands = joined(place.command.commands, " ", [&](const CompletionCommand& command) {
      return dialect.item(command.name, command.description);
    });
    cases += "      " + name + ":0) " +
             (commands.empty() ? "_terminally_" + offer(place.command.argument)
                               : dialect.offer_commands(commands)) +
             " ;;\n";
    if (place.command.takes_more) {
      cases += "      " + name + ":*) _terminally_offer_files ;;\n";
    }
  }
  return cases + "      *) _terminally_offer_words ;;\n";
}

/// What is offered where the walk has ended: a flag's value, flags, or arguments.
std::string offers(const CompletionCommand& program, const Dialect& dialect) {
  return "  if [[ -n $wants ]]; then\n"
         "    case \"$place:$wants\" in\n" +
         offers_of_values(program) +
         "    esac\n"
         "  elif [[ " +
         dialect.typed +
         " == -* ]]; then\n"
         "    case $place in\n" +
         offers_of_flags(program, dialect) +
         "    esac\n"
         "  else\n"
         "    case \"$place:$arguments\" in\n" +
         offers_of_arguments(program, dialect) +
         "    esac\n"
         "  fi\n";
}

std::string bash(const CompletionCommand& program) {
  const auto name_only = [](const std::string& name, const std::string& /*description*/) { return name; };
  const auto offer_words = [](const std::string& items) { return "_terminally_offer_words " + items; };
  return "_terminally_offer_words() {\n"
         "  [[ -n $files ]] || compopt +o default 2>/dev/null\n"
         "  COMPREPLY=($(compgen -W \"$*\" -- \"$cur\"))\n"
         "}\n"
         "_terminally_offer_from() {\n"
         "  _terminally_offer_words \"$(\"${before[0]}\" \"${instance[@]}\" \"$1\" -q 2>/dev/null)\"\n"
         "}\n"
         "_terminally_offer_files() { files=1; }\n"
         "_terminally_mcp() {\n"
         "  local line=${COMP_LINE:0:COMP_POINT} before=() instance=() word wants= place= arguments=0 "
         "files=\n"
         "  local cur=${line##*[[:space:]]}\n"
         "  COMPREPLY=()\n"
         "  read -ra before <<<\"${line%\"$cur\"}\"\n"
         "  for word in \"${before[@]:1}\"; do\n" +
         walk(program) +
         "  done\n"
         "  if [[ -z $wants && $cur == --*=* ]]; then\n"
         "    wants=${cur%%=*} cur=${cur#*=}\n"
         "  fi\n" +
         offers(program, {"$cur", name_only, offer_words, offer_words}) +
         "}\n"
         "complete -o default -F _terminally_mcp " +
         program.name + "\n";
}

std::string zsh(const CompletionCommand& program) {
  // An item of _describe: in "name:description" a colon of the name would end it.
  const auto item = [](const std::string& name, const std::string& description) {
    return shell_word(name + ":" + description);
  };
  const auto offer_flags = [](const std::string& items) {
    return "items=(" + items + "); _describe -o flag items";
  };
  const auto offer_commands = [](const std::string& items) {
    return "items=(" + items + "); _describe command items";
  };
  return "#compdef " + program.name +
         "\n"
         "_terminally_offer_words() { (( $# )) && compadd -- \"$@\" || _message 'no more words' }\n"
         "_terminally_offer_from() {\n"
         "  items=(${(f)\"$(${words[1]} $instance $1 -q 2>/dev/null)\"})\n"
         "  _terminally_offer_words $items\n"
         "}\n"
         "_terminally_offer_files() { _files }\n"
         "_terminally_mcp() {\n"
         "  local word wants= place= arguments=0\n"
         "  local -a instance items\n"
         "  for word in ${words[2,CURRENT-1]}; do\n" +
         walk(program) +
         "  done\n"
         "  if [[ -z $wants && $PREFIX == --*=* ]]; then\n"
         "    wants=${PREFIX%%=*}\n"
         "    compset -P '*='\n"
         "  fi\n" +
         offers(program, {"$PREFIX", item, offer_flags, offer_commands}) +
         "}\n"
         "compdef _terminally_mcp " +
         program.name + "\n";
}

std::string fish_offer(const CompletionCommand& program, const CompletionValue& value) {
  const auto ask = [&program](const char* what) {
    return fish_quoted("(" + program.name + " (__terminally_instance) " + what + " -q 2>/dev/null)");
  };
  switch (value.kind) {
    case ValueKind::words:
      return " -f -a " + fish_quoted(joined(value.words, " ", [](const std::string& word) { return word; }));
    case ValueKind::tabs:
      return " -f -a " + ask("ls");
    case ValueKind::logs:
      return " -F -a " + ask("ls");
    case ValueKind::instances:
      return " -f -a " + ask("instances");
    case ValueKind::files:
      return " -F";
    case ValueKind::unknown:
      break;
  }
  return " -f";
}

/// `__terminally_at PATH N` is true where N arguments follow the words of PATH.
std::string fish_walk(const CompletionCommand& program) {
  std::string values;
  for (const Place& place : places_of(program)) {
    for (const CompletionFlag& flag : place.command.flags) {
      if (flag.takes_value) {
        values += joined(flag.names, "", [&](const std::string& name) {
          return " " + fish_quoted((place.path.empty() ? "" : place.path + ":") + name);
        });
      }
    }
  }
  const std::string paths =
      joined(places_of(program), " ", [](const Place& place) { return fish_quoted(place.path); });
  return "function __terminally_at\n"
         "  set -l place ''\n"
         "  set -l arguments 0\n"
         "  set -l wants ''\n"
         "  for word in (commandline -opc)[2..]\n"
         "    if test -n \"$wants\"\n"
         "      set wants ''\n"
         "    else if contains -- \"$word\"" +
         values +
         "\n"
         "      set wants $word\n"
         "    else if contains -- \"$place:$word\"" +
         values +
         "\n"
         "      set wants $word\n"
         "    else if string match -q -- '-*' $word\n"
         "      continue\n"
         "    else if test $arguments = 0; and contains -- (string trim -- \"$place $word\") " +
         paths +
         "\n"
         "      set place (string trim -- \"$place $word\")\n"
         "    else\n"
         "      set arguments (math $arguments + 1)\n"
         "    end\n"
         "  end\n"
         "  test \"$place\" = \"$argv[1]\"; and begin test (count $argv) = 1; or test $arguments = $argv[2]; "
         "end\n"
         "end\n"
         "function __terminally_instance\n"
         "  set -l words (commandline -opc)\n"
         "  for i in (seq (count $words))\n"
         "    if test \"$words[$i]\" = --instance; and test $i -lt (count $words)\n"
         "      echo --instance=$words[(math $i + 1)]\n"
         "    else if string match -q -- '--instance=*' $words[$i]\n"
         "      echo $words[$i]\n"
         "    end\n"
         "  end\n"
         "end\n";
}

std::string fish(const CompletionCommand& program) {
  const std::string complete = "complete -c " + program.name;
  std::string text = fish_walk(program) + complete + " -f\n";
  for (const Place& place : places_of(program)) {
    const std::string here = fish_quoted("__terminally_at " + shell_word(place.path));
    const std::string first = fish_quoted("__terminally_at " + shell_word(place.path) + " 0");
    for (const CompletionFlag& flag : place.command.flags) {
      text += complete + (place.path.empty() ? "" : " -n " + here);
      for (const std::string& name : flag.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      text += flag.takes_value ? " -r" + fish_offer(program, flag.value) : "";
      text += " -d " + fish_quoted(flag.description) + "\n";
    }
    for (const CompletionCommand& child : place.command.commands) {
      text +=
          complete + " -n " + first + " -a " + child.name + " -d " + fish_quoted(child.description) + "\n";
    }
    if (place.command.argument.kind != ValueKind::unknown) {
      text += complete + " -n " + first + fish_offer(program, place.command.argument) + "\n";
    }
    if (place.command.takes_more) {
      text += complete + " -n " +
              fish_quoted("__terminally_at " + shell_word(place.path) + "; and not __terminally_at " +
                          shell_word(place.path) + " 0") +
              " -F\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell, const CompletionCommand& program) {
  return shell == "bash" ? bash(program) : shell == "zsh" ? zsh(program) : fish(program);
}

}  // namespace terminally
