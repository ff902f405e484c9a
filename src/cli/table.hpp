#pragma once

#include <string>
#include <vector>

namespace terminally {

using TableRow = std::vector<std::string>;

/// Rows of equal length as aligned columns; the last column is not padded. The first row is the head.
[[nodiscard]] std::string table(const std::vector<TableRow>& rows);

}  // namespace terminally
