#include "tmux/wire/screen_text.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cut_secrets.hpp"
#include "json/json_reader.hpp"
#include "manager_scene.hpp"
#include "secrets/secret_rules.hpp"
#include "secrets/secrets.hpp"
#include "secrets/text_guard.hpp"
#include "tmux/wire/text_worker.hpp"

namespace terminally {
namespace {

/// What tmux answers to a screen_query.
struct Shown {
  std::uint64_t cols = 20;
  std::vector<std::string> history;
  std::vector<std::string> rows;
  std::string title = "title";
  std::uint64_t history_size = 0;  ///< more than `history` where not all of it was asked for

  [[nodiscard]] std::string answer() const {
    std::string text = std::to_string(rows.size()) + " " + std::to_string(cols) + " 1 2 0 " +
                       std::to_string(std::max<std::uint64_t>(history_size, history.size())) + "\n";
    for (const auto* part : {&history, &rows}) {
      for (const std::string& row : *part) {
        text += row + "\n";
      }
    }
    return text + title + "\n";
  }
  [[nodiscard]] TabScreen read(const ReadScreen& request = {}) const {
    return read_screen_answer(answer(), request);
  }
};

std::shared_ptr<TextGuard> guard_against(const std::string& secret) {
  auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("KEY", secret));
  return std::make_shared<TextGuard>(std::move(secrets));
}

const std::string kSecret = "correct-horse-battery-4711";

std::vector<std::string> numbered(int from, int to) {
  std::vector<std::string> rows;
  for (int i = from; i < to; ++i) {
    rows.push_back("row " + std::to_string(i));
  }
  return rows;
}

}  // namespace

TEST_CASE("screen: what was asked of tmux, in one list") {
  ReadScreen request;
  request.scrollback_lines = 7;
  const auto commands = test::tmux_commands(screen_query("%3", request));
  REQUIRE(commands.size() == 3);
  for (const auto& words : commands) {
    CHECK(test::value_of(words, "-t") == "%3");
  }
  CHECK(test::value_of(commands[1], "-S") == "-" + std::to_string(7 + kMostLinesOfKey));
  CHECK(std::ranges::count(commands[1], "-N") == 1);  // blanks at the ends of rows tell of wrapped lines
  CHECK(std::ranges::count(commands[1], "-e") == 1);  // tells where letters stand for lines
  CHECK(commands[2].back() == "#{pane_title}");       // the last: only it can hold anything
}

TEST_CASE("S5: letters of the line drawing set are lines on the screen, in rows that follow each other too") {
  Shown shown;
  shown.rows = {"\x1b[31m\x0elqk\x1b[39m", "x\x0f q \x0ex", "mqj\x0f end", "\x1b[1mplain\x1b[0m"};
  CHECK(shown.read().text == "┌─┐\n│ q │\n└─┘ end\nplain\n");
  ReadScreen request;
  request.strip_ansi = false;
  CHECK(shown.read(request).text == "\x1b[31m┌─┐\x1b[39m\n│ q │\n└─┘ end\n\x1b[1mplain\x1b[0m\n");
}

TEST_CASE("screen: its size, cursor and mode") {
  const TabScreen screen = read_screen_answer("40 120 7 9 1 3\n" + std::string(43, '\n') + "vim\n", {});
  CHECK(screen.rows == 40);
  CHECK(screen.cols == 120);
  CHECK(screen.cursor_row == 7);
  CHECK(screen.cursor_col == 9);
  CHECK(screen.alternate_screen);
  CHECK(screen.title == "vim");
  CHECK(screen.text.empty());
  CHECK(screen.omitted_rows == 0);
  CHECK(screen.notes.empty());
}

TEST_CASE("screen: rows are lines, without the blanks at their ends and blank rows at the end") {
  Shown shown;
  shown.rows = {"one   ", "", "  three", "      ", ""};
  CHECK(shown.read().text == "one\n\n  three\n");
}

