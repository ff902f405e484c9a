// The thirteen patterns of secrets: keywords find the lines on which a pattern is tried.
// Extends the spans of private keys, from each BEGIN line to the place where the key ends.

#include "secrets/secret_rules.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>
#include <optional>
#include <string>

#include "base/characters.hpp"
#include "base/error.hpp"
#include "base/worker.hpp"

namespace terminally {

namespace {

struct Form {
  std::string_view name;
  std::string_view keywords;    ///< in lower case; every match has one of them, or stands just after one
  std::string_view whole;       ///< the match after \K is the secret
  std::string_view unfinished;  ///< the beginning of a secret at the end of a line that goes on
  std::string_view more;        ///< a match is extended over these characters, letters and digits
};

// No pattern matches a newline, because each line is searched alone.
// Where a secret may begin: a letter before it counts for nothing where it ends an escape, as in `%20ghp_` of
// a URI or `\nghp_` of JSON.
#define BEGIN R"((?:\b|(?<=%[0-9A-Fa-f]{2}|\\[nrt]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})))"
#define NAME_OF_SECRET                                    \
  R"(^(?:export[ \t]+|declare -x )?[A-Z][A-Z0-9_]{0,60})" \
  R"((?:_KEY|_TOKEN|_SECRET|_PASSWORD|_PASSWD|_CREDENTIALS?|SECRET_KEY|API_KEY)=["']?\K)"
#define AUTHORIZATION \
  R"((?i))" BEGIN R"((?:proxy-)?authorization[ \t]*[:=][ \t]*["']?(?:bearer|basic|token|digest)[ \t]+\K)"
#define X_API_KEY R"((?i))" BEGIN R"(x-api-key[ \t]*[:=][ \t]*["']?\K)"
#define URL_USER BEGIN R"([a-z][a-z0-9+.-]{1,20}://[^\s/:@"'<>{}$]{1,100}:\K)"

constexpr std::array<Form, SecretRules::kCount> kForms = {{
    {"private-key", "-----begin", R"(-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----)", "", ""},
    {"github", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
     BEGIN R"((?:gh[pousr]_[0-9A-Za-z]{36,255}|github_pat_\w{22,255}))",
     BEGIN R"((?:gh[pousr]_[0-9A-Za-z]*|github_pat_\w*)\z)", "_-"},
    {"gitlab", "glpat- glrt- glcbt- glptt- gldt- glsoat-",
     BEGIN R"(gl(?:pat|rt|cbt|ptt|dt|soat)-[\w-]{20,300})", BEGIN R"(gl(?:pat|rt|cbt|ptt|dt|soat)-[\w-]*\z)",
     "_-"},
    {"anthropic-openai", "sk-", BEGIN R"(sk-(?:ant-|proj-|svcacct-|admin-|or-)?[A-Za-z0-9_-]{20,200})",
     BEGIN R"(sk-[A-Za-z0-9_-]*\z)", "_-"},
    {"aws-key-id", "akia asia abia acca a3t", BEGIN R"((?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b)",
     BEGIN R"((?:A3T[A-Z0-9]?|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{0,16}\z)", ""},
    {"google", "aiza ya29. gocspx-", BEGIN R"((?:AIza[\w-]{35}|ya29\.[\w-]{20,400}|GOCSPX-[\w-]{28}))",
     BEGIN R"((?:AIza[\w-]*|ya29\.[\w-]*|GOCSPX-[\w-]*)\z)", "_-"},
    {"slack", "xox xapp- hooks.slack",
     BEGIN
     R"((?:xox[abeoprs]-[0-9A-Za-z-]{10,250}|xapp-\d-[\w-]{20,250}|hooks\.slack\.com/services/[\w/+]{20,80}))",
     BEGIN R"((?:xox[abeoprs]-[0-9A-Za-z-]*|xapp-\d-[\w-]*|hooks\.slack\.com/services/[\w/+]*)\z)", "_-/+"},
    {"stripe", "sk_live rk_live sk_test rk_test sk_prod rk_prod",
     BEGIN R"([rs]k_(?:live|test|prod)_[0-9A-Za-z]{10,99})",
     BEGIN R"([rs]k_(?:live|test|prod)_[0-9A-Za-z]*\z)", "_-"},
    {"registry", "npm_ pypi- hf_ dckr_pat_",
     BEGIN
     R"((?:npm_[A-Za-z0-9]{36}|pypi-AgEIcHlwaS5vcmc[\w-]{50,1000}|hf_[A-Za-z]{34}|dckr_pat_[\w-]{27,40}))",
     BEGIN R"((?:npm_[A-Za-z0-9]*|pypi-AgEIcHlwaS5vcmc[\w-]*|hf_[A-Za-z]*|dckr_pat_[\w-]*)\z)", "_-"},
    {"jwt", "eyj", BEGIN R"(eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000})",
     BEGIN
     R"(eyJ[A-Za-z0-9_-]{0,2000}+(?:\.(?:e|ey|eyJ[A-Za-z0-9_-]{0,4000}+(?:\.[A-Za-z0-9_-]{0,5000})?)?)?\z)",
     "_-"},
    {"auth-header", "authorization x-api-key",
     AUTHORIZATION R"([\w+/=~.:-]{8,4000}|)" X_API_KEY R"([\w+/=~.-]{8,400})",
     AUTHORIZATION R"([\w+/=~.:-]+\z|)" X_API_KEY R"([\w+/=~.-]+\z)", "_+/=~.:-"},
    {"url-userinfo", "://", URL_USER R"([^\s/@"'<>{}$]{3,200}(?=@))", URL_USER R"([^\s/@"'<>{}$]{1,200}\z)",
     ""},
    {"env-assign", "key token secret passw credential", NAME_OF_SECRET R"([^\s"'$(){}]{8,4000})",
     NAME_OF_SECRET R"([^\s"'$(){}]+\z)", "_+/=~.:-"},
}};

#undef BEGIN
#undef NAME_OF_SECRET
#undef AUTHORIZATION
#undef X_API_KEY
#undef URL_USER

constexpr std::size_t kMostMore = 4'096;

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool same_letters(std::string_view text, std::string_view lower_case) {
  const auto same = [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a + ('a' - 'A') == b); };
  return text.size() >= lower_case.size() && std::equal(lower_case.begin(), lower_case.end(), text.begin(),
                                                        [&](char b, char a) { return same(a, b); });
}

