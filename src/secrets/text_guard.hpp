#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "secrets/secrets.hpp"

namespace terminally {

/// How often which kind of secret was masked.
using MaskCounts = std::map<std::uint16_t, std::size_t>;

/// What stands between the texts of one call and the model that reads them: secrets are masked and counted,
/// and what is not seen is made visible. Doing it twice changes nothing.
class TextGuard {
 public:
  explicit TextGuard(std::shared_ptr<const Secrets> secrets) : secrets_(std::move(secrets)) {}

  /// A name, a path, a command, an error: masked, without controls.
  [[nodiscard]] std::string text(std::string_view text);

  /// Masked only.
  [[nodiscard]] std::string masked(std::string_view text);

  /// The part of a line from `begin` to `end`: secrets that begin or end outside of it are masked as well.
  [[nodiscard]] std::string masked_part(std::string_view line, std::size_t begin, std::size_t end);

  /// Masked, and so is what at the end of its last line may become a secret when the line goes on.
  [[nodiscard]] std::string masked_unfinished(std::string_view text);

  [[nodiscard]] const Secrets& secrets() const { return *secrets_; }
  [[nodiscard]] const std::shared_ptr<const Secrets>& shared_secrets() const { return secrets_; }

  void count(std::uint16_t kind) { ++counts_[kind]; }
  /// What was masked elsewhere, by the same secrets.
  void count(const MaskCounts& masked);
  [[nodiscard]] const MaskCounts& counts() const { return counts_; }

  /// What was masked so far, as a note; empty for nothing.
  [[nodiscard]] std::string note() const;

 private:
  std::string apply(std::string_view text, const std::vector<SecretSpan>& spans, std::size_t begin,
                    std::size_t end);

  std::shared_ptr<const Secrets> secrets_;
  MaskCounts counts_;
};

}  // namespace terminally
