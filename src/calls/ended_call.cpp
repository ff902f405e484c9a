// Names the ways in which a call may end.
#include "calls/ended_call.hpp"

namespace terminally {

std::string_view to_string(CallOutcome outcome) {
  switch (outcome) {
    case CallOutcome::ok:
      return "ok";
    case CallOutcome::tool_error:
      return "tool_error";
    case CallOutcome::protocol_error:
      return "protocol_error";
    case CallOutcome::cancelled:
      break;
  }
  return "cancelled";
}

}  // namespace terminally
