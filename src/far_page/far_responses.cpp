// Makes of what a host answers what a page gets by HTTP.
#include "far_page/far_responses.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/utf8.hpp"
#include "far_page/far_shapes.hpp"
#include "http/answers.hpp"
#include "json/json_reader.hpp"
#include "page/log_answers.hpp"
#include "page/starred.hpp"
#include "page/wire.hpp"
#include "secrets/text_guard.hpp"
#include "text/ansi.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {
namespace {

using nlohmann::json;

constexpr std::string_view kApi = "/api/";
constexpr std::uint64_t kPiece = std::uint64_t{512} << 10U;
/// /api/log has 1 MiB at most, and a line before that.
constexpr std::size_t kMostBody = (std::size_t{1} << 20U) + (std::size_t{64} << 10U);
constexpr std::size_t kLongestRefusal = 1'000;
constexpr std::size_t kMostGapText = std::size_t{64} << 10U;
constexpr unsigned kOk = 200;
constexpr unsigned kFirstError = 400;

Error no_answer(const FarPlaceAsked& place) {
  return Error(ErrorCode::io, "what " + place.host + " answered is no answer to " + place.what);
}

std::optional<json> json_in(const std::string& text) {
  json value;
  std::string detail;
  return read_json(text, value, detail) == JsonFault::none ? std::optional(std::move(value)) : std::nullopt;
}

std::string header_in(const PipedAnswer& answer, std::string_view name) {
  const auto found = std::ranges::find(answer.headers, name, &std::pair<std::string, std::string>::first);
  return found == answer.headers.end() ? "" : found->second;
}

std::uint64_t offset_in(const FarPlaceAsked& place, const PipedAnswer& answer, std::string_view name) {
  const std::string text = header_in(answer, name);
  std::uint64_t offset = 0;
  const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (text.empty() || failed != std::errc() || rest != text.data() + text.size()) {
    throw no_answer(place);
  }
  return offset;
}

Response refusal_of_host(const FarPlaceAsked& place, const PipedAnswer& answer,
                         const std::shared_ptr<const Secrets>& hidden) {
  const json said = json_in(answer.body).value_or(json::object());
  const json error = said.is_object() ? said.value("error", json::object()) : json::object();
  if (!error.is_object()) {
    throw no_answer(place);
  }
  std::string message = shortened(to_valid_utf8(text_field(error, "message").value_or("")), kLongestRefusal);
  message = with_host(message, place.host);
  if (hidden) {
    message = TextGuard(hidden).masked(message);
  }
  return error_response(Error(from_far_code(text_field(error, "code").value_or("")), message));
}

Response log_of_host(const FarPlaceAsked& place, PipedAnswer answer,
                     const std::shared_ptr<const Secrets>& hidden) {
  Response response;
  response.content_type = "application/octet-stream";
  for (const char* const name : {"X-From", "X-Next", "X-End"}) {
    response.headers.emplace_back(name, std::to_string(offset_in(place, answer, name)));
  }
  const std::string gap_text = header_in(answer, "X-Gaps");
  const auto gaps = gap_text.size() > kMostGapText ? std::nullopt : json_in(gap_text);
  const auto taken = gaps ? gaps_of_host(*gaps) : std::nullopt;
  if (!taken || answer.body.size() > kMostBody) {
    throw no_answer(place);
  }
  response.headers.emplace_back("X-Gaps", taken->dump(-1, ' ', true));
  response.body = hidden ? starred_alone(*hidden, std::move(answer.body)) : std::move(answer.body);
  return response;
}

Response json_of_host(const FarPlaceAsked& place, const PipedAnswer& answer,
                      const std::shared_ptr<const Secrets>& hidden) {
  const auto said = json_in(answer.body);
  auto taken = !said                      ? std::nullopt
               : place.what == "commands" ? commands_of_host(*said, place.host)
                                          : times_of_host(*said);
  if (!taken) {
    throw no_answer(place);
  }
  if (hidden) {
    TextGuard guard(hidden);
    mask_texts(*taken, guard);
  }
  Response response;
  response.body = wire_text(*taken);
  return response;
}

/// A log that is asked for part by part.
struct HostDownload {
  FarPlaceAsked place;
  AskHost ask;
  std::shared_ptr<const Secrets> hidden;
  std::uint64_t at = 0;
  std::uint64_t end = 0;
  bool plain = false;
  AnsiStripper stripper;
  std::string first;  ///< that was asked for before the answer began
};

/// The next bytes, raw; empty at the end.
Awaitable<std::string> next_raw(std::shared_ptr<HostDownload> download) {
  std::string bytes;
  while (bytes.empty() && download->at < download->end) {
    PipedRequest request;
    request.path = "/api/log/" + download->place.tab;
    request.query["from"] = std::to_string(download->at);
    request.query["max"] = std::to_string(std::min(kPiece, download->end - download->at));
    PipedAnswer answer = co_await download->ask(std::move(request));
    const Response part = response_of_host(download->place, answer, download->hidden);
    if (part.status != kOk) {
      throw Error(ErrorCode::io, "the log of " + download->place.host + ":" + download->place.tab +
                                     " cannot be read any more");
    }
    const std::uint64_t next = offset_in(download->place, answer, "X-Next");
    download->end = std::min(download->end, offset_in(download->place, answer, "X-End"));
    if (next <= download->at) {
      break;
    }
    bytes = part.body;
    download->at = next;
  }
  co_return bytes;
}

Awaitable<std::string> next_shown(std::shared_ptr<HostDownload> download) {
  std::string out = std::exchange(download->first, {});
  while (out.empty()) {
    std::string bytes = co_await next_raw(download);
    if (bytes.empty()) {
      break;
    }
    if (download->plain) {
      download->stripper.feed(bytes, out);
    } else {
      out = std::move(bytes);
    }
  }
  if (out.empty() && std::exchange(download->plain, false)) {
    download->stripper.finish(out);
  }
  co_return out;
}

}  // namespace

