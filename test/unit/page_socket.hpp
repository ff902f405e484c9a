#pragma once

#include <boost/asio.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event.hpp"
#include "http/site.hpp"
#include "page/frames.hpp"

namespace terminally::test {

/// A message to a page: text, or a frame of a log.
struct ToPage {
  std::string text = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
  bool is_frame = false;
  unsigned flags = 0;
  std::uint16_t channel = 0;
  std::uint64_t offset = 0;
  std::string bytes = {};  // NOLINT(readability-redundant-member-init): g++ wants it named
};

inline std::uint64_t number_at(std::string_view frame, std::size_t at, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes; i-- > 0;) {
    number = number << 8U | static_cast<unsigned char>(frame[at + i]);
  }
  return number;
}

/// A page's end of a socket, in memory.
class PaperSocket : public Socket {
 public:
  explicit PaperSocket(Role role = Role::exec) { visitor_.role = role; }

  std::vector<ToPage> got;
  bool is_there = true;

  void says(std::string text) {
    says_.push_back(std::move(text));
    more_.notify();
  }
  void leaves() {
    is_there = false;
    more_.notify();
  }
  /// The bytes of all frames of a channel, as they came.
  [[nodiscard]] std::string bytes(std::uint16_t channel = 0) const {
    std::string all;
    for (const ToPage& one : got) {
      all += one.is_frame && one.channel == channel ? one.bytes : "";
    }
    return all;
  }
  [[nodiscard]] bool has(std::string_view text) const {
    return std::ranges::any_of(
        got, [text](const ToPage& one) { return one.text.find(text) != std::string::npos; });
  }

  const Visitor& visitor() const override { return visitor_; }
  Awaitable<std::optional<std::string>> receive() override {
    while (is_there && says_.empty()) {
      co_await more_.wait();
    }
    std::optional<std::string> text;
    if (is_there) {
      text = std::move(says_.front());
      says_.pop_front();
    }
    co_return text;
  }
  bool server_ends() const override { return false; }
  Awaitable<bool> send_text(std::string message) override {
    got.push_back({.text = std::move(message)});
    co_await boost::asio::post(boost::asio::use_awaitable);
    co_return is_there;
  }
  Awaitable<bool> send_binary(std::string message) override {
    ToPage frame;
    frame.is_frame = message.size() >= kFrameHeaderBytes && message[0] == 1;
    frame.flags = static_cast<unsigned>(number_at(message, 1, 1));
    frame.channel = static_cast<std::uint16_t>(number_at(message, 2, 2));
    frame.offset = number_at(message, 8, 8);
    frame.bytes = message.substr(kFrameHeaderBytes);
    got.push_back(std::move(frame));
    co_await boost::asio::post(boost::asio::use_awaitable);
    co_return is_there;
  }
  void close(std::string /*why*/) override { leaves(); }

 private:
  Visitor visitor_;
  std::deque<std::string> says_;
  Event more_;
};

}  // namespace terminally::test
