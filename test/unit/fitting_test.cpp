#include "log/log_text.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "base/utf8.hpp"
#include "json/json_reader.hpp"
#include "log/output.hpp"
#include "temp_files.hpp"
#include "text/ansi.hpp"
#include "tmux/wire/screen_text.hpp"

using namespace terminally;

namespace {

/// As result_message writes it.
std::size_t dumped(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).size() - 2;
}

const std::string kWorst =
    "plain \"quoted\" \\ \x01\x02\x03\x1f\x7f caf\xC3\xA9 \xE6\xBC\xA2\xF0\x9F\x98\x80 e\xCC\x81\xCC\x81\r\n"
    "\x1B[31mred\x1B[0m\x1B]0;a title\x07 after\r\n\xFF\xC3\xFE bad\r\n\t\b\fend";

std::shared_ptr<TextGuard> guard_of(const std::string& value) {
  auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("KEY", value));
  return std::make_shared<TextGuard>(std::move(secrets));
}

/// What a screen's query printed.
std::string answer_of(const std::vector<std::string>& rows, std::size_t history, std::size_t cols,
                      const std::string& title = "title") {
  std::string answer = std::to_string(rows.size() - history) + " " + std::to_string(cols) + " 0 0 0 " +
                       std::to_string(history) + "\n";
  for (const std::string& row : rows) {
    answer += row + "\n";
  }
  return answer + title + "\n";
}

LogText whole_log(std::string_view bytes, const TextView& view, int cols) {
  LogPart part;
  part.bytes = bytes;
  return {std::move(part), view, cols};
}

std::string log_text(std::string_view bytes, const TextView& view, int cols) {
  return whole_log(bytes, view, cols).text(0, bytes.size()).text;
}

std::string output_text(std::string_view bytes, TextView view, int cols) {
  view.lines_end_with_lf = true;
  return log_text(bytes, view, cols);
}

}  // namespace

TEST_CASE("D12: a size as JSON is what is written") {
  for (int c = 0; c < 0x80; ++c) {
    const std::string text(1, static_cast<char>(c));
    CAPTURE(c);
    CHECK(json_size(text) == dumped(text));
  }
  const std::string text = to_valid_utf8(kWorst);
  CHECK(json_size(text) == dumped(text));
}

TEST_CASE("D12: a text is cut for every budget between characters, and no sooner than it must") {
  const std::string text = to_valid_utf8(kWorst);
  for (std::size_t most = 0; most <= json_size(text) + 1; ++most) {
    const std::string_view cut = json_prefix(text, most);
    CAPTURE(most);
    REQUIRE(json_size(cut) <= most);
    REQUIRE(is_valid_utf8(cut));
    if (cut.size() < text.size()) {
      const std::size_t next = first_utf8_part(std::string_view(text).substr(cut.size())).bytes;
      REQUIRE(json_size(std::string_view(text).substr(0, cut.size() + next)) > most);
    }
  }
}

TEST_CASE("D12: what fits is found, whatever the text makes of its bytes") {
  struct Bytes {
    std::string bytes;
    std::size_t shown;  ///< as JSON
  };
  for (const Bytes& one : {Bytes{"x", 1}, Bytes{"\x01", 6}, Bytes{"\x01\x02\x03", 18}}) {
    std::string all;
    while (all.size() < 1'000) {
      all += one.bytes;
    }
    for (std::uint64_t budget = 0; budget < 300; budget += 7) {
      const LogText text = whole_log(all, {}, 80);
      for (const Keep keep : {Keep::beginning, Keep::end}) {
        const FittingText found = text.fitting(keep, budget);
        CAPTURE(one.shown);
        CAPTURE(budget);
        CHECK(json_size(found.text) <= budget);
        CHECK(json_size(found.text) + one.shown + budget / 32 >= budget);
      }
    }
  }
  const TextView strip{.strip_ansi = true};
  std::string sequences;
  while (sequences.size() < 1'000) {
    sequences += "\x1b[1m";
  }
  const FittingText all = whole_log(sequences, strip, 80).fitting(Keep::beginning, 10);
  CHECK(all.bytes == sequences.size());
}

