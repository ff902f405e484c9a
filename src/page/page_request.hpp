#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace terminally {

/// A message of a page, which may be anything. The fields that are asked for must be there: Error
/// (invalid_argument) names the one that is not.
class PageRequest {
 public:
  /// Throws Error(invalid_argument) for what is no JSON object with a text "t".
  explicit PageRequest(std::string_view text);

  [[nodiscard]] const std::string& type() const { return type_; }
  /// By which the page knows the answer; null: it asks for none.
  [[nodiscard]] const nlohmann::json& re() const { return re_; }

  [[nodiscard]] bool has(const char* name) const;
  [[nodiscard]] std::string text(const char* name) const;
  [[nodiscard]] std::uint64_t number(const char* name, std::uint64_t most = UINT64_MAX) const;
  [[nodiscard]] bool flag(const char* name) const;  ///< false where it is not there
  [[nodiscard]] const nlohmann::json& field(const char* name) const;
  [[nodiscard]] const nlohmann::json& body() const { return body_; }

 private:
  nlohmann::json body_;
  std::string type_;
  nlohmann::json re_;
};

/// What a request is answered with.
[[nodiscard]] std::string done_text(const nlohmann::json& re);
[[nodiscard]] std::string error_text(const nlohmann::json& re, const Error& error);

}  // namespace terminally
