#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "log/text_view.hpp"
#include "secrets/secrets.hpp"
#include "secrets/text_guard.hpp"

namespace terminally::test {

/// Secrets for texts that are cut anywhere: two named values, a token, a private key.
class CutSecrets {
  std::mt19937 random_{15};

 public:
  const std::string value = letters(40);
  const std::string phrase = letters(8) + " " + letters(8) + " " + letters(8) + " " + letters(8);
  const std::string token = "ghp_" + letters(36);
  const std::vector<std::string> one_line = {value, phrase, token};
  std::vector<std::string> key_lines;
  const std::string value_mask = "«redacted:VALUE»";
  const std::string token_mask = "«redacted:github»";
  const std::string key_mask = "«redacted:private-key»";
  const std::shared_ptr<Secrets> all = std::make_shared<Secrets>(Secrets::Options{});

  CutSecrets() {
    for (int i = 0; i < 12; ++i) {
      key_lines.push_back(letters(64));
    }
    REQUIRE(all->add("VALUE", value));
    REQUIRE(all->add("PHRASE", phrase));
  }

  /// As a terminal prints it.
  [[nodiscard]] std::string key() const {
    std::string text = "-----BEGIN RSA PRIVATE KEY-----\r\n";
    for (const std::string& line : key_lines) {
      text += line + "\r\n";
    }
    return text + "-----END RSA PRIVATE KEY-----\r\n";
  }
  [[nodiscard]] std::shared_ptr<TextGuard> guard() const { return std::make_shared<TextGuard>(all); }
  /// Verbatim, stripped, rendered.
  [[nodiscard]] std::vector<TextView> views() const {
    return {{.guard = guard()},
            {.strip_ansi = true, .guard = guard()},
            {.strip_ansi = true, .render = true, .guard = guard()}};
  }

  /// A part of six characters of any of them that stands in the text; empty for none.
  [[nodiscard]] std::string leak(std::string_view text) const {
    constexpr std::size_t kPart = 6;
    std::vector<std::string_view> secrets = {value, phrase, std::string_view(token).substr(4)};
    secrets.insert(secrets.end(), key_lines.begin(), key_lines.end());
    for (const std::string_view secret : secrets) {
      for (std::size_t at = 0; at + kPart <= secret.size(); ++at) {
        if (text.find(secret.substr(at, kPart)) != std::string_view::npos) {
          return std::string(secret.substr(at, kPart));
        }
      }
    }
    return "";
  }

 private:
  std::string letters(std::size_t count) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string text(count, ' ');
    std::ranges::generate(text, [&] { return kLetters[random_() % kLetters.size()]; });
    return text;
  }
};

}  // namespace terminally::test
