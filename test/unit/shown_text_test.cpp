// What a stream tells while more of it comes: masked, and with our own file named, wherever the stream is
// cut.
#include "toolkit/shown_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/digests.hpp"
#include "log/edits.hpp"
#include "log/own_lines.hpp"
#include "secrets/text_guard.hpp"
#include "secrets_samples.hpp"

using namespace terminally;
using namespace terminally::test;

namespace {

std::shared_ptr<Secrets> secrets_of_streams() {
  auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("KNOWN", "correct horse battery staple"));
  REQUIRE(secrets->add("MULTI", "first line of it\nshort\nsecond line of it\n"));
  return secrets;
}

/// As a whole. A stream has no CR.
std::string as_a_whole(const std::shared_ptr<Secrets>& secrets, std::string text) {
  std::erase(text, '\r');
  return TextGuard(secrets).masked(text);
}

/// A stream, and what of it was told.
class ToldStream {
 public:
  explicit ToldStream(const std::shared_ptr<Secrets>& secrets, const std::string& own_files = "")
      : shown_(secrets ? std::make_shared<TextGuard>(secrets) : nullptr, own_files) {}

  ToldStream& feed(std::string_view bytes) {
    shown_.feed(bytes);
    return *this;
  }
  /// What may be told at once, however long the test took over it.
  ToldStream& release() { return take(begun_); }
  /// And what was held back for as long as it may be.
  ToldStream& release_all() {
    release();
    return take(Clock::now() + ShownText::kHeldBack);
  }
  std::string finish(bool goes_on = false, std::uint64_t unread = 0) {
    shown_.end(goes_on, unread);
    take(Clock::now());
    return text;
  }

  [[nodiscard]] std::uint64_t skipped() const { return shown_.skipped_bytes(); }

  std::string text;

 private:
  ToldStream& take(Clock::time_point now) {
    for (std::string_view piece = shown_.next(ShownText::kStepBytes, now); !piece.empty();
         piece = shown_.next(ShownText::kStepBytes, now)) {
      text += piece;
      shown_.told();
    }
    return *this;
  }

  Clock::time_point begun_ = Clock::now();
  ShownText shown_;
};

}  // namespace

TEST_CASE("A11 told text: every split of the stream gives the same text") {
  const auto secrets = secrets_of_streams();
  for (const Sample& sample : secret_samples()) {
    const std::string text = "before\n" + sample.text() + "after\n";
    const std::string whole = as_a_whole(secrets, text);
    for (std::size_t split = 0; split <= text.size(); ++split) {
      ToldStream told(secrets);
      REQUIRE(told.feed(text.substr(0, split)).feed(text.substr(split)).finish() == whole);
    }
  }
}

TEST_CASE("A11 told text: what is told at any place leaks no half of a secret") {
  const auto secrets = secrets_of_streams();
  for (const Sample& sample : secret_samples()) {
    const std::string text = sample.text();
    for (std::size_t split = 0; split <= text.size(); ++split) {
      ToldStream told(secrets);
      told.feed(text.substr(0, split)).release().release_all().feed(text.substr(split)).release_all();
      const std::string out = told.finish();
      // The letters that every secret of its kind begins with are no secret.
      const std::size_t common = sample.kind == "private-key" ? 40 : sample.kind == "slack" ? 25 : 23;
      const std::size_t harmless =
          sample.kind == "KNOWN" || sample.kind == "auth-header" || sample.kind == "env-assign" ? 5 : common;
      CHECK_MESSAGE(leaked(sample.secret, out) <= harmless,
                    sample.secret << " split at " << split << ": " << out);
      CHECK(out.find("redacted:") != std::string::npos);
    }
  }
}