TEST_CASE("NUL is shown as text, in each exact view and however it is cut") {
  using namespace std::string_literals;
  const auto shown = [](const std::string& bytes, const TextView& view) { return log_text(bytes, view, 80); };
  CHECK(shown("a\0b\n"s, {}) == "a\\x00b\n");
  CHECK(shown("\0"s, {.guard = guard_of("a secret value")}) == "\\x00");
  CHECK(output_text("\0\0\r\n\0"s, {}, 80) == "\\x00\\x00\n\\x00");
  CHECK(shown("\\x00"s, {}) == "\\x00");
  CHECK(shown("\xC3\0\xA4"s, {}) == "\xEF\xBF\xBD\\x00\xEF\xBF\xBD");
  CHECK(shown(std::string(1'000, '\0'), {}).size() == 4'000);
  for (const bool plain : {true, false}) {
    for (const bool guarded : {true, false}) {
      TextView view{.strip_ansi = plain, .render = !plain};
      view.guard = guarded ? guard_of("a secret value") : nullptr;
      CAPTURE(plain);
      CHECK(shown("a\0\x1b[1mb\0\n"s, view).find('\0') == std::string::npos);
    }
  }
  const FittingText cut = whole_log(std::string(100, '\0'), {}, 80).fitting(Keep::beginning, 52);
  CHECK(cut.bytes == 10);  // of five bytes as JSON
}

TEST_CASE("D12: in chunks of any budget a log is the same text, none over its budget but for one character") {
  for (const bool strip : {false, true}) {
    TextView view;
    view.strip_ansi = strip;
    const std::string whole = log_text(kWorst, view, 80);
    for (std::size_t budget = 1; budget <= 150; ++budget) {
      std::string text;
      for (std::size_t at = 0; at < kWorst.size();) {
        LogPart part;
        part.before = kWorst.substr(0, at);
        part.bytes = kWorst.substr(at);
        const FittingText chunk = fitting_text(part, view, 80, Keep::beginning, budget);
        REQUIRE(chunk.bytes > 0);
        REQUIRE((json_size(chunk.text) <= budget || chunk.text.size() <= 24));
        text += chunk.text;
        at += chunk.bytes;
      }
      CAPTURE(budget);
      CHECK(text == whole);
    }
  }
}

TEST_CASE("D12: an end that is kept begins outside of sequences and characters") {
  TextView view;
  view.strip_ansi = true;
  const std::string whole = log_text(kWorst, view, 80);
  for (std::size_t budget = 0; budget <= json_size(whole); ++budget) {
    LogPart part;
    part.bytes = kWorst;
    const FittingText end = fitting_text(part, view, 80, Keep::end, budget);
    CAPTURE(budget);
    CHECK(json_size(end.text) <= budget);
    CHECK(whole.ends_with(end.text));
    CHECK(end.text == log_text(std::string_view(kWorst).substr(kWorst.size() - end.bytes), view, 80));
  }
}

TEST_CASE("D12: an output is cut at its budget, in any view, and says exactly which bytes are missing") {
  const test::TempDir directory;
  const PaneLog log(directory / "log");
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    bytes += kWorst + "\r\n";
  }
  test::append_to(log.path(), bytes);
  const std::regex line(
      R"(\[\.\.\. (\d+) bytes left out: stream_logs_from_tab from_byte (\d+) to (\d+) \.\.\.\]\n)");
  for (const TextView& view : {TextView{}, TextView{.strip_ansi = true}, TextView{.render = true}}) {
    for (const std::uint64_t budget : {0U, 1U, 50U, 1'000U, 4'096U, 200'000U}) {
      CAPTURE(budget);
      const BoundedText output = bounded_text(log, {0, log.end(), false, 0}, view, 120, budget);
      std::smatch told;
      if (!std::regex_search(output.text, told, line)) {
        CHECK(json_size(output.text) <= budget);
        CHECK(output.omitted_bytes == 0);
        continue;
      }
      const std::uint64_t from = std::stoull(told[2]);
      const std::uint64_t to = std::stoull(told[3]);
      CHECK(output.omitted_bytes == to - from);
      CHECK(std::to_string(output.omitted_bytes) == told[1]);
      const std::uint64_t size = json_size(told.prefix().str()) + json_size(told.suffix().str());
      CHECK(size <= budget + 2);  // and the newline before the line
      if (view.is_exact()) {
        CHECK(size + 40 >= budget * 7 / 10);
        const std::string head = output_text(bytes.substr(0, from), view, 120);
        CHECK((told.prefix() == head || told.prefix() == head + "\n"));
        CHECK(told.suffix() == output_text(bytes.substr(to), view, 120));
      }
    }
  }
}

TEST_CASE("D12: an output that is cut anywhere has no CR before a newline") {
  const test::TempDir directory;
  const PaneLog log(directory / "log");
  std::string bytes;
  for (int i = 0; i < 10'000; ++i) {
    bytes += std::to_string(i) + "\r\n";
  }
  test::append_to(log.path(), bytes);
  for (std::uint64_t budget = 0; budget < 58'000; budget += 1'009) {
    const BoundedText output = bounded_text(log, {0, log.end(), false, 0}, {}, 120, budget);
    CAPTURE(budget);
    CHECK(output.omitted_bytes > 0);
    CHECK(output.text.find("\r\n") == std::string::npos);
  }
}

TEST_CASE("U9: no budget shows a part of a line that we typed") {
  const std::string bytes =
      "one\r\n$  \b\x1b[K \\builtin . /run/x/01234567\r\n\x1b[?2004l\r\r\x1b[A\x1b[2K$ echo "
      "two\r\r\n\x1b]133;C;mcp=START:0123456789abcdef0123456789abcdef\x07two\r\n";
  TextView view;
  view.strip_ansi = true;
  const std::string whole = log_text(bytes, view, 80);
  REQUIRE(whole.find("builtin") == std::string::npos);
  for (std::size_t budget = 0; budget <= json_size(whole); ++budget) {
    CAPTURE(budget);
    std::string text;
    for (std::size_t at = 0; at < bytes.size();) {
      LogPart part;
      part.before = bytes.substr(0, at);
      part.bytes = bytes.substr(at);
      const FittingText chunk = fitting_text(part, view, 80, Keep::beginning, budget);
      REQUIRE(chunk.bytes > 0);
      text += chunk.text;
      at += chunk.bytes;
    }
    CHECK(text == whole);
    LogPart part;
    part.bytes = bytes;
    CHECK(whole.ends_with(fitting_text(part, view, 80, Keep::end, budget).text));
  }
}

TEST_CASE(
    "U9: a line that was typed in parts behind ssh, longer than what is looked at, is seen in no chunk") {
  const test::TempDir directory;
  const PaneLog log(directory / "log");
  std::string bytes = "one\r\n$  __mcp_01234567_s=$? __mcp_01234567_b=";
  while (bytes.size() < 90'000) {
    bytes += std::string(900, 'Q') + "\\\r\n> ";
  }
  bytes +=
      "; \\eval \"$__mcp_01234567_b\"\r\n\r\x1b[A\x1b[2K$ echo "
      "two\r\r\n\x1b]133;C;mcp=START:0123456789abcdef0123456789abcdef\x07two\r\n";
  bytes = std::string(200'000, 'x') + "\r\n" + bytes + std::string(200'000, 'y') + "\r\n";
  test::append_to(log.path(), bytes);
  const TextView view{.strip_ansi = true};
  for (const std::uint64_t size : {5'000U, 20'000U, 64'000U}) {
    std::string text;
    for (std::uint64_t at = 0; at < log.end(); at += size) {
      const LogPart part = log_part(log, {at, std::min(at + size, log.end()), 0, log.end(), false});
      text += fitting_text(part, view, 80, Keep::end, 1 << 20).text;
    }
    CAPTURE(size);
    CHECK(text ==
          std::string(200'000, 'x') + "\none\n$\n$ echo two\ntwo\n" + std::string(200'000, 'y') + "\n");
  }
}

TEST_CASE("D12, D15: a budget counts the masks, and cuts nothing that is masked") {
  const std::string secret = "hunter2hunter2hunter2";
  std::string log;
  for (int i = 0; i < 30; ++i) {
    log += "x" + secret + " ";
  }
  TextView view;
  view.guard = guard_of(secret);
  LogPart part;
  part.bytes = log;
  for (const Keep keep : {Keep::beginning, Keep::end}) {
    for (std::size_t budget = 20; budget < 400; ++budget) {
      const FittingText cut = fitting_text(part, view, 80, keep, budget);
      CAPTURE(budget);
      CHECK(json_size(cut.text) <= budget);
      for (std::size_t at = 0; at + 6 <= secret.size(); ++at) {
        CHECK(cut.text.find(secret.substr(at, 6)) == std::string::npos);
      }
    }
  }
}

TEST_CASE("D12: the rows of a screen come in pages that are the whole") {
  std::vector<std::string> rows;
  rows.reserve(60);
  for (int i = 0; i < 60; ++i) {
    rows.push_back(i % 7 == 3 ? ""
                              : "row " + std::to_string(i) + std::string(static_cast<std::size_t>(i), 'e') +
                                    "\xCC\x81");
  }
  rows.insert(rows.end(), 3, "");
  ReadScreen request;
  request.scrollback_lines = 30;
  const std::string answer = answer_of(rows, 40, 80);
  request.most_bytes = 1 << 20;
  const TabScreen whole = read_screen_answer(answer, request);
  CHECK(whole.omitted_rows == 0);
  CHECK(whole.text.starts_with("\nrow 11"));  // 40 rows above the screen, 30 of them asked for
  for (const std::uint64_t most : {80U, 200U, 1'000U, 5'000U}) {
    request.most_bytes = most;
    request.skip_rows = 0;
    std::string text;
    for (bool more = true; more;) {
      const TabScreen page = read_screen_answer(answer, request);
      REQUIRE(json_size(page.text) <= most);
      more = page.omitted_rows > 0;
      text.insert(0, page.text);
      if (more) {
        const std::string& note = page.notes.at(0);
        request.skip_rows = std::stoull(note.substr(note.find("skip_rows ") + 10));
      }
    }
    CAPTURE(most);
    CHECK(text == whole.text);
  }
}

TEST_CASE("D12: a row that is longer than the budget is cut and said to be") {
  ReadScreen request;
  request.strip_ansi = false;
  const std::string row = "\x1B[31mred \x1B[32m\xF0\x9F\x98\x80 e\xCC\x81 green\x1B[0m";
  for (std::uint64_t most = 1; most < json_size(row); ++most) {
    request.most_bytes = most;
    const TabScreen screen = read_screen_answer(answer_of({row}, 0, 80), request);
    CAPTURE(most);
    CHECK(json_size(screen.text) <= most);
    CHECK(is_valid_utf8(screen.text));
    CHECK(safe_cut(screen.text, false) == screen.text.size());
    CHECK(screen.notes.size() == 1);
  }
}

TEST_CASE("D15: a secret is masked whose first rows, or last ones, are not asked for") {
  const std::string secret = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6";
  const std::vector<std::string> rows = {"0123456789" + secret.substr(0, 10), secret.substr(10) + "  ",
                                         "end"};
  for (std::uint64_t scrollback = 0; scrollback <= 2; ++scrollback) {
    for (std::uint64_t skip = 0; skip <= 2; ++skip) {
      ReadScreen request;
      request.guard = guard_of(secret);
      request.scrollback_lines = scrollback;
      request.skip_rows = skip;
      const std::string text = read_screen_answer(answer_of(rows, 2, 19), request).text;
      CAPTURE(text);
      for (std::size_t at = 0; at + 6 <= secret.size(); ++at) {
        CHECK(text.find(secret.substr(at, 6)) == std::string::npos);
      }
    }
  }
}

TEST_CASE("D15: a secret that is known by its form is masked across the rows that it was wrapped into") {
  const std::string secret = "ghp" + std::string("_") + "aB3dE6gH9jK2aB3dE6gH9jK2aB3dE6gH9jK2";
  ReadScreen request;
  request.guard = std::make_shared<TextGuard>(std::make_shared<Secrets>(Secrets::Options{}));
  const std::vector<std::string> rows = {"token " + secret.substr(0, 14), secret.substr(14, 20),
                                         secret.substr(34), "end"};
  const std::string text = read_screen_answer(answer_of(rows, 0, 20), request).text;
  CAPTURE(text);
  for (std::size_t at = 4; at + 6 <= secret.size(); ++at) {
    CHECK(text.find(secret.substr(at, 6)) == std::string::npos);
  }
  CHECK(text.find("\xC2\xABredacted:github\xC2\xBB") != std::string::npos);
}

TEST_CASE("D15: a row that ends with the blank of a phrase goes on in the next, and blanks are not shown") {
  const std::string phrase = "correct horse battery staple";
  ReadScreen request;
  request.guard = guard_of(phrase);
  const std::vector<std::string> rows = {"    correct horse ", "battery staple    ", "end  ", "  "};
  const std::string text = read_screen_answer(answer_of(rows, 0, 18), request).text;
  CHECK(text == "    \xC2\xABredacted:KEY\xC2\xBB\n\nend\n");
}

TEST_CASE("D12: a title is cut, after it was masked") {
  ReadScreen request;
  request.guard = guard_of("hunter2hunter2");
  for (std::size_t at = 4'070; at < 4'110; ++at) {
    const TabScreen screen = read_screen_answer(
        answer_of({"x"}, 0, 80, std::string(at, 'x') + "hunter2hunter2" + std::string(20'000, 'y')), request);
    CHECK(screen.title.size() < 4'110);
    CHECK(screen.title.find("hunter") == std::string::npos);
  }
}
