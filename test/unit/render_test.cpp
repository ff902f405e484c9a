#include "text/render.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/conventions.hpp"
#include "base/utf8.hpp"
#include "text/ansi.hpp"
#include "text/screen.hpp"

using namespace terminally;

namespace {

std::string repeat(std::string_view text, std::size_t times) {
  std::string all;
  while (times-- > 0) {
    all += text;
  }
  return all;
}

/// Lines "1\r\n" to "n\r\n", as a pty logs them.
std::string numbered(int from, int to, std::string_view end = "\r\n") {
  std::string lines;
  for (int i = from; i <= to; ++i) {
    lines += std::to_string(i);
    lines += end;
  }
  return lines;
}

struct RenderCase {
  std::string bytes;
  std::string seen;
};

void check_all(const std::vector<RenderCase>& cases) {
  for (const RenderCase& c : cases) {
    CAPTURE(c.bytes);
    CHECK(render(c.bytes, 80) == c.seen);
  }
}

}  // namespace

TEST_CASE("render: lines without cursor movement come back as by strip, whatever their length") {
  const std::string line = repeat("\x1b[32mok\x1b[0m \t\xE2\x9C\x93 ", 500);
  const std::string log = "$ build\r\n" + line + "  \r\n\r\nlast\r";
  CHECK(render(log, 80) == strip_ansi(log));
  CHECK(render("", 80).empty());
  CHECK(render("\r\n", 80) == "\n");
  CHECK(render("a\r\r\n", 80) == "a\n");
  CHECK(render("bad \xFF\xC3\r\n", 80) == "bad \xEF\xBF\xBD\xEF\xBF\xBD\n");
  CHECK(render("\x1b]0;title\x07\x1b[?2004h\x1b[?25l\x1b[6n\x1b[>4;1m\x1b[?u$ ls\r\n", 80) == "$ ls\n");
}

TEST_CASE("render: a line that is drawn within itself comes back as it was last") {
  check_all({
      {"10%\r20%\r100%\r\n", "100%\n"},
      {"10%\r20%\r30%", "30%"},
      {"\x1b[2K\rdone\r\n", "done\n"},
      {"downloading\rdone\r\n", "doneloading\n"},  // what is not written over stays
      {"downloading\rdone\x1b[K\r\n", "done\n"},
      {"downloading\r\x1b[Kdone\r\n", "done\n"},
      {"abc\x1b[1K\r\n", "\n"},
      {"abcdef\x1b[3D\x1b[1K!\r\n", "   !ef\n"},
      {"abcdef\x1b[5K\r\n", "abcdef\n"},
      {"abcdef\x1b[3GX\x1b[2CY\r\n", "abXdeY\n"},
      {"abc\b\b\x1b[K!\r\n", "a!\n"},
      {"N\bNA\bAM\bME\bE\r\n", "NAME\n"},
      {"a\tb\rc\r\n", "c       b\n"},
      {"text   \r\x1b[K   \r\n", "\n"},
      {"\x1b[0mprompt$ \x1b[Jls\r\n", "prompt$ ls\n"},
      {"%                                   \r \r\r\x1b[0m\x1b[27m\x1b[24m\x1b[Jhost# \x1b[K", "host#"},
      {"one\rtwo\nthree\rfour\n", "two\nfoure\n"},  // newlines alone, as in a text that was saved
  });
}

TEST_CASE("R25: wide and combining characters keep their columns") {
  const std::string han = "\xE6\xBC\xA2";  // two columns
  const std::string acute = "\xCC\x81";    // none
  check_all({
      {han + han + "\rab\r\n", "ab" + han + "\n"},
      {han + han + "\ra\r\n", "a " + han + "\n"},
      {"a" + han + "b\rxy\r\n", "xy b\n"},
      {"ab\r" + han + "\r\n", han + "\n"},
      {"e" + acute + "x\re" + acute + acute + "\r\n", "e" + acute + acute + "x\n"},
      {"e" + acute + "x\rab\r\n", "ab\n"},
      {han + acute + "\b\bz\r\n", "z\n"},
      {acute + "a\rb\r\n", "b\n"},
      {han + "\b\x1b[K\r\n", "\n"},
      {"\xF0\x9F\x98\x80!\r\xF0\x9F\x98\x80?\r\n", "\xF0\x9F\x98\x80?\n"},
      // the same through the emulator
      {"x\r\n\x1b[A" + han + "e" + acute + "\x1b[1B\r\n", han + "e" + acute + "\n\n"},
  });
}

