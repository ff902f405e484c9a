#pragma once

#include <stdexcept>
#include <string>

namespace terminally {

/// What went wrong, in terms of who can mend it. An error of a tool becomes a result, in
/// mcp/method_table.cpp; an error of another method becomes an error of the protocol, in mcp/failures.cpp.
enum class ErrorCode {
  // The caller asked for something that cannot be: a tool error the model can read and correct.
  invalid_argument,  ///< a field is missing, mistyped or out of range; the message names it
  not_found,         ///< no such tab, command or instance
  tab_closed,        ///< the tab existed and is closed; its log and results can still be read
  busy,              ///< the tab runs something; the message names it and says what to do
  // The world failed us.
  tmux_failed,   ///< tmux refused, or the tmux server is gone
  tmux_timeout,  ///< tmux did not answer by its deadline
  io,            ///< a system call failed
  cancelled,     ///< the client cancelled the request: no answer is sent
  internal,      ///< a bug of ours
};

/// The one error type. `what()` is for the reader of the answer: what was wrong, the value, what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

  [[nodiscard]] ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// An Error of code `io` that names the operation and the system's reason (`errno`).
[[nodiscard]] Error io_error(const std::string& what, int error_number);

/// The system's reason in words, with the name and value of a limit that was hit, and what to do.
[[nodiscard]] std::string system_reason(int error_number);

}  // namespace terminally
