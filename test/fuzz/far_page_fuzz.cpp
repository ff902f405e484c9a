// What a host says to a page, line by line. What must hold: what is told to the page is of this host, is of a
// kind that a host may tell, has only fields that are known, and is the same when it is read once more; no
// line throws; a frame that is passed on is no longer than it was.
#include <algorithm>
#include <array>
#include <string>
#include <variant>

#include "far_page/far_lines.hpp"
#include "far_page/far_shapes.hpp"
#include "json/json_reader.hpp"
#include "oracle.hpp"
#include "page/frames.hpp"
#include "stdio/line_framer.hpp"

using namespace terminally;
using namespace terminally::fuzz;
using nlohmann::json;

namespace {

constexpr std::array kTold = {"tabs",      "tab",  "gone", "size",   "commands", "command",
                              "withdrawn", "rate", "gap",  "screen", "control",  "hits"};

bool is_ours(const json& id) {
  return id.is_string() && id.get<std::string>().starts_with("web:@");
}

/// As the host itself names it.
void rename_back(json& value) {
  if (value.is_string() && value.get<std::string>().starts_with("web:@")) {
    value = value.get<std::string>().substr(4);
  } else if (value.is_structured()) {
    std::ranges::for_each(value, rename_back);
  }
}

void check_told(const json& told) {
  const std::string type = told.at("t").get<std::string>();
  require(std::ranges::find(kTold, type) != kTold.end(), "a host tells only of its tabs");
  if (const auto tab = told.find("tab"); tab != told.end()) {
    require(is_ours(tab->is_object() ? tab->at("id") : *tab), "a tab is of this host");
  }
  if (type == "tabs") {
    for (const json& tab : told.at("tabs")) {
      require(is_ours(tab.at("id")) && tab.at("host") == "web", "each tab is of this host");
    }
  }
  if (type == "hits") {
    for (const json& hit : told.at("hits")) {
      require(is_ours(hit.at("tab")), "each hit is of this host");
    }
  }
  if (type == "rate") {
    for (const auto& [id, rate] : told.at("rates").items()) {
      require(is_ours(id) && rate.is_number_unsigned(), "each rate is of this host");
    }
    return;
  }
  json again = told;
  rename_back(again);
  const auto once_more = told_of_host(again, "web");
  require(once_more.has_value(), "what was told could be told");
}

void check(std::string_view line) {
  const LineOfHost said = read_line_of_host(line);
  static_cast<void>(read_line_of_page(line));
  if (const auto* const message = std::get_if<json>(&said)) {
    if (const auto told = told_of_host(*message, "web")) {
      check_told(*told);
    }
    static_cast<void>(commands_of_host(*message, "web"));
    static_cast<void>(times_of_host(*message));
    static_cast<void>(gaps_of_host(*message));
  } else if (const auto* const frame = std::get_if<PipedFrame>(&said)) {
    if (const auto read = read_log_frame(frame->bytes)) {
      const std::string passed = log_frame(read->flags, read->channel, read->offset, read->bytes);
      require(passed.size() == frame->bytes.size(), "a frame keeps its length");
    }
  } else if (const auto* const answer = std::get_if<PipedAnswer>(&said)) {
    require(answer->status >= 200 && answer->status < 600, "a status is one");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  LineFramer framer(4'096);
  framer.feed(std::string(text_of(data, size)) + "\n");
  for (auto line = framer.next(); line; line = framer.next()) {
    if (!line->too_long) {
      check(line->text);
    }
  }
  return 0;
}