TEST_CASE("render: progress of well-known programs ends as one line each") {
  std::string git = "Cloning into 'project'...\r\nremote: Enumerating objects: 65, done.        \r\n";
  for (int i = 0; i <= 100; ++i) {
    git += "Receiving objects: " +
           repeat(" ", i < 10    ? 2
                       : i < 100 ? 1
                                 : 0) +
           std::to_string(i) + "% (" + std::to_string(i) + "/100)\r";
  }
  git += "Receiving objects: 100% (100/100), 25.80 KiB | 3.68 MiB/s, done.\r\n";
  CHECK(render(git, 120) ==
        "Cloning into 'project'...\nremote: Enumerating objects: 65, done.        \n"
        "Receiving objects: 100% (100/100), 25.80 KiB | 3.68 MiB/s, done.\n");

  std::string npm;
  for (const char* frame : {"\xE2\xA0\x99", "\xE2\xA0\xB9", "\xE2\xA0\xB8", "\xE2\xA0\xBC"}) {
    npm += std::string("\x1b[1G\x1b[0K") + frame;
  }
  npm += "\x1b[1G\x1b[0K\r\nadded 57 packages in 2s\r\n\x1b[1G\x1b[0K\xE2\xA0\x99\x1b[1G\x1b[0K";
  CHECK(render(npm, 120) == "\nadded 57 packages in 2s\n");

  std::string pip = "Collecting requests\r\n  Downloading requests.whl (64 kB)\r\n\x1b[?25l";
  for (int i = 1; i <= 40; ++i) {
    pip += "\r\x1b[2K     \x1b[38;5;197m" + repeat("\xE2\x94\x81", static_cast<std::size_t>(i)) + "\x1b[0m " +
           std::to_string(i) + "/40 kB";
  }
  pip += "\r\n\x1b[?25hInstalled\r\n";
  CHECK(render(pip, 120) == "Collecting requests\n  Downloading requests.whl (64 kB)\n     " +
                                repeat("\xE2\x94\x81", 40) + " 40/40 kB\nInstalled\n");

  std::string cargo = "\x1b[1m\x1b[32m   Compiling\x1b[0m serde v1.0\r\n";
  for (int i = 1; i < 30; ++i) {
    cargo += "\x1b[1m\x1b[36m    Building\x1b[0m [=====>   ] " + std::to_string(i) + "/30: serde\r";
    cargo += i == 15 ? "\x1b[K\x1b[1m\x1b[32m   Compiling\x1b[0m json v1.0\r\n" : "";
  }
  cargo += "\x1b[K\x1b[1m\x1b[32m    Finished\x1b[0m dev in 1.5s\r\n";
  CHECK(render(cargo, 120) == "   Compiling serde v1.0\n   Compiling json v1.0\n    Finished dev in 1.5s\n");
}

TEST_CASE("render: ten thousand updates are one line") {
  std::string log = "start\r\n";
  for (int i = 1; i <= 10'000; ++i) {
    log += "\r" + std::to_string(i) + "/10000 |" + repeat("\xE2\x96\x88", static_cast<std::size_t>(i / 250)) +
           "\x1b[K";
  }
  CHECK(render(log + "\r\nend\r\n", 120) == "start\n10000/10000 |" + repeat("\xE2\x96\x88", 40) + "\nend\n");
}

TEST_CASE("render: docker's layers, drawn over several lines, come back once each") {
  std::string log = "Using default tag: latest\r\none: Waiting\r\ntwo: Waiting\r\nthree: Waiting\r\n";
  for (int i = 0; i <= 300; ++i) {
    const int layer = i % 3;
    const std::string up = std::to_string(3 - layer);
    log += "\x1b[" + up + "A\r\x1b[2K" +
           std::vector{"one", "two", "three"}.at(static_cast<std::size_t>(layer)) + ": " +
           (i < 298 ? std::to_string(i / 3) + "%" : "Pull complete") + "\x1b[" + up + "B\r";
  }
  CHECK(render(log + "Status: Downloaded\r\n", 120) ==
        "Using default tag: latest\none: Pull complete\ntwo: Pull complete\nthree: Pull complete\nStatus: "
        "Downloaded\n");
}

