#include "page/log_answers.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <vector>

#include "base/error.hpp"
#include "log/output.hpp"
#include "log/recording.hpp"
#include "page/starred.hpp"
#include "page/wire.hpp"
#include "text/ansi.hpp"

namespace terminally {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20U;
constexpr std::uint64_t kFewBytes = std::uint64_t{64} * 1024;
/// How far back a line's beginning is looked for.
constexpr std::uint64_t kLongLine = std::uint64_t{64} * 1024;
constexpr std::size_t kMostTimes = 2'000;
/// Masking that much takes a few milliseconds; others are served in between.
constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;

std::string text_in(const Query& query, const std::string& name, const std::string& otherwise) {
  const auto found = query.find(name);
  return found == query.end() ? otherwise : found->second;
}

std::uint64_t begin_of_line(const PaneLog& log, std::uint64_t at) {
  const std::uint64_t from = at - std::min(at, kLongLine);
  if (from == at) {
    return at;
  }
  const PaneLog::Slice slice = log.read(from, static_cast<std::size_t>(at - from));
  if (slice.next != at || slice.bytes.empty()) {
    return at;  // behind a gap
  }
  const std::size_t newline = slice.bytes.rfind('\n');
  return newline != std::string::npos ? slice.from + newline + 1 : slice.from == 0 ? 0 : at;
}

std::string shown(const ShownLog& log, const PaneLog::Slice& slice) {
  return log.hidden ? starred(*log.hidden, log.log, slice, log.goes_on).bytes : slice.bytes;
}

/// Bytes that follow each other, but for the gaps.
struct Part {
  std::string bytes;
  std::uint64_t next = 0;
  nlohmann::json gaps = nlohmann::json::array();
};

Awaitable<Part> read_part(ShownLog log, std::uint64_t from, std::uint64_t max, std::uint64_t end) {
  Part part;
  part.next = from;
  while (part.bytes.size() < max && part.next < end) {
    const auto wanted = std::min<std::uint64_t>(max - part.bytes.size(), kPieceBytes);
    const PaneLog::Slice slice = log.log.read(part.next, static_cast<std::size_t>(wanted));
    for (const WireGap& gap : gaps_before(log.log, part.next, slice)) {
      part.gaps.push_back({gap.from, or_null(gap.bytes), gap.why});
    }
    if (slice.bytes.empty()) {
      break;
    }
    part.bytes += shown(log, slice);
    part.next = slice.next;
    co_await boost::asio::post(boost::asio::use_awaitable);
  }
  co_return part;
}

void end_with_line(Part& part, std::uint64_t end) {
  const std::size_t newline = part.bytes.rfind('\n');
  if (part.next < end && newline != std::string::npos && part.gaps.empty()) {
    part.next -= part.bytes.size() - newline - 1;
    part.bytes.resize(newline + 1);
  }
}

/// What a download goes through.
struct Download {
  ShownLog log;
  std::uint64_t at = 0;
  std::uint64_t end = 0;
  bool plain = false;
  AnsiStripper stripper = {};

  std::string next() {
    std::string out;
    while (out.empty() && at < end) {
      PaneLog::Slice slice =
          log.log.read(at, static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, end - at)));
      if (slice.bytes.empty() || slice.from >= end) {
        break;
      }
      slice.bytes.resize(
          static_cast<std::size_t>(std::min<std::uint64_t>(slice.bytes.size(), end - slice.from)));
      slice.next = slice.from + slice.bytes.size();
      at = slice.next;
      const std::string bytes = shown(log, slice);
      if (plain) {
        stripper.feed(bytes, out);
      } else {
        out = bytes;
      }
    }
    if (out.empty() && plain) {
      stripper.finish(out);
      plain = false;
    }
    return out;
  }
};

Awaitable<std::string> next_piece(std::shared_ptr<Download> download) {
  co_return download->next();
}

}  // namespace

std::uint64_t number_in(const Query& query, const std::string& name, std::uint64_t otherwise) {
  const auto found = query.find(name);
  if (found == query.end()) {
    return otherwise;
  }
  const std::string& text = found->second;
  std::uint64_t number = 0;
  const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || rest != text.data() + text.size()) {
    throw Error(ErrorCode::invalid_argument, name + ": \"" + text + "\" is no whole number");
  }
  return number;
}

Awaitable<Response> log_answer(ShownLog log, Query query) {
  const std::uint64_t end = log.log.end();
  const bool by_line = text_in(query, "align", "") == "line";
  const std::uint64_t asked = number_in(query, "from", 0);
  const std::uint64_t max = std::clamp<std::uint64_t>(number_in(query, "max", kFewBytes), 1, kMostBytes);
  refuse_beyond_end(log.log, asked, "from");
  const std::uint64_t from = by_line ? begin_of_line(log.log, asked) : asked;
  Part part = co_await read_part(log, from, max, end);
  if (by_line) {
    end_with_line(part, end);
  }
  Response response;
  response.content_type = "application/octet-stream";
  response.headers = {{"X-From", std::to_string(from)},
                      {"X-Next", std::to_string(part.next)},
                      {"X-End", std::to_string(end)},
                      {"X-Gaps", part.gaps.dump()}};
  response.body = std::move(part.bytes);
  co_return response;
}

Response times_answer(const PaneLog& log, const Query& query) {
  const std::uint64_t from = number_in(query, "from", 0);
  const std::uint64_t to = number_in(query, "to", UINT64_MAX);
  const LogTimes times = LogTimes::read(log.path());
  std::vector<TimeRecord> within;
  for (const TimeRecord& record : times.records()) {
    if (record.offset <= from) {
      within.clear();  // the newest before it says when the first byte was printed
    }
    if (record.offset < to) {
      within.push_back(record);
    }
  }
  const std::size_t step = within.size() / kMostTimes + 1;
  nlohmann::json pairs = nlohmann::json::array();
  for (std::size_t i = 0; i < within.size(); i += step) {
    pairs.push_back({within[i].offset, within[i].time_ms});
  }
  nlohmann::json answer;
  answer["times"] = std::move(pairs);
  Response response;
  response.body = wire_text(answer);
  return response;
}

Response download_answer(const ShownLog& log, const Query& query, const std::string& file_name) {
  const std::string view = text_in(query, "view", "raw");
  if (view != "raw" && view != "plain") {
    throw Error(ErrorCode::invalid_argument, "view: \"" + view + "\" is neither raw nor plain");
  }
  const auto download = std::make_shared<Download>(
      Download{log, number_in(query, "from", 0), number_in(query, "to", UINT64_MAX), view == "plain"});
  download->end = std::min(download->end, log.log.end());
  Response response;
  response.content_type = view == "plain" ? "text/plain; charset=utf-8" : "application/octet-stream";
  response.headers = {{"Content-Disposition", "attachment; filename=\"" + file_name + "\""}};
  response.source = [download] { return next_piece(download); };
  return response;
}

}  // namespace terminally
