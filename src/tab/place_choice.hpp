#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/timeout.hpp"

namespace terminally {

// Where a command runs whose caller named no tab, decided from what was seen of the caller's `main` and of
// its helper tabs. Pure.

inline constexpr const char* kMainTab = "main";
inline constexpr std::size_t kMostHelpers = 8;

/// The tab "main", at one look.
struct MainSeen {
  bool reserved = false;   ///< it is free, and for us: what comes next runs in it
  bool elsewhere = false;  ///< what has it is a shell elsewhere, which no helper tab can stand in for
  bool called = false;     ///< other calls of this process have it
  bool may_come_back = false;
};

enum class MainChoice {
  main,          ///< at once
  main_in_turn,  ///< when its turn comes, however long that takes
  helper,        ///< in a helper tab; where all are busy, another look
  wait           ///< another look: it may be at its prompt in a moment
};

/// `settled`: it has had the time to come back.
[[nodiscard]] MainChoice choose_main(MainSeen seen, bool settled);

/// A helper tab that is free, and reserved for us.
struct IdleHelper {
  std::string directory;       ///< of its shell
  Clock::time_point last_end;  ///< when our last command ended in it
};

struct HelperChoice {
  enum class Kind {
    there,     ///< it is in the directory already
    new_tab,   ///< one more
    go_there,  ///< the one that was idle for longest
    none,      ///< all are busy
  };
  Kind kind = Kind::none;
  std::size_t which = 0;  ///< of the idle ones, for `there` and `go_there`
};

/// `helpers`: how many helper tabs there are, the busy ones too.
[[nodiscard]] HelperChoice choose_helper(const std::vector<IdleHelper>& idle, std::size_t helpers,
                                         const std::string& directory);

/// "main-2" is one of the helper tabs of "main".
[[nodiscard]] bool is_helper_name(const std::string& name, const std::string& main);
/// The first such name that none of them has.
[[nodiscard]] std::string next_helper_name(const std::string& main, const std::vector<std::string>& names);

}  // namespace terminally