TEST_CASE("render: apt's bar at the bottom leaves its text lines") {
  std::string log =
      "Reading package lists...\r\n\r\n\x1b"
      "7\x1b[0;39r\x1b"
      "8\x1b[1A";
  for (int i = 1; i <= 60; ++i) {
    log +=
        "\x1b"
        "7\x1b[40;0f\x1b[42m\x1b[30mProgress: [" +
        std::to_string(i) +
        "%]\x1b[49m\x1b[39m [###...] \x1b"
        "8";
    log += "Unpacking package-" + std::to_string(i) + " ...\r\n";
  }
  log +=
      "\r\n\x1b"
      "7\x1b[0;40r\x1b"
      "8\x1b[1A\x1b[J";
  std::string seen = "Reading package lists...\n";
  for (int i = 1; i <= 60; ++i) {
    seen += "Unpacking package-" + std::to_string(i) + " ...\n";
  }
  CHECK(render(log, 120) == seen);
}

TEST_CASE("S10: a full-screen program leaves its last screen when it ends") {
  const std::string vim =
      "\x1b[?1049h\x1b[?1h\x1b=\x1b[?2004h\x1b[1;40r\x1b[27m\x1b[24m\x1b[0m\x1b[H\x1b[J\x1b[?25l\x1b[40;"
      "1H\"x.txt\" [New File]"
      "\x1b[2;1H\x1b[94m~" +
      repeat(" ", 119) +
      "\x1b[3;1H~\x1b[1;1H\x1b[?25hhello\x1b[40;1H:q!\r\x1b[?2004l\x1b[?1l\x1b>\x1b[?1049l";
  const std::string less = "\x1b[?1049h\x1b[?1h\x1b=\r" + numbered(1, 39) +
                           "\x1b[7mseq.txt\x1b[27m\x1b[K\r\x1b[K...skipping...\r\n" + numbered(162, 200) +
                           "\x1b[7m(END)\x1b[27m\x1b[K\r\x1b[K\x1b[?1l\x1b>\x1b[?1049l";
  const std::string vim_shows = "hello\n~\n~\n" + repeat("\n", 36) + ":q!txt\" [New File]\n";
  const std::string less_shows = numbered(162, 200, "\n");
  for (const auto& [program, shows] :
       std::vector<std::pair<std::string, std::string>>{{vim, vim_shows},
                                                        {vim + less, less_shows},
                                                        {"\x1b[?47h" + vim, vim_shows},
                                                        {less + "\r\n" + vim, vim_shows}}) {
    const std::string between = program.find("\r\n\x1b[?1049h") != std::string::npos ? "\n" : "";
    const std::string seen = between + "after\n" + std::string(Screen::kLastScreen) + "\n" + shows + "then\n";
    CHECK(render("before\r\n" + program + "after\r\nthen\r\n", 120) == "before\n" + seen);
    CHECK(render(numbered(1, 100) + program + "after\r\nthen\r\n", 120) == numbered(1, 100, "\n") + seen);
  }
  // A cursor that the program saves for itself is not the one to come back to.
  CHECK(render("before\r\nab\x1b[?1049h\x1b[5;5H\x1b"
               "7x\x1b"
               "8\x1b[?1049lc\r\n",
               120) == "before\nabc\n" + std::string(Screen::kLastScreen) + "\n    x");
  // Still running: what it shows comes after what it hides.
  CHECK(render("before\r\n\x1b[?1049h\x1b[H\x1b[2Jscreen\x1b[2;1Hsecond", 120) == "before\nscreen\nsecond");
}

