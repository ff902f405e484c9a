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

/// How often a kind of secret was masked, and how many lines that hid.
struct MaskCount {
  std::size_t times = 0;
  std::size_t lines = 0;

  void add(const MaskCount& other) {
    times += other.times;
    lines += other.lines;
  }
  bool operator==(const MaskCount&) const = default;
};
using MaskCounts = std::map<std::uint16_t, MaskCount>;

/// One secret that stood there.
[[nodiscard]] MaskCount one_secret(std::string_view hidden);

/// Guards the texts of one call for the model that reads them: masks and counts secrets, and makes invisible
/// characters visible. A second pass changes nothing.
class TextGuard {
 public:
  explicit TextGuard(std::shared_ptr<const Secrets> secrets) : secrets_(std::move(secrets)) {}

  /// For a name, a path, a command or an error: masks it and makes controls visible.
  [[nodiscard]] std::string text(std::string_view text);

  /// Masks a text, and no more.
  [[nodiscard]] std::string masked(std::string_view text);

  /// Masks the part of a line from `begin` to `end`, with the secrets that begin or end outside of the part.
  [[nodiscard]] std::string masked_part(std::string_view line, std::size_t begin, std::size_t end);

  /// Masks a text, and also the end of its last line where that may become a secret when the line goes on.
  [[nodiscard]] std::string masked_unfinished(std::string_view text);

  [[nodiscard]] const Secrets& secrets() const { return *secrets_; }
  [[nodiscard]] const std::shared_ptr<const Secrets>& shared_secrets() const { return secrets_; }

  void count(std::uint16_t kind, std::string_view hidden) { counts_[kind].add(one_secret(hidden)); }
  /// Adds what was masked elsewhere, by the same secrets.
  void count(const MaskCounts& masked);
  [[nodiscard]] const MaskCounts& counts() const { return counts_; }

  /// A note of what was masked so far; empty for nothing.
  [[nodiscard]] std::string note() const;

 private:
  std::string apply(std::string_view text, const std::vector<SecretSpan>& spans, std::size_t begin,
                    std::size_t end);

  std::shared_ptr<const Secrets> secrets_;
  MaskCounts counts_;
};

}  // namespace terminally
