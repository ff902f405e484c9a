// Collects the answers to a JSON-RPC batch into one message of bounded size.
#include "mcp/batch.hpp"

#include <utility>

#include "mcp/json_rpc.hpp"

namespace terminally {
namespace {

std::string no_room(const std::string& id) {
  return error_message(
      id, ProtocolError(kInternalError, "The answers to this batch are over 8 MiB: send this request alone"));
}

std::size_t room_for_error(const std::string& id) {
  static const std::size_t without_id = no_room("0").size() + 1;  // and a comma
  return without_id + id.size();
}

}  // namespace

void Batch::expect(const std::string& id) {
  ++missing_;
  room_for_missing_ += room_for_error(id);
}

void Batch::answer(const std::string& id, std::string message) {
  --missing_;
  room_for_missing_ -= room_for_error(id);
  constexpr std::size_t kBrackets = 3;  // and a comma
  if (answers_.size() + message.size() + room_for_missing_ + kBrackets > kMostMessageBytes) {
    message = no_room(id);
  }
  answers_.append(answers_.empty() || message.empty() ? "" : ",").append(message);
  if (missing_ == 0) {
    reply_(answers_.empty() ? "" : "[" + std::exchange(answers_, {}) + "]");
  }
}

}  // namespace terminally