/// Finds all keywords at once: each place is looked up by its first three bytes, whatever their case.
class Keywords {
 public:
  Keywords() {
    for (std::size_t rule = 0; rule < kForms.size(); ++rule) {
      for (std::string_view rest = kForms.at(rule).keywords; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        words_.push_back({word, static_cast<std::uint16_t>(rule)});
        slots_.set(slot_of(word));
      }
    }
  }

  struct Word {
    std::string_view text;
    std::uint16_t rule;
  };

  /// Calls `found(at, rule)` for each keyword in the text, in order.
  template <class F>
  void find(std::string_view text, F&& found) const {
    for (std::size_t at = 0; at + 3 <= text.size(); ++at) {
      if (!slots_.test(slot_of(text.substr(at, 3)))) {
        continue;
      }
      for (const Word& word : words_) {
        if (same_letters(text.substr(at), word.text)) {
          found(at, word.rule);
        }
      }
    }
  }

 private:
  /// The slot of the first three bytes, which `text` must have.
  static std::size_t slot_of(std::string_view text) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, text.data(), 3);
    return ((bytes | 0x202020U) * 0x9E37'79B1U) >> 18U;
  }

  std::vector<Word> words_;
  std::bitset<16'384> slots_;
};

const Keywords& keywords() {
  static const Keywords all;
  return all;
}

}  // namespace

SecretRules::SecretRules() {
  rules_.reserve(kCount);
  for (const Form& form : kForms) {
    const std::string_view unfinished = form.unfinished.empty() ? form.whole : form.unfinished;
    rules_.push_back(
        {Pattern(form.whole, {.field = form.name}), Pattern(unfinished, {.field = form.name}), form.more});
  }
}

std::string_view SecretRules::name(std::uint16_t rule) {
  return kForms.at(rule).name;
}

void SecretRules::find_in_line(std::string_view line, bool begins_line, std::uint16_t rule,
                               std::size_t offset, const Found& found) const {
  const Rule& r = rules_[rule];
  const auto goes_on = [&r](char c) { return is_alphanumeric(c) || is_one_of(c, r.more); };
  try {
    for (std::size_t from = 0; from < line.size();) {
      const auto match = r.whole.find({.text = line, .begins_line = begins_line}, from);
      if (!match) {
        return;
      }
      std::size_t end = match->end;
      for (const std::size_t last = std::min(line.size(), end + kMostMore);
           !r.more.empty() && end < last && goes_on(line[end]);) {
        ++end;
      }
      found(offset + match->begin, offset + end, rule);
      from = std::max(end, from + 1);
    }
  } catch (const Error&) {  // too many steps: this line may hold a secret
    found(offset, offset + line.size(), rule);
  }
}

void SecretRules::find(std::string_view text, bool begins_line, const Found& found) const {
  std::array<std::size_t, kCount> done{};  // up to where each rule has searched
  std::size_t line_begin = 0;
  std::size_t line_end = 0;
  keywords().find(text, [&](std::size_t at, std::uint16_t rule) {
    if (at < done.at(rule)) {
      return;
    }
    if (at >= line_end) {
      throw_if_abandoned();
      line_begin = text.substr(0, at).rfind('\n') + 1;  // npos + 1 is 0
      line_end = std::min(text.find('\n', at), text.size());
    }
    find_in_line(text.substr(line_begin, line_end - line_begin), begins_line || line_begin > 0, rule,
                 line_begin, found);
    done.at(rule) = line_end + 1;
  });
}

