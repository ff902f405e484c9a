// Counts the bytes that a text takes as a JSON string.
// Builds JSON values from parse events, with limits on depth, values and keys.

#include "json/json_reader.hpp"

#include <charconv>
#include <deque>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/utf8.hpp"

namespace terminally {

namespace {

std::size_t json_size_of(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '\b':
    case '\f':
    case '\n':
    case '\r':
    case '\t':
      return 2;
    default:
      return static_cast<unsigned char>(c) < 0x20 ? 6 : 1;
  }
}

}  // namespace

std::size_t json_size(std::string_view text) {
  return std::accumulate(text.begin(), text.end(), std::size_t{0},
                         [](std::size_t size, char c) { return size + json_size_of(c); });
}

std::string_view json_prefix(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t size = 0; end < text.size() && (size += json_size_of(text[end])) <= most;) {
    ++end;
  }
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// `\uXXXX`.
constexpr std::size_t kEscapeBytes = 6;

/// Builds the value from parse events; an event that returns false ends the parse. nlohmann's own builder has
/// no limits and keeps the last of two equal keys. `Json` is json or ordered_json.
template <class Json>
class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(Json& root) : root_(root) {}

  [[nodiscard]] JsonFault fault() const { return fault_; }
  [[nodiscard]] const std::string& detail() const { return detail_; }

  bool null() override { return put(nullptr) != nullptr; }
  bool boolean(bool value) override { return put(value) != nullptr; }
  bool number_integer(typename Json::number_integer_t value) override { return put(value) != nullptr; }
  bool number_unsigned(typename Json::number_unsigned_t value) override { return put(value) != nullptr; }
  bool number_float(typename Json::number_float_t value, const typename Json::string_t& /*text*/) override {
    return put(value) != nullptr;
  }
  bool string(typename Json::string_t& value) override { return put(std::move(value)) != nullptr; }
  bool binary(typename Json::binary_t& /*value*/) override {
    return fail(JsonFault::syntax, "binary");
  }  // not in JSON text

  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(typename Json::string_t& name) override {
    auto& object = open_.back()->template get_ref<typename Json::object_t&>();
    if (kLooksAtEachKey && object.size() == kMaxOrderedKeys) {
      return fail(JsonFault::too_large, "more than " + std::to_string(kMaxOrderedKeys) + " keys");
    }
    const auto [member, is_new] = object.emplace(name, Json());
    if (!is_new && fault_ == JsonFault::none) {
      fault_ = JsonFault::duplicate_key;
      detail_ = name;
    }
    if (!is_new && open_.size() == 1 && name == "id") {  // counts more than another repeated key
      fault_ = JsonFault::duplicate_id;
      detail_ = name;
    }
    member_ = is_new ? &member->second : &ignored_.emplace_back();
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*why*/) override {
    return fail(JsonFault::syntax, "not JSON in UTF-8 at byte " + std::to_string(position));
  }

 private:
  static constexpr bool kLooksAtEachKey = std::is_same_v<Json, ordered_json>;

  Json* put(Json value) {
    if (++count_ > kMaxJsonValues) {
      fail(JsonFault::too_large, "more than " + std::to_string(kMaxJsonValues) + " values");
      return nullptr;
    }
    Json* place = &root_;
    if (!open_.empty()) {
      place = member_;
      if (open_.back()->is_array()) {
        place = &open_.back()->template get_ref<typename Json::array_t&>().emplace_back();
      }
    }
    *place = std::move(value);
    return place;
  }

  bool open(Json value) {
    if (open_.size() == kMaxJsonDepth) {
      return fail(JsonFault::too_deep, "more than " + std::to_string(kMaxJsonDepth) + " levels deep");
    }
    Json* place = put(std::move(value));
    if (place != nullptr) {
      open_.push_back(place);
    }
    return place != nullptr;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  bool fail(JsonFault fault, std::string detail) {
    fault_ = fault;
    detail_ = std::move(detail);
    return false;
  }

  Json& root_;
  std::vector<Json*> open_;   // the arrays and objects around the next value, outermost first
  Json* member_ = nullptr;    // where the value of the key just read goes
  std::deque<Json> ignored_;  // the values of repeated keys; they may be nested, so each has its own place
  std::size_t count_ = 0;
  JsonFault fault_ = JsonFault::none;
  std::string detail_;
};

/// The UTF-16 unit of `\uXXXX` at the beginning of a text; nothing where there is no such escape.
std::optional<unsigned> escaped_unit(std::string_view text) {
  unsigned unit = 0;
  if (!text.starts_with("\\u") || text.size() < kEscapeBytes) {
    return std::nullopt;
  }
  const char* const end = text.data() + kEscapeBytes;
  return std::from_chars(text.data() + 2, end, unit, 16).ptr == end ? std::optional(unit) : std::nullopt;
}

/// Replaces every escape that is half a surrogate pair by U+FFFD. Returns where the first one is.
std::optional<std::size_t> replace_lone_surrogates(std::string& text) {
  std::optional<std::size_t> first;
  for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at)) {
    const auto unit = escaped_unit(std::string_view(text).substr(at));
    if (!unit) {
      at += 2;
      continue;
    }
    const auto next = escaped_unit(std::string_view(text).substr(at + kEscapeBytes));
    const bool is_pair = is_high_surrogate(*unit) && next && is_low_surrogate(*next);
    if (!is_pair && (is_high_surrogate(*unit) || is_low_surrogate(*unit))) {
      text.replace(at, kEscapeBytes, "\\uFFFD");
      first = first ? first : at;
    }
    at += is_pair ? 2 * kEscapeBytes : kEscapeBytes;
  }
  return first;
}

template <class Json>
JsonFault parse(std::string_view text, Json& value, std::string& detail) {
  Builder<Json> builder(value);
  Json::sax_parse(text.begin(), text.end(), &builder);
  detail = builder.detail();
  return builder.fault();
}

template <class Json>
JsonFault read_any(std::string_view text, Json& value, std::string& detail) {
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {  // nlohmann takes a NUL for the end of the text
    detail = "NUL character at byte " + std::to_string(nul + 1);
    return JsonFault::syntax;
  }
  const JsonFault fault = parse(text, value, detail);
  if (fault != JsonFault::syntax) {
    return fault;
  }
  std::string mended = to_valid_utf8(text);
  const bool was_utf8 = mended == text;
  const auto half = replace_lone_surrogates(mended);
  if (was_utf8 && !half) {
    return fault;
  }
  std::string other_detail;
  if (parse(mended, value, other_detail) != JsonFault::none) {
    return fault;
  }
  if (was_utf8) {
    detail = "the escape " + std::string(text.substr(*half, kEscapeBytes)) + " at byte " +
             std::to_string(*half + 1) +
             " is half a surrogate pair, and no character; send both halves, or the character itself";
  }
  return JsonFault::no_text;
}

}  // namespace

JsonFault read_json(std::string_view text, json& value, std::string& detail) {
  return read_any(text, value, detail);
}

JsonFault read_json(std::string_view text, ordered_json& value, std::string& detail) {
  return read_any(text, value, detail);
}

}  // namespace terminally
