#pragma once

#include "files/file_requests.hpp"
#include "files/file_roots.hpp"

namespace terminally {

/// The entries of a directory, in the order of their names' bytes. Holds no more than asked for. May block.
[[nodiscard]] FileList list_entries(const FilePlaceInRoot& place, const ListFiles& request);

/// A name as ListFiles::after takes it: by its hash, so that it shows nothing of the name and need not be
/// masked.
[[nodiscard]] std::string list_cursor(const std::string& name);

}  // namespace terminally