TEST_CASE("render: top leaves its last screen") {
  std::string log = "$ top\r\n\x1b[?1h\x1b=\x1b[?25l\x1b[H\x1b[2J";
  for (int i = 1; i <= 5; ++i) {
    log +=
        "\x1b[Htop - up " + std::to_string(i) +
        " min\x1b[m\x1b[K\r\nTasks: 81 total\x1b[K\r\n\x1b[K\r\n  PID USER\x1b[K\r\n    1 root\x1b[K\x1b[J";
  }
  log += "\x1b[?1l\x1b>\x1b[6;1H\x1b[?25h\x1b[K$ \r\n";
  CHECK(render(log, 120) == "top - up 5 min\nTasks: 81 total\n\n  PID USER\n    1 root\n$\n");
}

TEST_CASE("render: clear takes what was on the screen, not what had scrolled off") {
  CHECK(render("secret\r\n\x1b[H\x1b[2J\x1b[3Jnew\r\n", 80) == "new\n");
  CHECK(render("secret\r\n\x1b"
               "cnew\r\n",
               80) == "new\n");
  CHECK(render(numbered(1, 100) + "\x1b[H\x1b[2J\x1b[3Jnew\r\n", 80) == numbered(1, 61, "\n") + "new\n");
}

TEST_CASE("render: lines that a run can reach but does not touch come back unchanged, and in order") {
  const std::string wide = repeat("0123456789", 25);  // four rows of 80 columns
  const std::string tabs = "a\tb  ";
  const std::string log = wide + "\r\n" + tabs + "\r\nold\r\n" + wide +
                          "\r\n\x1b[5A\x1b[2Knew\x1b[5B\rx\r\n" + tabs + "\r\nend\r\n";
  CHECK(render(log, 80) == wide + "\n" + tabs + "\nnew\n" + wide + "\nx\n" + tabs + "\nend\n");
  // A line that was changed comes back as the screen shows it.
  CHECK(render(wide + "\r\n\x1b[1AX\x1b[1B\r", 80) == wide.substr(0, 80) + "\n" + wide.substr(80, 80) + "\n" +
                                                          wide.substr(160, 80) + "\nX" + wide.substr(241) +
                                                          "\n");
  // Far from any run: untouched for sure, whatever came before and after.
  const std::string many = numbered(1, 500);
  CHECK(render(many + "up\r\n\x1b[1Adown\r\n" + many + wide + "\r\n\x1b[1B\x1b[2Ax\r\n", 80)
            .find(numbered(1, 500, "\n") + "down\n" + numbered(1, 400, "\n")) == 0);
}

TEST_CASE("render: text after a run that ended with the cursor up is drawn where it belongs") {
  CHECK(render("1\r\n2\r\n3\r\n4\r\n\x1b[3A\x1b[K", 80) == "1\n\n3\n4");
  CHECK(render("1\r\n2\r\n3\r\n4\r\n\x1b[3Aone\r\ntwo\r\nthree\r\nfour\r\n", 80) ==
        "1\none\ntwo\nthree\nfour\n");
  CHECK(render("1\r\n2\r\n3\r\n\x1b[2A\r\nx\x1b[J\r\ny\r\n", 80) == "1\n2\nx\ny\n");
  CHECK(render("\x1b[10;5Hfar\r\nend\r\n", 80) == repeat("\n", 9) + "    far\nend\n");
  CHECK(render("a\x1b[s bcd\x1b[uX\r\n", 80) == "aXbcd\n");
  CHECK(render("a\x1b"
               "7 bcd\x1b"
               "8X\r\n",
               80) == "aXbcd\n");
  CHECK(render("\x1b(0lqk\x1b(B\r\n", 80) == "\xE2\x94\x8C\xE2\x94\x80\xE2\x94\x90\n");
}

TEST_CASE("render: a progress bar wider than the terminal wraps as it did for a person") {
  CHECK(render(repeat("a", 100) + "\r" + repeat("b", 20) + "\r\n", 80) ==
        repeat("a", 80) + "\n" + repeat("b", 20) + "\n");
  CHECK(render(repeat("a", 80) + "\r" + repeat("b", 80) + "\x1b[K\r\n", 80) == repeat("b", 80) + "\n");
}

