#pragma once

#include <vector>

#include "tools/tool.hpp"

namespace terminally {

// One file each.
[[nodiscard]] Tool list_tabs_tool();
[[nodiscard]] Tool create_tab_tool();
[[nodiscard]] Tool close_tab_tool();
[[nodiscard]] Tool rename_tab_tool();
[[nodiscard]] Tool execute_command_tool();
[[nodiscard]] Tool start_process_tool();
[[nodiscard]] Tool stop_process_tool();
[[nodiscard]] Tool get_command_state_tool();
[[nodiscard]] Tool cancel_command_tool();
[[nodiscard]] Tool send_text_tool();
[[nodiscard]] Tool send_keys_tool();
[[nodiscard]] Tool read_screen_tool();
[[nodiscard]] Tool read_logs_from_tab_tool();
[[nodiscard]] Tool stream_logs_from_tab_tool();
[[nodiscard]] Tool search_logs_tool();
[[nodiscard]] Tool wait_for_tool();
[[nodiscard]] Tool set_history_limit_tool();

/// Every tool, in the order in which tools/list shows them. The first is read-only and harmless with {}:
/// clients and test suites call it blindly.
[[nodiscard]] std::vector<Tool> all_tools();

}  // namespace terminally