SecretRules::Beginning SecretRules::unfinished(std::string_view line, bool begins_line) const {
  const std::size_t from = line.size() - std::min(line.size(), kMostBytes);
  Beginning first{.begin = line.size()};
  std::bitset<kCount> looked;
  keywords().find(line.substr(from), [&](std::size_t /*at*/, std::uint16_t rule) {
    if (looked.test(rule)) {
      return;
    }
    looked.set(rule);
    try {
      const auto match =
          rules_[rule].unfinished.find({.text = line, .begins_line = begins_line, .ends_line = false}, from);
      if (match && match->begin < first.begin) {
        first = {.begin = match->begin, .rule = rule};
      }
    } catch (const Error&) {
      first = {.begin = from, .rule = rule};
    }
  });
  return first;
}

namespace {

/// Base64, and what stands in the place of a known value (Secrets).
bool is_key_letter(char c) {
  return is_alphanumeric(c) || is_one_of(c, "+/={");
}

std::string_view without_space_around(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  return line.substr(0, line.find_last_not_of(kSpace) + 1);
}

std::string_view longest_word_of_key(std::string_view line) {
  std::string_view longest;
  for (auto at = line.begin(); at != line.end();) {
    const auto begin = std::find_if(at, line.end(), is_key_letter);
    at = std::find_if_not(begin, line.end(), is_key_letter);
    const std::string_view word(begin, at);
    longest = word.size() > longest.size() ? word : longest;
  }
  return longest;
}

bool is_header_of_key(std::string_view line) {
  constexpr std::array<std::string_view, 7> kHeaders = {
      "Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:", "Charset:", "MessageID:"};
  return std::ranges::any_of(
      kHeaders, [line](std::string_view header) { return line.find(header) != std::string_view::npos; });
}

/// Tells which lines behind a BEGIN can be the key's: headers, lines of base64 as long as keys have them, a
/// shorter one behind them, blank lines. A line number, an indent or quotes may stand around each.
class KeyLines {
 public:
  bool takes(std::string_view line) {
    line = without_space_around(line);
    const std::string_view word = longest_word_of_key(line);
    if (line.empty() || (!has_body_ && is_header_of_key(line))) {
      return true;
    }
    if (word.size() >= kLeastLine) {
      has_body_ = true;
      is_alone_ = word.size() == line.size();
      return true;
    }
    if (is_checksum(line)) {
      return has_body_;
    }
    const bool is_last = has_body_ && !has_last_ && !word.empty() && word.size() % 4 == 0 &&
                         (word.size() == line.size() || !is_alone_);
    has_last_ = has_last_ || is_last;
    return is_last;
  }

  /// Whether a line that has not ended yet may become one.
  [[nodiscard]] bool may_take(std::string_view beginning) const {
    const auto is_letter = [](char c) { return is_key_letter(c) || c == '-'; };
    const std::string_view line = without_space_around(beginning);
    return std::ranges::all_of(line, is_letter) || (has_body_ && !is_alone_) || KeyLines(*this).takes(line);
  }

 private:
  static constexpr std::size_t kLeastLine = 32;  ///< keys have 64, 70 or 76 letters in a line

  /// Of a PGP key.
  static bool is_checksum(std::string_view line) { return line.size() == 5 && line[0] == '='; }

  bool has_body_ = false;
  bool has_last_ = false;
  bool is_alone_ = true;  ///< nothing stands around the base64
};

/// Where the mark of the END line ends in the rest of a line.
std::optional<std::size_t> end_of_key(std::string_view rest) {
  constexpr std::string_view kEnd = "-----END";
  constexpr std::string_view kDashes = "-----";
  const std::size_t begin = rest.find(kEnd);
  const std::size_t end = begin == std::string_view::npos ? begin : rest.find(kDashes, begin + kEnd.size());
  return end == std::string_view::npos ? std::nullopt : std::optional(end + kDashes.size());
}

/// Goes through a key whose first line has begun before `span.end`, and moves that to where it ends. Returns
/// whether the text ends within it.
bool go_through(std::string_view text, SecretSpan& span) {
  std::size_t at = span.end;
  KeyLines key;
  for (std::size_t lines = 1;; ++lines) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    const std::string_view rest = text.substr(at, line_end - at);
    if (const auto end = end_of_key(rest)) {
      span.end = at + *end;
      return false;
    }
    const bool is_open = line_end == text.size();
    if (lines > 1 && (lines > kMostLinesOfKey || !(is_open ? key.may_take(rest) : key.takes(rest)))) {
      span.end = at;
      span.newline_after = true;
      return false;
    }
    at = std::min(line_end + 1, text.size());
    if (at == text.size()) {
      span.end = at;
      return true;
    }
  }
}

}  // namespace

std::vector<SecretSpan> hide_keys(std::string_view text, const std::vector<SecretSpan>& spans, bool& in_key) {
  std::vector<SecretSpan> all;
  all.reserve(spans.size());
  std::size_t hidden = 0;
  for (const SecretSpan& span : spans) {
    if (span.begin < hidden) {
      continue;
    }
    all.push_back(span);
    if (span.kind == SecretRules::kPrivateKey) {
      in_key = go_through(text, all.back());
      hidden = all.back().end;
    }
  }
  return all;
}

}  // namespace terminally
