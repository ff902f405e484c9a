#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "toolkit/args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

inline constexpr Range kFileOffset = {0, (std::uint64_t{1} << 53U) - 1};

/// As ls and chmod write it: "0644".
[[nodiscard]] std::string octal_mode(unsigned mode);
/// Throws Error(invalid_argument) for what is no mode from 000 to 0777.
[[nodiscard]] unsigned mode_of(const std::string& text);

/// A name, or a path, that JSON and a reader cannot take as it is: bytes that are no UTF-8, characters that
/// are not seen. It is given as a file URI then.
[[nodiscard]] bool needs_uri(std::string_view name);

/// A file's content is exact in both directions, so nothing in it is masked: what a reader should know then.
/// Looks for it on the thread of `context.files`.
[[nodiscard]] boost::asio::awaitable<std::vector<std::string>> notes_on_content(const ToolContext& context,
                                                                                std::string_view content);

}  // namespace terminally