TEST_CASE("A11 told text: a prompt is told at once, a word that may become a secret is not") {
  const auto secrets = secrets_of_streams();
  const auto released = [&](std::string_view text) { return ToldStream(secrets).feed(text).release().text; };
  CHECK(released("Password: ") == "Password: ");
  CHECK(released("Continue? [y/N] ") == "Continue? [y/N] ");
  CHECK(released("....................") == "....................");
  CHECK(released("user@host:~$ ") == "user@host:~$ ");
  CHECK(released("37% |####   | 3/9") == "37% |####   | 3/9");
  CHECK(released("using gh") == "using gh");
  CHECK(released("using ghp_abc") == "using ");
  CHECK(released("Authorization: Bearer abc") == "Authorization: Bearer ");
  CHECK(released("MY_TOKEN=abc") == "MY_TOKEN=");
  CHECK(released("it is correct hor") == "it is ");
  CHECK(released("ftp://me:pas") == "ftp://me:");
}

TEST_CASE("A11 told text: what turns out to be no secret goes on where its mask ends") {
  ToldStream told(secrets_of_streams());
  told.feed("pip install sk-le").release_all().feed("arn now\n").release();
  CHECK(told.text ==
        "pip install \xC2\xABredacted:anthropic-openai\xC2\xBB"
        "arn now\n");
}

