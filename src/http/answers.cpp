// Writes the heads of answers, errors as JSON, and the files of the page.
#include "http/answers.hpp"

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <nlohmann/json.hpp>

namespace terminally {
namespace {

constexpr std::string_view kNoPage =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>terminally-mcp</title>"
    "<p>This build of terminally-mcp has no page in it: it was built without Node.js "
    "(TERMINALLY_WEB=OFF).</p>"
    "<p>With node and npm there, <code>cmake -DTERMINALLY_WEB=ON</code> and a new build put the page in.</p>";

unsigned status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return 400;
    case ErrorCode::not_found:
    case ErrorCode::tab_closed:
      return 404;
    case ErrorCode::busy:
      return 409;
    case ErrorCode::tmux_failed:
    case ErrorCode::tmux_timeout:
    case ErrorCode::io:
    case ErrorCode::cancelled:
    case ErrorCode::internal:
      break;
  }
  return 500;
}

}  // namespace

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::tab_closed:
      return "tab_closed";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::tmux_failed:
      return "tmux_failed";
    case ErrorCode::tmux_timeout:
      return "tmux_timeout";
    case ErrorCode::io:
      return "io";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::internal:
      break;
  }
  return "internal";
}

std::string_view safety_headers() {
  // xterm.js puts <style> elements in; all else is files of ours.
  return "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
         "connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
         "form-action 'none'\r\n"
         "Cross-Origin-Opener-Policy: same-origin\r\n"
         "Cross-Origin-Resource-Policy: same-origin\r\n"
         "Referrer-Policy: no-referrer\r\n"
         "X-Content-Type-Options: nosniff\r\n"
         "X-Frame-Options: DENY\r\n"
         "Cache-Control: no-store\r\n";
}

Response error_response(unsigned status, std::string_view code, std::string_view message) {
  Response response;
  response.status = status;
  const nlohmann::json error = {{"error", {{"code", code}, {"message", message}}}};
  response.body = error.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return response;
}

Response error_response(const Error& error) {
  return error_response(status_of(error.code()), name_of(error.code()), error.what());
}

Response file_response(std::span<const WebFile> files, std::string_view path) {
  const std::string_view wanted = path == "/" ? "/index.html" : path;
  const auto found = std::ranges::find(files, wanted, &WebFile::path);
  Response response;
  if (found != files.end()) {
    response.content_type = found->type;
    response.body = found->bytes;
    if (found->gzip) {
      response.headers.emplace_back("Content-Encoding", "gzip");
    }
    return response;
  }
  if (files.empty() && path == "/") {
    response.content_type = "text/html; charset=utf-8";
    response.body = kNoPage;
    return response;
  }
  return error_response(404, "not_found", "There is nothing at this address");
}

std::string head_of(const Response& response, bool keeps_alive, bool chunked) {
  const auto status =
      boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(response.status));
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head.append(status.data(), status.size()).append("\r\n");
  if (!response.content_type.empty()) {
    head.append("Content-Type: ").append(response.content_type).append("\r\n");
  }
  for (const auto& [name, value] : response.headers) {
    head.append(name).append(": ").append(value).append("\r\n");
  }
  head.append(safety_headers());
  if (chunked) {
    head.append("Transfer-Encoding: chunked\r\n");
  } else if (!response.source || response.length) {
    head += "Content-Length: " + std::to_string(response.length.value_or(response.body.size())) + "\r\n";
  }
  head.append(keeps_alive ? "\r\n" : "Connection: close\r\n\r\n");
  return head;
}

}  // namespace terminally
