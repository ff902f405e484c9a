#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "secrets/known_values.hpp"
#include "secrets/secret_rules.hpp"

namespace terminally {

/// Knows what is secret, and finds secrets in texts (UTF-8 without escape sequences). Each line is searched
/// alone, except for the lines of a private key, and of a named value that was wrapped into lines.
///
/// Threads may search at the same time, as long as none adds a value: to add one, copy the object.
class Secrets {
 public:
  struct Options {
    bool rules = true;   ///< find what has the form of a secret
    bool values = true;  ///< find the values given to `add`
  };

  explicit Secrets(Options options);

  /// From now on the value and its encodings (KnownValues) are shown as «redacted:name». `name`: letters,
  /// digits, "_" and "-". False when the value is too short to be told from other text, or values are off.
  bool add(std::string_view name, std::string_view value);

  /// Whether there is anything to look for.
  [[nodiscard]] bool any() const { return rules_ != nullptr || !values_.empty(); }

  [[nodiscard]] std::string_view name(std::uint16_t kind) const;
  /// What is shown in place of a secret.
  [[nodiscard]] std::string mask(std::uint16_t kind) const;

  /// The secrets of a text, in order, none within another. `begins_line`: the text begins with a line.
  /// `in_key`: the text ends within a private key.
  [[nodiscard]] std::vector<SecretSpan> find(std::string_view text) const {
    bool in_key = false;
    return find(text, true, in_key);
  }
  [[nodiscard]] std::vector<SecretSpan> find(std::string_view text, bool begins_line, bool& in_key) const;

  /// The secret at the end of a text that goes on, which may not have ended. Only the text's last line
  /// counts, except for a named value that is wrapped into lines.
  struct Unfinished {
    std::size_t begin = 0;  ///< the text's size when there is none
    bool likely = false;    ///< a match of a rule, or at least four letters of a value
    std::uint16_t kind = 0;
  };
  [[nodiscard]] Unfinished unfinished(std::string_view text, bool begins_line) const;

 private:
  void find_in_lines(std::string& text, bool begins_line, std::vector<SecretSpan>& spans) const;
  void hide_values(std::string& text, std::vector<SecretSpan>& spans) const;

  std::shared_ptr<const SecretRules> rules_;  ///< null: none
  bool takes_values_;
  KnownValues values_;
  std::vector<std::string> names_;  ///< of the named values, whose kinds come after the rules'
};

}  // namespace terminally