TEST_CASE("render: beyond 256 KB of runs the earlier drawing is left out, and the text says so") {
  std::string run;
  while (run.size() < 2 * kMaxEmulatedBytes) {
    run += "\x1b[1A\x1b[2Kstep " + std::to_string(run.size()) + "\r\n";
  }
  const std::string seen = render(numbered(1, 100) + run + "after\r\n", 80);
  CHECK(seen.find(numbered(1, 100, "\n") + "[") == 0);
  const std::size_t note = seen.find('[');
  const std::size_t omitted = std::stoul(seen.substr(note + 1));
  CHECK(omitted > run.size() - kMaxEmulatedBytes - 100);
  CHECK(omitted <= run.size() - kMaxEmulatedBytes / 2);  // what is around a run costs, too
  CHECK(seen.find(" bytes of screen drawing left out]\n", note) != std::string::npos);
  CHECK(seen.ends_with("\nafter\n"));
  CHECK(seen.size() < 1000);

  // A program that had the alternate screen all the while leaves its last screen.
  std::string top = "\x1b[?1049h";
  while (top.size() < 2 * kMaxEmulatedBytes) {
    top += "\x1b[Htop - " + std::to_string(top.size()) + "\x1b[K\r\n\x1b[J";
  }
  const std::string after = render("before\r\n" + top + "\x1b[?1049lafter\r\n", 80);
  CHECK(after.find("before\n[") == 0);
  CHECK(after.find(" left out]\nafter\n" + std::string(Screen::kLastScreen) + "\ntop - ") !=
        std::string::npos);
  CHECK(after.size() < 150);
}

TEST_CASE("render: a character set that nobody knows is passed over") {
  const std::string many(300, ';');  // libvterm 0.1.4 took them for the arguments of a sequence, and kept all
  for (const char* unknown : {"\x1b([", "\x1b)[", "\x1b(P", "\x1b(]"}) {
    CHECK(render("a\rb" + std::string(unknown) + many + "m\n", 400) == "b" + many + "m\n");
  }
}

TEST_CASE("render: hostile bytes leave clean text") {
  static const std::vector<std::string> alphabet = {"a",
                                                    "text ",
                                                    "\r",
                                                    "\n",
                                                    "\r\n",
                                                    "\b",
                                                    "\t",
                                                    "\v",
                                                    "\x0e",
                                                    "\x0f",
                                                    "\x1b",
                                                    "\x1b[",
                                                    "\x1b]",
                                                    "\x07",
                                                    "\xE6\xBC\xA2",
                                                    "\xCC\x81",
                                                    "\xFF",
                                                    "\xC2\x9B",
                                                    "\x1b[A",
                                                    "\x1b[99999999999B",
                                                    "\x1b[3C",
                                                    "\x1b[9D",
                                                    "\x1b[H",
                                                    "\x1b[20;70H",
                                                    "\x1b[K",
                                                    "\x1b[1J",
                                                    "\x1b[2J",
                                                    "\x1b[5L",
                                                    "\x1b[5M",
                                                    "\x1b[7P",
                                                    "\x1b[7@",
                                                    "\x1b[7X",
                                                    "\x1b[3S",
                                                    "\x1b[3T",
                                                    "\x1b[5;10r",
                                                    "\x1b[r",
                                                    "\x1b[?6h",
                                                    "\x1b[?7l",
                                                    "\x1b[4h",
                                                    "\x1b[?1049h",
                                                    "\x1b[?1049l",
                                                    "\x1b[?47h",
                                                    "\x1b[?1047l",
                                                    "\0337",
                                                    "\0338",
                                                    "\033M",
                                                    "\033D",
                                                    "\033E",
                                                    "\033c",
                                                    "\x1b(0",
                                                    "\x1b[;;;;;;;;;;;;;;;;;;;;;;;;;;H",
                                                    "\x1b[Z",
                                                    "\x1b[I",
                                                    "\x1b[0;0f",
                                                    "\x1b[s",
                                                    "\x1b[u"};
  std::mt19937 random(99);  // NOLINT(bugprone-random-generator-seed): the same streams in every run
  for (int i = 0; i < 300; ++i) {
    std::string stream;
    for (std::size_t pieces = random() % 80; pieces > 0; --pieces) {
      stream += alphabet[random() % alphabet.size()];
    }
    CAPTURE(stream);
    const std::string seen = render(stream, static_cast<int>(random() % 100));
    REQUIRE(is_valid_utf8(seen));
    REQUIRE(strip_ansi(seen) == seen);
  }
}

