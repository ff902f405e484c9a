#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/open_file.hpp"

namespace terminally {

/// What is said of a file that is written and had setuid or setgid; nothing of another.
[[nodiscard]] std::vector<std::string> note_on_setuid(mode_t before);

/// The mode that a write asks for. `widens`: it is taken as it is. Else group and others get no right to read
/// or write that `kept` does not have.
struct AskedMode {
  std::optional<unsigned> mode;  ///< none: as it was
  bool widens = true;

  /// What the file gets that has the mode `kept` without it; says so where that is not `mode`.
  [[nodiscard]] mode_t over(mode_t kept, std::vector<std::string>& notes) const;
};

/// Gives a new file the group, owner, ACL and mode of the file `old` that it replaces, as far as this account
/// may. Where something cannot be kept, the mode loses every bit by which somebody could read or write who
/// could not before. Setuid and setgid are dropped, as write(2) drops them. Returns notes on what was lost.
/// Throws Error(io). Blocks.
[[nodiscard]] std::vector<std::string> keep_access(const UniqueFd& fresh, const OpenFile& old,
                                                   const AskedMode& asked, const std::string& said);

}  // namespace terminally
