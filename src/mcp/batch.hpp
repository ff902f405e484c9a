#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace terminally {

/// The answers to one batch, sent as one message when the last answer is there. An answer that does not fit
/// into the message is replaced by an error, so that never more than one message is held.
class Batch {
 public:
  /// Gets the message with all answers, empty where there are none. Called once.
  using Reply = std::function<void(std::string message)>;

  explicit Batch(Reply reply) : reply_(std::move(reply)) {}

  /// Announces one more answer. `id` is JSON text, empty where it is not known.
  void expect(const std::string& id);

  /// Takes an expected answer; an empty `message` is no answer.
  void answer(const std::string& id, std::string message);

 private:
  Reply reply_;
  std::size_t missing_ = 0;
  std::size_t room_for_missing_ = 0;  ///< bytes, if each missing answer becomes an error
  std::string answers_;
};

}  // namespace terminally
