#include "tab/hold.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "json/json_reader.hpp"
#include "tab/tab.hpp"

namespace terminally {
namespace {

std::filesystem::path path_of_hold(const std::filesystem::path& runtime, WindowId tab) {
  return runtime / (std::to_string(tab.number) + ".hold");
}

}  // namespace

Milliseconds Hold::left() const {
  return Milliseconds(std::max<std::int64_t>(0, until_ms - steady_ms(Clock::now())));
}

std::optional<Hold> hold_of(const std::filesystem::path& runtime, WindowId tab) {
  const auto text = read_file(path_of_hold(runtime, tab));
  if (!text) {
    return std::nullopt;
  }
  nlohmann::json fields;
  std::string detail;
  if (read_json(*text, fields, detail) != JsonFault::none || !fields.is_object()) {
    return std::nullopt;
  }
  Hold hold;
  hold.name = text_field(fields, "name").value_or("");
  hold.session = text_field(fields, "session").value_or("");
  const auto until = fields.find("until_steady_ms");
  hold.until_ms = until != fields.end() && until->is_number_integer() ? until->get<std::int64_t>() : 0;
  return hold.left() > Milliseconds(0) ? std::optional(hold) : std::nullopt;
}

void set_hold(const std::filesystem::path& runtime, WindowId tab, const Hold& hold) {
  nlohmann::json fields;
  fields["name"] = hold.name;
  fields["session"] = hold.session;
  fields["until_steady_ms"] = hold.until_ms;
  replace_file(path_of_hold(runtime, tab),
               fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void end_hold(const std::filesystem::path& runtime, WindowId tab) noexcept {
  remove_file(path_of_hold(runtime, tab));
}

void refuse_if_held(const Tab& tab) {
  const auto hold = tab.for_person ? std::nullopt : hold_of(tab.files.runtime(), tab.window);
  if (!hold) {
    return;
  }
  const auto seconds = (hold->left().count() + 999) / 1'000;
  throw Error(ErrorCode::busy, "tab " + to_string(tab.window) + " was taken over by " +
                                   (hold->name.empty() ? "a person" : hold->name) +
                                   " in the browser until it is given back (at the latest in " +
                                   std::to_string(seconds) +
                                   " s without a key); nothing was sent or run there. What runs goes on");
}

}  // namespace terminally
