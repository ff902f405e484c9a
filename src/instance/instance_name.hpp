#pragma once

#include <string_view>

namespace terminally {

/// Whether an instance may have this name: 1 to 32 letters, digits, '.', '_' and '-', not beginning with '.'
/// or '-'. Short enough for the socket's path, plain enough for a typed line and an address, and no way out
/// of its directory.
[[nodiscard]] bool is_instance_name(std::string_view name);

}  // namespace terminally
