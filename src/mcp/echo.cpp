// Masks and shortens the client's own texts before an error sends them back.
#include "mcp/echo.hpp"

#include <nlohmann/json.hpp>

#include "base/utf8.hpp"
#include "secrets/text_guard.hpp"

namespace terminally {
namespace {

using nlohmann::ordered_json;

void echo_texts(ordered_json& value, TextGuard* guard) {
  if (value.is_string()) {
    value = echoed(value.get_ref<const std::string&>(), guard);
  } else if (value.is_structured()) {
    for (ordered_json& part : value) {
      echo_texts(part, guard);
    }
  }
}

}  // namespace

std::string echoed(std::string_view text, TextGuard* guard) {
  constexpr std::size_t kShown = 1'000;
  constexpr std::size_t kMasked = 64 * kShown;  // far more than is shown, so that masking sees whole secrets
  const std::string_view begin = whole_characters(text, kMasked);
  return shortened(guard != nullptr ? guard->text(begin) : std::string(begin), kShown);
}

ProtocolError echoed(const ProtocolError& error, TextGuard* guard) {
  std::string data = error.data();
  if (!data.empty()) {
    ordered_json parsed = ordered_json::parse(data);
    echo_texts(parsed, guard);
    data = parsed.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
  return {error.code(), echoed(error.what(), guard), std::move(data)};
}

}  // namespace terminally
