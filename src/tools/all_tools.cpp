#include "tools/all_tools.hpp"

namespace terminally {

std::vector<Tool> all_tools() {
  return {
      list_tabs_tool(),    create_tab_tool(),         close_tab_tool(),
      rename_tab_tool(),   execute_command_tool(),    start_process_tool(),
      stop_process_tool(), get_command_state_tool(),  cancel_command_tool(),
      wait_for_tool(),     send_text_tool(),          send_keys_tool(),
      read_screen_tool(),  read_logs_from_tab_tool(), stream_logs_from_tab_tool(),
      search_logs_tool(),  set_history_limit_tool(),
  };
}

}  // namespace terminally
