#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/timeout.hpp"
#include "secrets/secrets.hpp"
#include "toolkit/args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

/// The start of every mask. In a file it may be text copied from a masked answer.
inline constexpr std::string_view kMaskBegins = "\u00ABredacted:";

inline constexpr Range kFileOffset = {0, (std::uint64_t{1} << 53U) - 1};

/// Parses a mode. Throws Error(invalid_argument) for text that is no mode from 000 to `most`.
[[nodiscard]] unsigned mode_of(const std::string& text, unsigned most = 0777U);

/// Whether a name or path must be given as a file URI, for bytes that are no UTF-8 or invisible characters.
[[nodiscard]] bool needs_uri(std::string_view name);
/// An absolute path for an answer: a file URI where it needs one.
[[nodiscard]] std::string path_or_uri(const std::string& absolute);

/// Notes on secrets and masks in a file's content, which is exact in both directions and so never masked.
/// Looks for them beside the event loop, until `by`.
[[nodiscard]] boost::asio::awaitable<std::vector<std::string>> notes_on_content(const ToolContext& context,
                                                                                std::string_view content,
                                                                                Clock::time_point by);

/// The note on the values in a content that only this side knows by name; empty where there are none.
[[nodiscard]] std::string note_on_named_values(const Secrets& secrets, std::string_view content);

}  // namespace terminally
