#include "page/page_search.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <ranges>
#include <utility>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "log/log_search.hpp"
#include "log/masking.hpp"
#include "record/records.hpp"
#include "secrets/text_guard.hpp"

namespace terminally {
namespace {

using nlohmann::json;

constexpr Milliseconds kTellEvery{100};
constexpr std::size_t kHitsAtOnce = 200;
constexpr std::size_t kMarks = 32;
/// How much of a long line is shown before its match.
constexpr std::size_t kBeforeMatch = 100;

std::string quoted(const std::string& text, bool regex) {
  if (regex) {
    return text;
  }
  std::string pattern;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       static_cast<unsigned char>(c) >= 0x80 || c == ' ' || c == '_';
    pattern += plain ? std::string(1, c) : "\\" + std::string(1, c);
  }
  return pattern;
}

Pattern pattern_in(const PageRequest& request) {
  Pattern::Options options;
  options.ignore_case = !request.flag("case");
  const std::string text = request.text("pattern");
  if (text.empty()) {
    throw Error(ErrorCode::invalid_argument, "pattern: must not be empty");
  }
  return Pattern(quoted(text, request.flag("regex")), options);
}

/// The command whose output has this byte; null: none has.
const CommandRecord* command_at(const std::vector<CommandRecord>& commands, std::uint64_t byte) {
  for (const CommandRecord& command : commands | std::views::reverse) {
    if (command.start_byte <= byte) {
      return command.state == CommandState::running || byte < command.end_byte ? &command : nullptr;
    }
  }
  return nullptr;
}

/// In the line by which a command's text is run, which no page shows.
bool is_typed_by_us(const PaneLog& log, ShownLines& lines, const LineMatch& found) {
  lines.look_at(found.line_begin, read_range(log, found.line_begin, found.line_end));
  return lines.is_ours(found.byte);
}

}  // namespace

std::size_t utf16_units(std::string_view text) {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += (byte & 0xC0U) == 0x80U ? 0 : byte >= 0xF0U ? 2 : 1;
  }
  return units;
}

PageSearch::PageSearch(const PageRequest& request, const TabBoard& board,
                       std::shared_ptr<const Secrets> hidden)
    : id_(request.field("id")),
      pattern_(pattern_in(request)),
      limit_(static_cast<std::size_t>(
          request.has("limit") ? std::min<std::uint64_t>(request.number("limit"), kMostHits) : kMostHits)),
      hidden_(std::move(hidden)) {
  for (const json& name : request.field("tabs")) {
    const auto window = name.is_string() ? parse_window_id(name.get<std::string>()) : std::nullopt;
    if (!window) {
      throw Error(ErrorCode::invalid_argument, "tabs: " + name.dump() + " is no tab");
    }
    const SeenTab& tab = board.tab(*window);
    places_.push_back({*window, tab.log, tab.first_byte, tab.log.end()});
    total_ += places_.back().end - std::min(places_.back().end, places_.back().begin);
  }
}

Awaitable<void> PageSearch::run(std::shared_ptr<PageSearch> self, Tell tell) {
  json trouble = nullptr;
  for (Place& place : self->places_) {
    bool goes_on = false;
    try {
      goes_on = co_await self->search(place, tell);
    } catch (const Error& error) {
      trouble = error.what();
    }
    if (!goes_on) {
      break;
    }
  }
  json last = self->news(true);
  last["error"] = std::move(trouble);
  co_await tell(std::move(last));
}

/// False: enough.
Awaitable<bool> PageSearch::search(Place& place, const Tell& tell) {
  place.commands = CommandRecords(records_beside(place.log)).load();
  LogSearch search(place.log, pattern_, place.begin);
  ShownLines lines(place.log, SearchLogs());
  const std::uint64_t before = searched_;
  for (;;) {
    const LogSearch::Step step = search.next(place.end, Clock::now() + LogSearch::kSlice);
    searched_ = before + std::min(search.offset(), place.end) - std::min(place.begin, place.end);
    if (step == LogSearch::Step::found) {
      const LineMatch& match = search.found();
      const CommandRecord* const command = command_at(place.commands, match.byte);
      if (command != nullptr || !is_typed_by_us(place.log, lines, match)) {
        found_.push_back(hit(place.tab, match, command));
        ++hits_;
      }
    }
    const bool ends = step == LogSearch::Step::at_end || hits_ >= limit_ ||
                      (step == LogSearch::Step::found && search.found().unfinished);
    if (ends) {
      searched_ = before + place.end - std::min(place.begin, place.end);
      co_return hits_ < limit_;
    }
    if (step == LogSearch::Step::out_of_time) {
      co_await boost::asio::post(boost::asio::use_awaitable);
    }
    if (found_.size() >= kHitsAtOnce || Clock::now() - told_ >= kTellEvery) {
      told_ = Clock::now();
      json so_far = news(false);
      const bool wanted = co_await tell(std::move(so_far));
      if (!wanted) {
        co_return false;
      }
    }
  }
}

/// A command's first line begins behind its START, which stands in the line that we typed.
json PageSearch::hit(WindowId tab, const LineMatch& found, const CommandRecord* command) const {
  const std::string& line = found.text;
  const Pattern::Match match = found.match;
  std::size_t begin = 0;
  if (line.size() > kShownBytes && match.begin > kBeforeMatch) {
    begin = whole_characters(line, match.begin - kBeforeMatch).size();
  }
  std::string text(whole_characters(std::string_view(line).substr(begin), kShownBytes));
  json marks = json::array();
  Pattern::Subject subject;
  subject.text = line;
  for (std::optional<Pattern::Match> next = match;
       next && next->end <= begin + text.size() && marks.size() < kMarks;) {
    const std::size_t from = utf16_units(std::string_view(text).substr(0, next->begin - begin));
    const std::size_t to = utf16_units(std::string_view(text).substr(0, next->end - begin));
    marks.push_back({from, to});
    next = next->end > next->begin ? pattern_.find(subject, next->end) : std::nullopt;
  }
  if (hidden_) {
    TextGuard guard(hidden_);
    std::string masked = guard.masked(text);
    if (masked != text) {
      marks = json::array();
      text = std::move(masked);
    }
  }
  json one;
  one["tab"] = to_string(tab);
  one["command"] = command != nullptr ? json(command->id) : json(nullptr);
  one["byte"] = command != nullptr ? std::max(found.line_begin, command->start_byte) : found.line_begin;
  one["text"] = std::move(text);
  one["marks"] = std::move(marks);
  return one;
}

json PageSearch::news(bool done) {
  json message;
  message["t"] = "hits";
  message["id"] = id_;
  message["hits"] = std::exchange(found_, json::array());
  message["searched"] = searched_;
  message["total"] = total_;
  message["done"] = done;
  message["error"] = nullptr;
  return message;
}

}  // namespace terminally