TEST_CASE("screen: rows above it are shown as far as they were asked for") {
  Shown shown;
  shown.history = numbered(0, 5);
  shown.rows = numbered(5, 7);
  for (const auto& [wanted, text] : std::vector<std::pair<std::uint64_t, std::string>>{
           {0, "row 5\nrow 6\n"},
           {1, "row 4\nrow 5\nrow 6\n"},
           {5, "row 0\nrow 1\nrow 2\nrow 3\nrow 4\nrow 5\nrow 6\n"},
           {90, "row 0\nrow 1\nrow 2\nrow 3\nrow 4\nrow 5\nrow 6\n"}}) {
    CAPTURE(wanted);
    ReadScreen request;
    request.scrollback_lines = wanted;
    CHECK(shown.read(request).text == text);
    CHECK(shown.read(request).title == "title");
  }
}

TEST_CASE("screen: more history than was asked for does not shift what is read") {
  Shown shown;
  shown.history = numbered(0, 2 + static_cast<int>(kMostLinesOfKey));
  shown.history_size = 5'000;
  shown.rows = {"screen"};
  ReadScreen request;
  request.scrollback_lines = 2;
  const std::string last = std::to_string(1 + kMostLinesOfKey);
  const std::string before = std::to_string(kMostLinesOfKey);
  CHECK(shown.read(request).text == "row " + before + "\nrow " + last + "\nscreen\n");
  CHECK(shown.read(request).title == "title");
}

TEST_CASE("screen: rows that do not fit are left out above, whole, and the note says how to come to them") {
  Shown shown;
  shown.rows = numbered(10, 20);  // 8 bytes each as JSON
  for (const auto& [budget, first] :
       std::vector<std::pair<std::uint64_t, int>>{{80, 10}, {79, 11}, {72, 11}, {71, 12}, {8, 19}}) {
    CAPTURE(budget);
    ReadScreen request;
    request.most_bytes = budget;
    const TabScreen screen = shown.read(request);
    std::string wanted;
    for (const std::string& row : numbered(first, 20)) {
      wanted += row + "\n";
    }
    CHECK(screen.text == wanted);
    CHECK(screen.omitted_rows == static_cast<std::uint64_t>(first - 10));
    if (first > 10) {
      CHECK(test::any_note(screen.notes, std::to_string(first - 10) +
                                             " rows above did not fit: call read_screen with skip_rows " +
                                             std::to_string(20 - first) + " for them"));
    } else {
      CHECK(screen.notes.empty());
    }
  }
}

TEST_CASE("screen: what a note names is what comes next, with no row twice or left out") {
  Shown shown;
  shown.history = numbered(0, 30);
  shown.rows = numbered(30, 40);
  shown.rows.insert(shown.rows.end(), {"", ""});  // blank rows count where rows are skipped
  std::vector<std::string> seen;
  ReadScreen request;
  request.scrollback_lines = 30;
  request.most_bytes = 60;
  std::string all;
  for (int calls = 0; calls < 50; ++calls) {
    const TabScreen screen = shown.read(request);
    CHECK(json_size(screen.text) <= request.most_bytes);
    all = screen.text + all;
    if (screen.omitted_rows == 0) {
      break;
    }
    const std::string note = screen.notes.back();
    request.skip_rows = std::stoull(note.substr(note.find("skip_rows ") + 10));
  }
  std::string wanted;
  for (const std::string& row : numbered(0, 40)) {
    wanted += row + "\n";
  }
  CHECK(all == wanted);
}

TEST_CASE("screen: a row that is longer than all that is wanted is cut between characters") {
  Shown shown;
  shown.cols = 200;
  shown.rows = {"above", std::string(10, 'x') + "äöü" + std::string(100, 'y')};
  for (const std::uint64_t budget : {13U, 14U, 15U, 16U, 17U, 40U}) {
    CAPTURE(budget);
    ReadScreen request;
    request.most_bytes = budget;
    const TabScreen screen = shown.read(request);
    CHECK(json_size(screen.text) <= budget);
    CHECK(screen.text.starts_with("xxxxxxxxxx"));
    CHECK(screen.text.ends_with("…"));
    CHECK(screen.omitted_rows == 1);
    CHECK(test::any_note(screen.notes, "a row of over " + std::to_string(budget) + " bytes was cut"));
  }
  ReadScreen tiny;
  tiny.most_bytes = 2;
  CHECK(shown.read(tiny).text.empty());
}

