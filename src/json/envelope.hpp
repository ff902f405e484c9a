#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace terminally {

/// A longer message from a client is not read.
inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20U;

/// Keeps the outermost "jsonrpc", "id" and "method" of a JSON object that is too large to be kept, as a
/// message of their own: `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`. Pure and resumable: any split
/// gives the same. Takes constant memory: a value of more than kLongest bytes, or one that is no scalar, is
/// left out. Values are kept as they were sent, and may be no JSON.
class Envelope {
 public:
  static constexpr std::size_t kLongest = 8'192;

  void feed(std::string_view bytes);
  /// The members seen since the last call, as one object.
  [[nodiscard]] std::string take();

 private:
  void feed(char byte);
  void keep(char byte);
  void end_member();

  std::string members_;
  std::string key_;
  std::string token_;  // of the outermost object: a key, or the value of a wanted key
  int depth_ = 0;
  bool in_object_ = false;
  bool at_key_ = true;
  bool in_string_ = false;
  bool escaped_ = false;
  bool left_out_ = false;
};

}  // namespace terminally
