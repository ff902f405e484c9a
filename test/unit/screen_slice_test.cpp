// What is rendered from the middle, what was cleared, and which letters are lines: against expectations, and
// against what tmux showed of real programs (test/recordings).
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/digests.hpp"
#include "log/log_text.hpp"
#include "places.hpp"
#include "temp_files.hpp"
#include "text/ansi.hpp"
#include "text/character_sets.hpp"
#include "text/drawn_steps.hpp"
#include "text/render.hpp"
#include "text/screen.hpp"

using namespace terminally;

namespace {

std::string slice(const std::string& before, const std::string& bytes) {
  return render_slice(before + bytes, before.size(), 80).text;
}

std::uint64_t cleared(const std::string& before, const std::string& bytes) {
  return render_slice(before + bytes, before.size(), 80).cleared_lines;
}

std::string plain(std::string_view bytes) {
  CharacterSets sets;
  return strip_ansi(bytes, sets);
}

std::string unpacked(const std::filesystem::path& file) {
  const std::string command = "gzip -dc '" + file.native() + "'";
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 65536> part{};
  for (std::size_t bytes = 0; (bytes = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    text.append(part.data(), bytes);
  }
  CHECK(::pclose(pipe) == 0);
  return text;
}

/// tmux's rows as `render` shows them: letters between SO and SI as lines, no blanks at the ends.
std::string without_blank_ends(const std::string& rows) {
  CharacterSets sets;
  sets.escape(')', '0');
  const std::string shown = strip_ansi(rows, sets);
  std::string text;
  std::string_view rest = shown;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view row = rest.substr(0, end);
    text.append(row.substr(0, row.find_last_not_of(' ') + 1)) += '\n';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

/// A line that a terminal wraps comes back whole, with the blanks at its end.
std::string without_space(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  return text;
}

constexpr std::string_view kEnters = "\x1b[?1049h";
constexpr std::string_view kLeaves = "\x1b[?1049l";

bool on_alternate_screen(std::string_view log) {
  const std::size_t on = log.rfind(kEnters);
  const std::size_t off = log.rfind(kLeaves);
  return on != std::string_view::npos && (off == std::string_view::npos || off < on);
}

/// Whether the alternate screen is left while it is not on: tmux then puts the cursor where it once was.
bool leaves_twice(std::string_view log) {
  for (std::size_t at = log.find(kLeaves); at != std::string_view::npos; at = log.find(kLeaves, at + 1)) {
    if (!on_alternate_screen(log.substr(0, at))) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("S5: character sets hold over lines in every view, and letters of the line drawing set are lines") {
  for (const auto& [bytes, shown] : std::vector<std::pair<std::string, std::string>>{
           {"\x1b(0lqk\x1b(B\r\n", "┌─┐\n"},
           {"\x1b(0lqk\r\nx x\r\nmqj\x1b(B x\r\n", "┌─┐\n│ │\n└─┘ x\n"},
           {"\x1b)0\x0elqk\x0f lqk\r\n", "┌─┐ lqk\n"},
           {"\x1b)0a\r\n\x0e"
            "a\r\n\x0f"
            "a\r\n",
            "a\n▒\na\n"},
           {"\x0elqk\x0f\r\n", "lqk\n"},  // G1 is ASCII until it is chosen
           {"\x1b(0q\x1b"
            "7\x1b(Bq\x1b"
            "8q\r\n",
            ""},                                    // ESC 8 moves: see below
           {"\x1b(0q\x1b(Aq\x1b(Bq\r\n", "──q\n"},  // tmux knows no other set
           {"\x1b(0é ~+,-.0_\x1b(B\r\n", "é ·→←↑↓▮_\n"},
           {"\x1b[31m\x1b(0x\x1b[m\x1b(B|\x1b(0tqu\x1b(B\r\n", "│|├─┤\n"}}) {
    CAPTURE(bytes);
    if (!shown.empty()) {
      CHECK(plain(bytes) == shown);
      CHECK(render(bytes, 80) == shown);
      CHECK(render(bytes + "\x1b[10;1H\x1b[K", 80).starts_with(shown));  // by the emulator
      std::string steps;
      DrawnSteps drawn;
      drawn.feed(bytes, steps);
      drawn.finish(steps);
      CHECK(steps == shown);
    }
    for (std::size_t at = 0; at <= bytes.size(); ++at) {  // in two pieces
      CharacterSets sets;
      if (safe_cut(bytes.substr(0, at), false) == at) {
        const std::string first = strip_ansi(bytes.substr(0, at), sets);
        CHECK(first + strip_ansi(bytes.substr(at), sets) == plain(bytes));
      }
    }
  }
  CHECK(render("\x1b(0q\x1b"
               "7\x1b(Bq\x1b"
               "8x\r\n",
               80) == "─│\n");  // the sets are saved with the cursor
  CHECK(render("\x1b(0q\x1b"
               "cq\r\n",
               80) == "q\n");
  CHECK(render("\x1b(0x\rq\r\n", 80) == "─\n");  // within a line
  CHECK(render("\x1b(0lqk\r\nx\x1b[Aq\r\n", 80) == "┌─┐\n│");
}

TEST_CASE("S6: a slice goes on where the cursor stood") {
  for (const auto& [before, bytes, shown] : std::vector<std::array<std::string, 3>>{
           {"$ ", "ls\r\na\r\n", "ls\na\n"},
           {"", "a\r\n", "a\n"},
           {"$ ", "", ""},
           {"one\r\n", "two\r\n", "two\n"},
           {"50%", "\r60%", "60%"},
           {"$ ", "e\bec\b\bech\b\b\becho a\r\na\r\n", "echo a\na\n"},     // zsh
           {"> ", "\r\x1b[2C\x1b[Kselect 1;\r\n1\r\n", "select 1;\n1\n"},  // readline
           {"Downloading 1", "\rok", "okwnloading 1"},
           {"a\r\nb\r\n", "\x1b[2AX\x1b[2B\r", "X\nb\n"},  // further up: from that row on
           {"a\r\nb\r\n$ ", "\x1b[1mx\x1b[m\x1b[K", "x"},
           {"a\r\nb\r\n$ ", "x\x1b[A\x1b[B\r\ny\r\n", "x\ny\n"},
           {"old\r\n$ vim\r\n\x1b[?1049h\x1b[H\x1b[2J~\x1b[40;1H:q", "\r\x1b[?1049l$ ", "$"},
           {"old\r\n$ less\r\n\x1b[?1049h\r1\r\n2\r\n:", "\r\x1b[K\x1b[?1049l\r\n$ ", "\n$ "},
           {"\x1b[?1049h\x1b[H\x1b[2Jtop\x1b[2;1Hrow", "\x1b[1;1HT\x1b[10;1H", "Top\nrow"},
           {"x\r\n\x1b[?1049h\x1b[Hab", "\x1b[?1049ly\r\n\x1b[?1049h\x1b[2Jc", "y\n\n\nc"},
           {"\x1b[?1049h\x1b[2", "Jx", "x"}}) {  // begins within a sequence
    CAPTURE(before);
    CAPTURE(bytes);
    CHECK(slice(before, bytes) == shown);
  }
}

TEST_CASE("S6: in slices of any size a log of lines is the same text") {
  std::string log;
  for (int i = 0; i < 60; ++i) {
    log += "line " + std::to_string(i) + "\t\x1b[3" + std::to_string(i % 8) + "mé漢\x1b[m end  \r\n";
  }
  for (const std::size_t step : {std::size_t{7}, std::size_t{100}, std::size_t{1000}}) {
    std::string text;
    for (std::size_t at = 0; at < log.size();) {
      std::size_t next = std::min(at + step, log.size());
      next = at + safe_cut(log.substr(at, next - at), true);
      text += render_slice(std::string_view(log).substr(0, next), at, 80).text;
      at = next;
    }
    CHECK(text == strip_ansi(log));
  }
}

TEST_CASE("S6: what is far before a slice costs nothing, and what is cut off before it is not told") {
  std::string before;
  while (before.size() < kMaxEmulatedBytes * 2) {
    before += "\x1b[1A\x1b[2Kstep\r\n";
  }
  CHECK(slice(before, "after\r\n") == "after\n");
  CHECK(slice(before, "\x1b[1A\x1b[2Kstep\r\nafter\r\n").ends_with("after\n"));
  CHECK(slice(before, "\x1b[1A\x1b[2Kstep\r\nafter\r\n").find("left out") == std::string::npos);
  CHECK(slice("x\r\n", before).find("left out") != std::string::npos);
}

TEST_CASE("S5, S6: a part of a log is shown as what comes before it on its screen left the terminal") {
  const std::string start = "\x1b]133;C;mcp=START:0123456789abcdef0123456789abcdef\x07";
  const std::string full = "\x1b[?1049h\x1b[H\x1b[2Jtop\x1b[5;1H";
  for (const auto& [before, plain, rendered] : std::vector<std::array<std::string, 3>>{
           {"", "qrow\n", "qrow\n"},
           {"\x1b(0", "─⎼⎺┬\n", "─⎼⎺┬\n"},
           {"\x1b)0\x0eq\r\nq", "─⎼⎺┬\n", "─⎼⎺┬\n"},
           {"\x1b(0" + start, "qrow\n", "qrow\n"},  // a command has a screen of its own
           {full, "qrow\n", "top\n\n\n\nqrow"},
           {full + start, "qrow\n", "qrow\n"},
           {start + full, "qrow\n", "top\n\n\n\nqrow"}}) {
    CAPTURE(before);
    for (const bool far : {false, true}) {
      LogPart part;
      (far ? part.drawn_before : part.before) = before;
      part.bytes = "qrow\r\n";
      if (!far) {
        CHECK(LogText(part, {.strip_ansi = true}, 80).text(0, 6).text == plain);
        CHECK(LogText(part, {.strip_ansi = true}, 80).chunk(1000).text == plain);
      }
      CHECK(LogText(part, {.render = true}, 80).text(0, 6).text == rendered);
    }
  }
}

TEST_CASE("S6: a screen is read as far back as it was drawn, where a part is to be rendered") {
  const test::TempDir directory;
  const auto path = directory.path() / "log";
  std::string text = "\x1b[?1049h\x1b[H\x1b[2Jtop";
  while (text.size() < 100'000) {
    text += "\x1b[2;1Hrow " + std::to_string(text.size()) + "\x1b[K";
  }
  std::ofstream(path, std::ios::binary) << text;
  const PaneLog log(path);
  const LogRange range{text.size() - 20, text.size(), 0, text.size(), false};
  const auto shown = [&](bool draws) {
    LogPart part = log_part(log, text.substr(text.size() - 20), range, draws);
    return LogText(std::move(part), {.render = true}, 80).text(0, 20).text;
  };
  CHECK(shown(true).starts_with("top\nrow "));
  CHECK_FALSE(shown(false).starts_with("top"));
}

TEST_CASE("S10: what was cleared is counted, and only that") {
  for (const auto& [before, bytes, lines] : std::vector<std::tuple<std::string, std::string, std::uint64_t>>{
           {"", "1\r\n2\r\n\x1b[H\x1b[2J\x1b[3J3\r\n", 2},  // clear
           {"",
            "1\r\n\r\n2\r\n\x1b"
            "c3\r\n",
            2},
           {"", "1\r\n\x1b[2J", 1},
           {"", "1\r\n2\r\n\x1b[H\x1b[J3\r\n", 2},
           {"", "\x1b[H\x1b[2Jx\r\n", 0},
           {"", "1\r\n2\r\n\x1b[1A\x1b[J", 0},  // drawn over, as a progress display
           {"", "1\r\n\x1b[H\x1b[2J2\r\n\x1b[H\x1b[2J", 2},
           {"", "\x1b[?1049h1\r\n\x1b[H\x1b[2J\x1b[?1049l", 0},
           {"1\r\n2\r\n$ ", "clear\r\n\x1b[H\x1b[2J\x1b[3J$ ", 1},  // its own line
           {"1\r\n2\r\n", "\x1b[H\x1b[2J", 0}}) {
    CAPTURE(bytes);
    CHECK(cleared(before, bytes) == lines);
  }
  CHECK(slice("1\r\n2\r\n$ ", "clear\r\n\x1b[H\x1b[2J\x1b[3J$ ") == "$");
}

TEST_CASE("S5, S6: recorded programs, looked at from any offset, are what tmux showed") {
  std::size_t compared = 0;
  std::mt19937 random(26);
  for (const auto& entry : std::filesystem::directory_iterator(test::kRecordings)) {
    if (entry.path().extension() != ".gz") {
      continue;
    }
    CAPTURE(entry.path().filename().native());
    const auto recording = nlohmann::json::parse(unpacked(entry.path()));
    const std::string log = decode_base64(recording.at("log").get<std::string>()).value();
    const int cols = recording.at("cols").get<int>();
    for (const auto& capture : recording.at("captures")) {
      const std::string printed = log.substr(0, capture.at(0).get<std::size_t>());
      CAPTURE(printed.size());
      const bool alternate = capture.at(1).get<bool>();
      const std::string screen = without_blank_ends(capture.at(2).get<std::string>());
      if (!alternate) {
        const std::string text = render(printed, cols);
        const std::string seen = without_space(text.substr(0, text.find(Screen::kLastScreen)));
        CHECK((leaves_twice(printed) || seen.ends_with(without_space(screen))));
        ++compared;
      }
      for (int times = 0; times < 4 && alternate; ++times) {
        const std::size_t from = random() % printed.size();
        CAPTURE(from);
        const std::string text = render_slice(printed, from, cols).text;
        const bool all_on_it = on_alternate_screen(printed.substr(0, from)) &&
                               printed.find(kLeaves, from - kLeaves.size()) == std::string::npos;
        CHECK((all_on_it ? text == screen : text.ends_with(screen)));
        ++compared;
      }
    }
  }
  CHECK(compared > 200);
}
