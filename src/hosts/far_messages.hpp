#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "json/json_rpc.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

// The messages to and from a far side after its hello, one a line. Pure. The far side is not trusted.

/// The far side is this same program, which sends no longer message.
inline constexpr std::size_t kLongestFarLine = kMostMessageBytes;
/// The far side's reason shares an answer with the texts of others, so it is cut to this many bytes.
inline constexpr std::size_t kLongestFarWords = std::size_t{16} << 10U;

struct FarAnswer {
  std::uint64_t id = 0;
  nlohmann::ordered_json result;       ///< an object, its fields in their order
  std::optional<std::string> refusal;  ///< the message of its error; there is no result then
};

/// One step of a request's progress.
struct FarStep {
  std::uint64_t id = 0;
  Progress step;
};

/// monostate: a message that nobody here has asked for.
using FarMessage = std::variant<std::monostate, FarAnswer, FarStep>;

/// Throws Error(io), with a reason for people, for a line that is no message: the caller then ends the link.
[[nodiscard]] FarMessage read_far_message(std::string_view line);

/// Whether the line is an answer that no request waits for. Parses the line's envelope alone, as the line may
/// be long.
[[nodiscard]] bool answers_nobody(std::string_view line, const std::function<bool(std::uint64_t id)>& waits);

/// Where the far side that gave this result has its records; empty where it has not said so.
[[nodiscard]] std::string place_in(const nlohmann::ordered_json& result);

/// The text of a request, without a newline.
[[nodiscard]] std::string far_request(std::uint64_t id, const std::string& method,
                                      const nlohmann::ordered_json& params);

}  // namespace terminally