TEST_CASE("screen: secrets are masked, also over the end of a full row, and where rows above begin them") {
  Shown shown;
  shown.cols = 20;
  ReadScreen request;
  request.guard = guard_against(kSecret);
  shown.rows = {"key " + kSecret.substr(0, 16), kSecret.substr(16) + "  and more"};
  CHECK(shown.read(request).text.find(kSecret.substr(0, 8)) == std::string::npos);
  CHECK(shown.read(request).text.find("and more") != std::string::npos);
  CHECK(shown.read(request).text.find("«redacted:KEY»") != std::string::npos);
  // It begins above what is shown.
  shown.history = {"key " + kSecret.substr(0, 16)};
  shown.rows = {kSecret.substr(16) + "  and more"};
  const std::string text = shown.read(request).text;
  CHECK(text.find(kSecret.substr(16)) == std::string::npos);
  CHECK(text.find("and more") != std::string::npos);
}

TEST_CASE(
    "screen: of a private key no part is seen, whichever of its rows is the first that is shown, or the "
    "last") {
  const test::CutSecrets secrets;
  Shown shown;
  shown.cols = 120;
  shown.history = {"above", "-----BEGIN RSA PRIVATE KEY-----"};
  shown.history.insert(shown.history.end(), secrets.key_lines.begin(), secrets.key_lines.end());
  shown.history.emplace_back("-----END RSA PRIVATE KEY-----");
  shown.rows = {"below"};
  for (std::uint64_t scrollback = 0; scrollback <= 16; ++scrollback) {
    for (std::uint64_t skip = 0; skip <= 16; skip += 4) {
      ReadScreen request;
      request.guard = secrets.guard();
      request.scrollback_lines = scrollback;
      request.skip_rows = skip;
      CHECK(secrets.leak(shown.read(request).text).empty());
    }
  }
}

TEST_CASE("screen: each mask is counted once, however often the rows were looked at to see what fits") {
  Shown shown;
  shown.cols = 60;
  shown.rows = {kSecret, "x", kSecret, "y", "z"};
  ReadScreen request;
  request.guard = guard_against(kSecret);
  request.most_bytes = 26;
  const TabScreen screen = shown.read(request);
  CHECK(screen.omitted_rows == 2);
  auto other = guard_against(kSecret);
  static_cast<void>(other->masked(kSecret));
  CHECK(screen.masked == other->counts());
}

TEST_CASE("screen: what is no UTF-8, and controls in a title, do a reader no harm") {
  Shown shown;
  shown.rows = {"a\xff\xfe b", "\xc3\xa4"};
  shown.title = "t\x1b]0;x\x07 \xff";
  const TabScreen screen = shown.read();
  CHECK(screen.text == "a\xef\xbf\xbd\xef\xbf\xbd b\nä\n");
  CHECK(screen.title == "t ]0;x  \xef\xbf\xbd");
  shown.title = "key " + kSecret;
  ReadScreen request;
  request.guard = guard_against(kSecret);
  CHECK(shown.read(request).title == "key «redacted:KEY»");
  shown.title = std::string(10'000, 't');
  CHECK(shown.read().title.size() <= 4'096 + std::string_view("…").size());
  shown.title = "";
  CHECK(shown.read().title.empty());
}

TEST_CASE("screen: an answer that was cut short is a screen all the same") {
  for (const char* answer :
       {"", "\n", "40", "40 120 1", "nonsense\nx", "2 10 0 0 0 999999999999999999999 \nrow"}) {
    CAPTURE(answer);
    const TabScreen screen = read_screen_answer(answer, {});
    CHECK(screen.text.size() < 10);
  }
}

TEST_CASE("text worker: a long screen is made on the thread, and says what is masked in it") {
  boost::asio::io_context io(1);
  TextWorker worker;
  Shown shown;
  shown.cols = 120;
  shown.rows = std::vector<std::string>(1'000, std::string(60, 'x'));
  shown.rows.back() = kSecret;
  ReadScreen request;
  request.guard = guard_against(kSecret);
  const auto made =
      test::run(io, worker.screen(shown.answer(), request, Clock::now() + Milliseconds(20'000)));
  REQUIRE(made);
  CHECK(made->text == shown.read(request).text);
  auto once = guard_against(kSecret);
  static_cast<void>(once->masked(kSecret));
  CHECK(made->masked == once->counts());
}

}  // namespace terminally
