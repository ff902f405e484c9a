#include "base/error.hpp"

#include <cstring>

namespace terminally {

Error io_error(const std::string& what, int error_number) {
  return Error(ErrorCode::io, what + ": " + std::strerror(error_number));
}

}  // namespace terminally
