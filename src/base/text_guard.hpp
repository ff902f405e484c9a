#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/redactor.hpp"
#include "base/secrets.hpp"

namespace terminally {

/// What stands between the texts of one call and the model that reads them: secrets are masked and counted,
/// and what is not seen is made visible. Doing it twice changes nothing.
class TextGuard {
 public:
  explicit TextGuard(std::shared_ptr<Secrets> secrets) : secrets_(std::move(secrets)) {}

  /// A name, a path, a command, an error: masked, without controls.
  [[nodiscard]] std::string text(std::string_view text);

  /// Masked only.
  [[nodiscard]] std::string masked(std::string_view text);

  [[nodiscard]] Secrets& secrets() const { return *secrets_; }

  void count(std::uint16_t kind) { ++counts_[kind]; }

  /// What was masked so far, as a note; empty for nothing.
  [[nodiscard]] std::string note() const;

 private:
  std::shared_ptr<Secrets> secrets_;
  std::map<std::uint16_t, std::size_t> counts_;
};

}  // namespace terminally
