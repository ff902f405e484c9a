#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace terminally {

/// What the name of a variable begins with on its way to terminally-shell, which takes it off again. Under
/// their own names tmux would overwrite PATH, SHELL, PWD and TMUX.
inline constexpr std::string_view kCarrier = "TERMINALLY_ENV_";

using Variable = std::pair<std::string, std::string>;  ///< name, value

/// What tabs were opened with, as the system keeps it for as long as they are open: also where another server
/// opened them. What a shell sets later is not seen.
class TabVariables {
 public:
  /// Those of `names` that the processes of this tmux server were started with and that were not told before.
  /// Costs a look at the list of its children, as long as there are no new ones.
  [[nodiscard]] std::vector<Variable> news(int server_pid, const std::vector<std::string>& names);

 private:
  std::vector<int> looked_at_;  ///< the server's children, at the last look
};

}  // namespace terminally
