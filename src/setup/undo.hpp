#pragma once

#include <string>
#include <vector>

#include "setup/changes.hpp"
#include "setup/clients.hpp"

namespace terminally {

/// What takes everything away that setup wrote for a client, except what `done` has already. What cannot be
/// edited, or is somebody else's, is named in `problems`. `program` is this one's path.
void plan_undoing(const McpClient& client, const ClientPlaces& places, const std::string& program,
                  std::vector<FileChange>& done, std::vector<std::string>& problems);

}  // namespace terminally