TEST_CASE("A11 told text: of a line without end the secrets are found wherever a piece ends") {
  const auto secrets = secrets_of_streams();
  const std::string secret = "ghp_" + repeated("aB3dE6gH9jK2", 36);
  constexpr std::size_t kStep = TERMINALLY_SANITIZED != 0 ? 8 : 2;
  for (std::size_t place = ShownText::kStepBytes - 44; place < ShownText::kStepBytes + 4; place += kStep) {
    const std::string text = repeated("a,", place) + secret + "," + repeated("b,", 20'000);
    ToldStream at_once(secrets);
    ToldStream in_parts(secrets);
    at_once.feed(text).release();
    for (std::size_t at = 0; at < text.size(); at += 4'001) {
      in_parts.feed(std::string_view(text).substr(at, 4'001)).release();
    }
    for (ToldStream* told : {&at_once, &in_parts}) {
      const std::string out = told->finish();
      CHECK(leaked(secret, out) < 5);
      CHECK(out.size() == text.size() - secret.size() + as_a_whole(secrets, secret).size());
    }
  }
}

TEST_CASE("D14: a named value that is wrapped into lines is masked while it is told") {
  auto secrets = std::make_shared<Secrets>(Secrets::Options{.rules = false, .values = true});
  const std::string value = "pa/ss&w\"or'd \\ 1234 of forty characters";
  REQUIRE(secrets->add("KEY", value));
  const std::string base64 = encode_base64(value);
  for (const std::string& written : {value, base64, std::string("70612f73732677226f722764205c")}) {
    for (const std::string newline : {"\n", "\n    ", "\n\n"}) {
      const bool is_hex = written.starts_with("70");
      const std::string rest = is_hex ? "2031323334206f6620666f7274792063686172616374657273" : "";
      for (std::size_t cut = 1; cut < written.size(); cut += 3) {
        std::string text = "x=" + written.substr(0, cut);
        text.append(newline).append(written, cut).append(rest).append(" after\n");
        CAPTURE(text);
        ToldStream whole(secrets);
        ToldStream early(secrets);
        for (const char c : text) {
          whole.feed({&c, 1});
          early.feed({&c, 1}).release();
        }
        CHECK(whole.finish() == as_a_whole(secrets, text));
        CHECK(leaked(written, early.finish()) <= 4);
      }
    }
  }
}

TEST_CASE("D14: lines that a named value may begin in are masked the same in any split") {
  auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("KEY", "hunter2-hunter2"));
  for (const std::string_view text : {
           "an escape '\"'\"' on a line before\n  aHVu\303\251dGVyMi1odW50ZXIy\n",
           "x hun\nter2-hun\n\nter2 y hunter2-hunter2\n-hunter2 z\ngh",
           "FOO_KEY=abhunter2-\nhunter2 x\n",
           "-----BEGIN PRIVATE KEY-----\nno part of a key hun\nter2-hunter2\n",
           "-----BEGIN PRIVATE KEY-----\nhunt\ner2-hunter2 but no part of a key\n",
           "'$'\\\n'hunter2\\x2d\nhunter2\n",
       }) {
    CAPTURE(text);
    const std::string whole = as_a_whole(secrets, std::string(text));
    CHECK(whole.find("ter2") == std::string::npos);
    for (std::size_t step = 1; step < text.size(); ++step) {
      CAPTURE(step);
      ToldStream in_steps(secrets);
      ToldStream early(secrets);
      for (std::size_t at = 0; at < text.size(); at += step) {
        in_steps.feed(text.substr(at, step));
        early.feed(text.substr(at, step)).release();
      }
      CHECK(in_steps.finish() == whole);
      CHECK(early.finish().find("ter2") == std::string::npos);
    }
  }
}

TEST_CASE("own lines: a command is named in any split of the text (U9)") {
  const std::string run = "/run/user/0/terminally-mcp/x";
  const std::string path = run + "/01234567";
  const std::string text = "called\nbash: " + path + "u: line 3: no\nfrom sourcing file " + path +
                           "\n\tcalled on line 3 of file " + path + "\nfrom here\n" + run + "/0123 " + path +
                           "\n" + path + "u";
  const std::string whole = edited(text, command_names(text, run));
  REQUIRE(whole.find(path + "u") == std::string::npos);
  for (std::size_t at = 0; at <= text.size(); ++at) {
    for (const std::size_t next : {at, std::min(at + 1, text.size()), std::min(at + 9, text.size())}) {
      ToldStream told(nullptr, run);
      told.feed(text.substr(0, at)).release();
      told.feed(text.substr(at, next - at)).release();
      CHECK(told.feed(text.substr(next)).finish() == whole);
    }
  }
}

TEST_CASE("own lines: no more of a text is held than may become a name (U9)") {
  ToldStream told(nullptr, "/run/user/0/terminally-mcp/x");
  CHECK(told.feed("a line\n50 % of /tmp: /ru").release().text == "a line\n50 % of /tmp: ");
  CHECK(told.feed("st").release().text == "a line\n50 % of /tmp: /rust");
  CHECK(told.feed("/run").release_all().text == "a line\n50 % of /tmp: /rust/run");
}

TEST_CASE("V3 told text: behind the first 16 KiB, what may be a secret is held back as it is before them") {
  const auto secrets = secrets_of_streams();
  std::vector<std::string> ends;
  for (const std::size_t before : {std::size_t{0}, std::size_t{100'000}}) {
    ToldStream told(secrets);
    told.feed(std::string(before, '.') + "\nit is correct hor").release();
    CHECK(told.text.ends_with("\nit is "));
    told.release_all().feed("se\nname: x\n").release_all();
    ends.push_back(told.text.substr(told.text.find('\n')));
  }
  CHECK(ends[0].size() > std::string("\nit is ").size());
  CHECK(ends[0] == ends[1]);
}

TEST_CASE("V3 told text: what comes meanwhile holds nothing back for longer, also behind the first 16 KiB") {
  for (const std::size_t before : {std::size_t{0}, std::size_t{60'000}}) {
    CAPTURE(before);
    ShownText shown(std::make_shared<TextGuard>(secrets_of_streams()), "");
    const auto begun = Clock::now();
    shown.feed(std::string(before, '.') + "\nit is correct hor");
    const auto fed = Clock::now();
    CHECK(shown.next(ShownText::kStepBytes, begun).ends_with("\nit is "));
    shown.told();
    while (Clock::now() == fed) {
    }
    shown.feed("s");
    CHECK_FALSE(shown.next(ShownText::kStepBytes, fed + ShownText::kHeldBack).empty());
  }
}

TEST_CASE("V4 told text: what was not read is counted, and behind binary output nothing is told") {
  ToldStream unread(nullptr);
  CHECK(unread.feed("read\n").finish(false, 500) == "read\n\n[... 500 bytes skipped ...]\n");
  CHECK(unread.skipped() == 500);
  ToldStream binary(nullptr);
  const std::string named = binary.feed("before\n").release().feed(std::string(100, '\0')).release().text;
  CHECK(named == "before\n[binary output: not streamed]\n");
  CHECK(binary.feed("text\n").release_all().finish() == named);
}
