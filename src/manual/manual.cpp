// Writes a manual page from what CLI11 knows of a command: its description, options, subcommands and footer.
#include "manual/manual.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <sstream>

#include "system/this_build.hpp"

namespace terminally {
namespace {

constexpr const char* kExamples = "Examples:\n";

/// Text as roff prints it: each character can be copied, and a line that begins as a request is none.
std::string roff(const std::string& text) {
  static const std::map<char, const char*> escapes = {{'\\', "\\e"},  {'-', "\\-"},    {'~', "\\(ti"},
                                                      {'^', "\\(ha"}, {'\'', "\\(aq"}, {'`', "\\(ga"}};
  std::string escaped;
  for (const char c : text) {
    if (c == '.' && (escaped.empty() || escaped.back() == '\n')) {
      escaped += "\\&";
    }
    const auto escape = escapes.find(c);
    escaped += escape == escapes.end() ? std::string(1, c) : escape->second;
  }
  return escaped;
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fP";
}

std::string section(const std::string& title) {
  return ".SH " + title + "\n";
}

/// A sentence as descriptions have it: with a capital letter, and without a full stop.
std::string sentence(const std::string& text) {
  return roff(text) + (text.empty() || text.ends_with('.') ? "\n" : ".\n");
}

std::string value_of(const CLI::Option& option) {
  const bool takes_one = option.get_items_expected_max() > 0;
  return takes_one ? "\\fI" + roff(option.get_type_name()) + "\\fP" : "";
}

std::string positional(const CLI::Option& option) {
  const bool more = option.get_items_expected_max() > 1;
  const std::string name = "\\fI" + roff(option.get_name(true)) + (more ? "...\\fP" : "\\fP");
  return option.get_required() ? name : "[" + name + "]";
}

/// How the option is written: "-f, --follow", "--instance NAME", or the name of an argument.
std::string heading(const CLI::Option& option) {
  if (option.get_positional()) {
    return positional(option);
  }
  std::string names;
  for (const std::string& name : option.get_snames()) {
    names += (names.empty() ? "" : ", ") + bold("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    names += (names.empty() ? "" : ", ") + bold("--" + name);
  }
  const std::string value = value_of(option);
  return names + (value.empty() ? "" : " " + value);
}

std::string options(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option :
       command.get_options([](const CLI::Option* one) { return !one->get_group().empty(); })) {
    text += ".TP\n" + heading(*option) + "\n" + sentence(option->get_description());
    if (!option->get_default_str().empty()) {
      text += "Default: " + roff(option->get_default_str()) + ".\n";
    }
    if (!option->get_envname().empty()) {
      text += "Also from the variable " + bold(option->get_envname()) + ".\n";
    }
  }
  return text;
}

std::string synopsis(const CLI::App& command, const std::string& called) {
  std::string line = bold(called) + " [\\fIOPTIONS\\fP]";
  for (const CLI::Option* one :
       command.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    line += " " + positional(*one);
  }
  return line + (shown_subcommands(command).empty() ? "\n" : " [\\fICOMMAND\\fP]\n");
}

/// The commands below this one; of the program each has a page of its own, else all is told here.
std::string commands(const CLI::App& command, const std::string& called) {
  std::string text;
  for (const CLI::App* one : shown_subcommands(command)) {
    const std::string name = called + " " + one->get_name();
    if (command.get_parent() == nullptr) {
      text += ".TP\n" + bold(name) + "\n" + sentence(one->get_description());
    } else {
      text += ".SS " + roff(name) + "\n" + synopsis(*one, name) + ".PP\n" + sentence(one->get_description()) +
              options(*one);
    }
  }
  return text;
}

/// The first of a footer's two parts: what is to say, and examples behind it.
std::string remarks(const std::string& footer) {
  return footer.substr(0, footer.find(kExamples));
}

std::string examples(const std::string& footer) {
  const std::size_t at = footer.find(kExamples);
  return at == std::string::npos ? "" : footer.substr(at + std::string(kExamples).size());
}

}  // namespace

std::vector<const CLI::App*> shown_subcommands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

std::string manual_page(const CLI::App& command, const std::string& called) {
  std::string page = called;
  std::ranges::replace(page, ' ', '-');
  const std::string footer = command.get_footer();
  std::ostringstream out;
  out << ".TH " << roff(page) << " 1 \"\" \"terminally\\-mcp " << this_build().version << "\"\n"
      << section("NAME") << roff(page) << " \\- " << roff(command.get_description()) << "\n"
      << section("SYNOPSIS") << synopsis(command, called);
  if (!remarks(footer).empty()) {
    out << section("DESCRIPTION") << roff(remarks(footer));
  }
  out << section("OPTIONS") << options(command);
  if (command.get_parent() != nullptr) {
    out << ".PP\nThe options of " << bold("terminally-mcp") << "(1) are understood, too.\n";
  }
  if (!shown_subcommands(command).empty()) {
    out << section("COMMANDS") << commands(command, called);
  }
  if (!examples(footer).empty()) {
    out << section("EXAMPLES") << ".nf\n" << roff(examples(footer)) << "\n.fi\n";
  }
  out << section("SEE ALSO") << (command.get_parent() != nullptr ? bold("terminally-mcp") + "(1), " : "")
      << bold("tmux") << "(1)\n";
  return out.str();
}

}  // namespace terminally
