#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "http/site.hpp"
#include "http/web_files.hpp"

namespace terminally {

/// The headers that every answer has, each with its line end: what a browser may do with it.
[[nodiscard]] std::string_view safety_headers();

/// The code of an error as pages are told it.
[[nodiscard]] std::string_view name_of(ErrorCode code);

/// {"error":{"code":…,"message":…}}.
[[nodiscard]] Response error_response(unsigned status, std::string_view code, std::string_view message);
/// The same for an error of ours, with the status that its code means.
[[nodiscard]] Response error_response(const Error& error);

/// The page's file of this path; 404 where there is none. A build without a page says so at "/".
[[nodiscard]] Response file_response(std::span<const WebFile> files, std::string_view path);

/// The head of an answer, up to and with the empty line. A body without a known length is sent in chunks.
[[nodiscard]] std::string head_of(const Response& response, bool keeps_alive, bool chunked);

}  // namespace terminally
