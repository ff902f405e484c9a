#pragma once

#include <string>
#include <vector>

namespace terminally {

struct CompletionFlag {
  std::vector<std::string> short_names;  ///< without "-"
  std::vector<std::string> long_names;   ///< without "--"
  std::string description;
  bool takes_value = false;
};

/// What a shell needs to know of a command to complete it.
struct CompletionCommand {
  std::string name;
  std::string description;
  bool takes_tab = false;  ///< as its first argument
  std::vector<CompletionFlag> flags;
  std::vector<CompletionCommand> commands;
};

/// The script for "bash", "zsh" or "fish"; tabs are asked for with `ls -q` when they are needed. Pure.
[[nodiscard]] std::string completion_script(const std::string& shell, const CompletionCommand& program);

}  // namespace terminally
