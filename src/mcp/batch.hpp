#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace terminally {

/// The answers to one batch, given as one message when the last is there. What does not fit into a message is
/// replaced by an error of its own, so that no more than that is ever held.
class Batch {
 public:
  /// Takes the answers; empty: there are none. Once.
  using Reply = std::function<void(std::string message)>;

  explicit Batch(Reply reply) : reply_(std::move(reply)) {}

  /// One answer more is to come; `id` as JSON text, empty where it is not known.
  void expect(const std::string& id);

  /// The answer to one that is expected; empty for none.
  void answer(const std::string& id, std::string message);

 private:
  Reply reply_;
  std::size_t missing_ = 0;
  std::size_t room_for_missing_ = 0;  ///< if each of them becomes an error
  std::string answers_;
};

}  // namespace terminally
