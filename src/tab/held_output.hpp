#pragma once

#include <string>

#include "tab/tab.hpp"

namespace terminally {

/// Why what runs in a tab's foreground has printed nothing yet, for people, where that can be seen: it is a
/// pipeline, and its last program (`tail`, `sort`) passes nothing on before the others end. Empty: it is not.
[[nodiscard]] std::string why_nothing_is_printed(const Tab& tab);

}  // namespace terminally
