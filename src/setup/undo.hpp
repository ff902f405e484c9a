#pragma once

#include <string>
#include <vector>

#include "setup/changes.hpp"
#include "setup/clients.hpp"

namespace terminally {

/// What takes everything away that setup wrote for a client, except what `done` has already. What cannot be
/// edited is named in `problems`.
void plan_undoing(const McpClient& client, const ClientPlaces& places, std::vector<FileChange>& done,
                  std::vector<std::string>& problems);

}  // namespace terminally
