#pragma once

#include <cstdint>
#include <map>

#include "base/ids.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// Takes over what commands of other processes of ours left in a tab, from their records: the exit code of
/// the last one, and when it ended. Costs a look at a file where there was none.
class OthersCommands {
 public:
  void notice(Tab& tab);

 private:
  std::map<WindowId, std::uintmax_t> seen_;  ///< how long the file was when it was read
};

}  // namespace terminally
