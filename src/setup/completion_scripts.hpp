#pragma once

#include <string>
#include <vector>

namespace terminally {

/// What can stand in one place of a command line.
struct CompletionValue {
  enum class Kind { unknown, words, tabs, logs, instances, files };
  Kind kind = Kind::unknown;       ///< unknown: a number or a text, nothing is offered
  std::vector<std::string> words;  ///< of Kind::words
};

struct CompletionFlag {
  std::vector<std::string> names;  ///< as they are typed: "-f", "--follow"
  std::string description;
  bool takes_value = false;
  CompletionValue value;
};

/// What a shell needs to know of a command to complete it.
struct CompletionCommand {
  std::string name;
  std::string description;
  CompletionValue argument;  ///< its first one
  bool takes_more = false;   ///< and others, which may be files
  std::vector<CompletionFlag> flags;
  std::vector<CompletionCommand> commands;
};

/// The script for "bash", "zsh" or "fish"; tabs and instances are asked for when they are needed. Pure.
/// Offered is what fits the place: after a flag its values, after a command its first argument, and where
/// nothing is known, nothing.
[[nodiscard]] std::string completion_script(const std::string& shell, const CompletionCommand& program);

}  // namespace terminally
