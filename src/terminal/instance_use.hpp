#pragma once

#include <string>
#include <vector>

#include "instance/instance.hpp"

namespace terminally {

/// Who uses an instance, as far as the system knows.
struct InstanceUse {
  int server_pid = 0;                ///< of the server that owns it; 0: none
  std::string project;               ///< where that server was started: a project, else the directory
  bool in_project = false;           ///< that is no home directory, and not /
  std::vector<std::string> clients;  ///< by the names that they gave; those that have run a command
  std::string starter;               ///< the name of the program that started the server
};

[[nodiscard]] InstanceUse use_of(const Instance& instance);

/// One line for a person: "work: /home/you/src, client claude-code (server 123)".
[[nodiscard]] std::string in_words(const Instance& instance);

}  // namespace terminally
