#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace terminally {

/// A message from the client that is longer is not read.
inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20U;

/// The outermost "jsonrpc", "id" and "method" of a JSON object that is too large to be kept, as a message of
/// its own: `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`. Pure and resumable: any split gives the same.
/// In constant memory: a value of more than kLongest bytes, or one that is no scalar, is left out. What it
/// keeps is as it was sent, and may be no JSON.
class Envelope {
 public:
  static constexpr std::size_t kLongest = 8'192;

  void feed(std::string_view bytes);
  /// What was seen since the last call.
  [[nodiscard]] std::string take();

 private:
  void feed(char byte);
  void keep(char byte);
  void end_member();

  std::string members_;
  std::string key_;
  std::string token_;  // of the outermost object: the key, or the value of one that is wanted
  int depth_ = 0;
  bool in_object_ = false;
  bool at_key_ = true;
  bool in_string_ = false;
  bool escaped_ = false;
  bool left_out_ = false;
};

}  // namespace terminally