std::optional<FarPlaceAsked> far_place_in(const std::string& path) {
  if (!path.starts_with(kApi)) {
    return std::nullopt;
  }
  const std::size_t slash = path.find('/', kApi.size());
  const auto name =
      slash == std::string::npos ? std::nullopt : split_far_name(std::string_view(path).substr(slash + 1));
  if (!name || !parse_window_id(name->rest)) {
    return std::nullopt;
  }
  return FarPlaceAsked{path.substr(kApi.size(), slash - kApi.size()), name->host, name->rest};
}

Response response_of_host(const FarPlaceAsked& place, PipedAnswer answer,
                          const std::shared_ptr<const Secrets>& hidden) {
  if (answer.status >= kFirstError) {
    return refusal_of_host(place, answer, hidden);
  }
  if (answer.status != kOk) {
    throw no_answer(place);
  }
  return place.what == "log" || place.what == "download" ? log_of_host(place, std::move(answer), hidden)
                                                         : json_of_host(place, answer, hidden);
}

Awaitable<Response> download_from_host(FarPlaceAsked place, std::map<std::string, std::string> query,
                                       AskHost ask, std::shared_ptr<const Secrets> hidden) {
  const auto found = query.find("view");
  const std::string view = found == query.end() ? "raw" : found->second;
  if (view != "raw" && view != "plain") {
    throw Error(ErrorCode::invalid_argument, "view: \"" + view + "\" is neither raw nor plain");
  }
  const auto download = std::make_shared<HostDownload>();
  download->place = place;
  download->ask = std::move(ask);
  download->hidden = std::move(hidden);
  download->at = number_in(query, "from", 0);
  download->end = number_in(query, "to", UINT64_MAX);
  download->plain = view == "plain";
  download->first = co_await next_shown(download);
  Response response;
  response.content_type = view == "plain" ? "text/plain; charset=utf-8" : "application/octet-stream";
  response.headers.emplace_back(
      "Content-Disposition", "attachment; filename=\"" + place.host + "-" + place.tab.substr(1) + ".log\"");
  response.source = [download] { return next_shown(download); };
  co_return response;
}

}  // namespace terminally