namespace {

std::string repeated_to(std::string_view piece, std::size_t bytes) {
  std::string raw;
  while (raw.size() < bytes) {
    raw += piece;
  }
  return raw;
}

}  // namespace

TEST_CASE("D17: of any drawing what comes last is kept") {
  const std::vector<std::string> pieces = {"\x1b[999S",
                                           "\x1b[S",
                                           "\x1b[T",
                                           "\x1b[2J",
                                           "\x1b[1Jx",
                                           "\x1b[L",
                                           "\x1b[M",
                                           "\x1bM",
                                           "\x1b\x44",
                                           "\x1b\x45",
                                           "\x1b\x63",
                                           "\x1b[?47h\x1b[?47l",
                                           "\x1b[?47;47;47;47h\x1b[?47;47;47;47l",
                                           "\x1b[A\x1b[J",
                                           "\x1b[A\v\v\v\v\v\v",
                                           "\x1b[A\n\n",
                                           "\x1b[A\t\n\t\n",
                                           "\x1b[A" + std::string(41, '\n'),
                                           "\x1b[4h\x1b[Axyz",
                                           "\x1b[1;2r\x1b[2H\v\v\v",
                                           "x\r\x1b[999Cz\n",
                                           "\x1b[1Ka\xCC\x81\xCC\x81",
                                           "\x1b[A\x1b[999@\x1b[999P\x1b[999X\x1b[999Z"};
  for (const std::string& piece : pieces) {
    CAPTURE(piece);
    const std::string text = render(repeated_to(piece, TERMINALLY_SANITIZED != 0 ? 2'048 : 8'192) +
                                        "\x1b[0m\x1b[?47l\x1b[r\x1b[4l\x1b[2J\x1b[Hthe end",
                                    120);
    CHECK(text.ends_with("the end"));
  }
}

TEST_CASE("D17: no more is drawn than the limit, of long runs and of many, and less on a wide screen") {
  const auto left_out = [](const std::string& raw, int cols) {
    const std::string seen = render(raw, cols);
    return seen.starts_with('[') ? std::stoul(seen.substr(1)) : 0;
  };
  const std::string run = repeated_to("\x1b[Ax\n", kMaxEmulatedBytes);
  CHECK(left_out(run, 120) < 10);
  CHECK(left_out(run, 1'000) > run.size() - kMaxEmulatedBytes / 8);
  const std::string lines = repeat("\n", 41);
  const std::string many = render(repeat("x\x1b[A\n" + lines, 600), 120);
  CHECK(many.starts_with("[5 bytes of screen drawing left out]\n"));
  CHECK(many.ends_with("x" + lines));
  const std::string text(kMaxEmulatedBytes, 'a');
  CHECK(render("x\x1b[A\n" + lines + text + "\ny\x1b[A\n", 120).starts_with("[5 bytes"));
  CHECK(render(text + "\ny\x1b[A\n", 120).find("left out") == std::string::npos);
}

TEST_CASE("render: what leaves an alternate screen that is not on changes nothing") {
  const std::string leave = std::string(kLeaveAlternateScreen) + "\033[?25h\033[0m";
  CHECK(render("before\r\n" + leave + "after\r\n", 80) == "before\nafter\n");
  CHECK(render("be" + leave + "fore\r\n", 80) == "before\n");
  CHECK(render("a\r\n\033[?1049h\033[10;10Hdrawn\033[?1049lb\r\nc\r\n" + leave + "d\r\n", 80) ==
        "a\nb\nc\nd\n" + std::string(Screen::kLastScreen) + "\n         drawn");
  CHECK(render("a\r\n\033[?1049h\033[10;10Hdrawn" + leave + "b\r\n", 80) ==
        "a\nb\n" + std::string(Screen::kLastScreen) + "\n         drawn");
}
