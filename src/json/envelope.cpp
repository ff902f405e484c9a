// Picks the outermost "jsonrpc", "id" and "method" out of a JSON message that is too large to keep.
#include "json/envelope.hpp"

#include <algorithm>
#include <utility>

namespace terminally {
namespace {

bool is_wanted(std::string_view key) {
  return key == R"("jsonrpc")" || key == R"("id")" || key == R"("method")";
}

}  // namespace

void Envelope::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (in_string_ && !escaped_ && (depth_ != 1 || left_out_)) {
      bytes.remove_prefix(std::min(bytes.find_first_of("\"\\"), bytes.size()));
    }
    if (!bytes.empty()) {
      feed(bytes.front());
      bytes.remove_prefix(1);
    }
  }
}

std::string Envelope::take() {
  const std::string members = std::move(members_);
  *this = Envelope();
  return "{" + members + "}";
}

void Envelope::feed(char byte) {
  if (in_string_) {
    keep(byte);
    in_string_ = escaped_ || byte != '"';
    escaped_ = !escaped_ && byte == '\\';
    return;
  }
  switch (byte) {
    case '{':
    case '[':
      in_object_ = depth_ == 0 ? byte == '{' : in_object_;
      left_out_ = left_out_ || depth_ == 1;
      ++depth_;
      break;
    case '}':
    case ']':
      if (depth_ == 1) {
        end_member();
      }
      --depth_;
      break;
    case ',':
      if (depth_ == 1) {
        end_member();
      }
      break;
    case ':':
      if (depth_ == 1) {
        key_ = token_.substr(0, token_.find_last_not_of(' ') + 1);
        token_.clear();
        at_key_ = false;
        left_out_ = left_out_ || !is_wanted(key_);
      }
      break;
    case ' ':
    case '\t':
    case '\r':
      if (!token_.empty()) {
        keep(' ');
      }
      break;
    default:
      in_string_ = byte == '"';
      keep(byte);
  }
}

void Envelope::keep(char byte) {
  left_out_ = left_out_ || token_.size() == kLongest;
  if (depth_ == 1 && !left_out_) {
    token_ += byte;
  }
}

void Envelope::end_member() {
  // Bounds the kept bytes: of a repeated member the first two are enough to see the repetition.
  if (in_object_ && !at_key_ && !left_out_ && members_.size() < 4 * kLongest) {
    members_ += (members_.empty() ? "" : ",") + key_ + ":" + token_;
  }
  key_.clear();
  token_.clear();
  at_key_ = true;
  left_out_ = false;
}

}  // namespace terminally
