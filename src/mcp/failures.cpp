// Masks and shortens the client's own texts before an error sends them back.
// Turns any exception of a request into the error that its client gets.

#include "mcp/failures.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
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

ProtocolError error_of(const std::exception_ptr& failure, const std::string& id) {
  std::string cause = "unknown exception";
  try {
    std::rethrow_exception(failure);
  } catch (const ProtocolError& error) {
    return error;
  } catch (const Error& error) {  // of a method other than tools/call, which answers an Error by a result
    return {kInternalError, error.what()};
  } catch (const std::exception& error) {
    cause = error.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): answered below like any other
  }
  std::cerr << "terminally-mcp: request " << id << " failed: " << cause << '\n';
  return {kInternalError, "Internal error"};
}

ProtocolError too_long_for_a_message(std::size_t bytes) {
  return {kInternalError, "The answer would have " + std::to_string(bytes) +
                              " bytes, more than the limit of " + std::to_string(kMostMessageBytes) +
                              ": ask for less"};
}

}  // namespace terminally
