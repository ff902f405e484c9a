// Turns any exception of a request into the error that its client gets.
#include "mcp/failures.hpp"

#include <iostream>

#include "base/error.hpp"

namespace terminally {

ProtocolError error_of(const std::exception_ptr& failure, const std::string& id) {
  std::string cause = "unknown exception";
  try {
    std::rethrow_exception(failure);
  } catch (const ProtocolError& error) {
    return error;
  } catch (const Error& error) {  // of a method other than tools/call, which answers an Error by a result
    return {kInternalError, error.what()};
  } catch (const std::exception& error) {
    cause = error.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): answered below like any other
  }
  std::cerr << "terminally-mcp: request " << id << " failed: " << cause << '\n';
  return {kInternalError, "Internal error"};
}

ProtocolError too_long_for_a_message(std::size_t bytes) {
  return {kInternalError, "The answer would have " + std::to_string(bytes) +
                              " bytes, more than the limit of " + std::to_string(kMostMessageBytes) +
                              ": ask for less"};
}

}  // namespace terminally
