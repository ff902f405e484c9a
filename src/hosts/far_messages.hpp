#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "mcp/json_rpc.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

// What is said to a far side and by it, once it has said hello: a line each. Pure. The far side is not
// trusted.

/// It is this same program, which sends no message that is longer.
inline constexpr std::size_t kLongestFarLine = kMostMessageBytes;
/// What it gives as a reason stands beside what others have to say.
inline constexpr std::size_t kLongestFarWords = std::size_t{16} << 10U;

struct FarAnswer {
  std::uint64_t id = 0;
  nlohmann::ordered_json result;       ///< an object, its fields in their order
  std::optional<std::string> refusal;  ///< what it said where it would not do it: there is no result
};

/// One step of a request's progress.
struct FarStep {
  std::uint64_t id = 0;
  Progress step;
};

/// Nothing: what nobody here has asked for.
using FarMessage = std::variant<std::monostate, FarAnswer, FarStep>;

/// Throws Error(io) for what is no message: the link ends there, in words for people.
[[nodiscard]] FarMessage read_far_message(std::string_view line);

/// Whether it answers something, and nothing that waits for an answer. Known without reading all of it,
/// which may be much.
[[nodiscard]] bool answers_nobody(std::string_view line, const std::function<bool(std::uint64_t id)>& waits);

/// A request, whose id is a number.
[[nodiscard]] std::string far_request(std::uint64_t id, const std::string& method,
                                      const nlohmann::ordered_json& params);

}  // namespace terminally
