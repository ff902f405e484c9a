#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "http/site.hpp"

namespace terminally {

// The lines between a page here and the program on a host that serves it: the messages of doc/page-wire.md as
// they are, and what is none of these as objects without "t". Pure. Either side may be a stranger's.

/// The longest line either way: an answer of 1 MiB, as base64, or 200 long commands.
inline constexpr std::size_t kLongestPipedLine = std::size_t{8} << 20U;

/// Asks for what a page gets by HTTP.
struct PipedRequest {
  std::uint64_t re = 0;  ///< by which the answer is known
  std::string path;
  std::map<std::string, std::string> query;
};

struct PipedAnswer {
  std::uint64_t re = 0;
  unsigned status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

struct PipedPing {
  std::uint64_t number = 0;
};

/// A binary message.
struct PipedFrame {
  std::string bytes;
};

[[nodiscard]] std::string request_line(const PipedRequest& request);
[[nodiscard]] std::string answer_line(std::uint64_t re, const Response& response);
[[nodiscard]] std::string frame_line(std::string_view frame);
[[nodiscard]] std::string ping_line(std::uint64_t number);
[[nodiscard]] std::string pong_line(std::uint64_t number);

/// What the page's side says: nothing, a message as it came, a request, a ping.
using LineOfPage = std::variant<std::monostate, std::string, PipedRequest, PipedPing>;
[[nodiscard]] LineOfPage read_line_of_page(std::string_view line);

/// What a host says: nothing that is known, a message, a frame, an answer, a pong.
using LineOfHost = std::variant<std::monostate, nlohmann::json, PipedFrame, PipedAnswer, PipedPing>;
[[nodiscard]] LineOfHost read_line_of_host(std::string_view line);

}  // namespace terminally
