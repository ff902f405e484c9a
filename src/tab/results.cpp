// Names the states and the reasons of commands.
#include "tab/results.hpp"

namespace terminally {

std::string_view to_string(CommandState state) {
  switch (state) {
    case CommandState::running:
      return "running";
    case CommandState::completed:
      return "completed";
    case CommandState::cancelled:
      return "cancelled";
    case CommandState::failed:
      break;
  }
  return "failed";
}

std::string_view to_string(Reason reason) {
  switch (reason) {
    case Reason::none:
      break;
    case Reason::timeout:
      return "timeout";
    case Reason::cancelled_by_client:
      return "cancelled_by_client";
    case Reason::interrupted_in_tab:
      return "interrupted_in_tab";
    case Reason::shell_exited:
      return "shell_exited";
    case Reason::tab_closed:
      return "tab_closed";
    case Reason::tmux_server_lost:
      return "tmux_server_lost";
    case Reason::no_shell_answered:
      return "no_shell_answered";
    case Reason::handed_over:
      return "handed_over";
    case Reason::awaiting_input:
      return "awaiting_input";
  }
  return "";
}

}  // namespace terminally
