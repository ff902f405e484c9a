#pragma once

#include <string>
#include <vector>

namespace terminally::test {

/// A text with a secret, made up. Put together here, so that no scanner takes this file for a leak.
struct Sample {
  std::string kind;
  std::string before;
  std::string secret;
  std::string after;

  [[nodiscard]] std::string text() const { return before + secret + after; }
};

inline std::string repeated(const std::string& part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    text += part;
  }
  return text.substr(0, bytes);
}

/// The longest part of the secret that stands in `text`.
inline std::size_t leaked(const std::string& secret, const std::string& text) {
  std::size_t most = 0;
  for (std::size_t at = 0; at < secret.size(); ++at) {
    while (at + most < secret.size() && text.find(secret.substr(at, most + 1)) != std::string::npos) {
      ++most;
    }
  }
  return most;
}

inline std::vector<Sample> secret_samples() {
  const std::string mixed = repeated("aB3dE6gH9jK2", 400);
  const std::string upper = repeated("ABCDEFGHIJKLMNOP234567", 100);
  const std::string letters = repeated("abcDEFghiJKL", 100);
  const auto m = [&mixed](std::size_t bytes) { return mixed.substr(0, bytes); };
  return {
      {"github", "token: ", "ghp_" + m(36), "\n"},
      {"github", "", "gho_" + m(40), " used"},
      {"github", "(", "github_pat_" + m(60), ")"},
      {"gitlab", "x=", "glpat-" + m(20), "\n"},
      {"gitlab", "", "glsoat-" + m(24), ""},
      {"anthropic-openai", "key ", "sk-ant-" + std::string("api03-") + m(80), "."},
      {"anthropic-openai", "\"", "sk-proj-" + m(48), "\","},
      {"aws-key-id", "id ", "AKIA" + upper.substr(0, 16), "\n"},
      {"aws-key-id", "", "ASIA" + upper.substr(4, 16), " x"},
      {"google", "maps?key=", "AIza" + m(35), "&v=3"},
      {"google", "", "ya29." + m(60), "\n"},
      {"google", "", "GOCSPX-" + m(28), ""},
      {"slack", "", "xoxb-" + m(40), "\n"},
      {"slack", "https://", "hooks.slack.com/services/" + m(9) + "/" + m(9) + "/" + m(24), "\n"},
      {"slack", "", "xapp-1-" + m(30), ""},
      {"stripe", "", "sk_live_" + m(24), "\n"},
      {"stripe", "k='", "rk_test_" + m(24), "'"},
      {"registry", "//r/:_auth=", "npm_" + m(36), "\n"},
      {"registry", "", "hf_" + letters.substr(0, 34), " "},
      {"registry", "", "pypi-AgEIcHlwaS5vcmc" + m(60), ""},
      {"registry", "", "dckr_pat_" + m(27), "\n"},
      {"jwt", "jwt ", "eyJ" + m(20) + ".eyJ" + m(60) + "." + m(43), "\n"},
      {"auth-header", "> Authorization: Bearer ", m(30) + "==", "\n"},
      {"auth-header", "proxy-authorization: Basic ", m(24), "\r\n"},
      {"auth-header", "X-Api-Key: ", m(32), "\n"},
      {"url-userinfo", "postgres://admin:", "hunter2!", "@db.example.com/x\n"},
      {"url-userinfo", "git clone https://me:", m(20), "@example.com/r.git"},
      {"env-assign", "AWS_SECRET_ACCESS_KEY=", m(40), "\n"},
      {"env-assign", "export DB_PASSWORD=\"", "correcthorse", "\"\n"},
      {"env-assign", "declare -x MY_TOKEN=\"", m(20), "\"\n"},
      {"private-key", "cat key\n",
       "-----BEGIN RSA PRIVATE KEY-----\n" + m(64) + "\n" + m(64) + "\nQUJD\n-----END RSA PRIVATE KEY-----",
       "\n$ "},
      {"private-key", "", "-----BEGIN OPENSSH PRIVATE KEY-----" + m(70) + "-----END OPENSSH PRIVATE KEY-----",
       "\n"},
      {"KNOWN", "value ", "correct horse battery staple", " said\n"},
      {"KNOWN", "", "Y29ycmVjdCBob3JzZSBiYXR0ZXJ5IHN0YXBsZ", "Q==\n"},
      {"KNOWN", "q=", "correct%20horse%20battery%20staple", "&x"},
  };
}

}  // namespace terminally::test
