#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// A message that was written for agents, as people type what it advises: `wait_for {"window_id": "@3", …}`
/// is
/// "`terminally-mcp wait @3`", and `read_screen` is "`terminally-mcp attach`". What stands between double
/// quotes is somebody's text and stays.
[[nodiscard]] std::string in_peoples_words(std::string_view message);

}  // namespace terminally
