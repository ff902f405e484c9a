#include "toolkit/progress_stream.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <cmath>
#include <limits>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/event.hpp"
#include "base/timeout.hpp"
#include "cut_secrets.hpp"
#include "event_loop.hpp"
#include "log/log_follower.hpp"
#include "secrets/text_guard.hpp"
#include "temp_files.hpp"

using namespace terminally;
namespace asio = boost::asio;

namespace {

/// A client that takes every step, or refuses them while `slow`.
struct Client {
  std::vector<Progress> steps;
  bool slow = false;

  ReportProgress report() {
    return [this](const Progress& step) {
      if (slow) {
        return step.last_words ? take(step) : Taken::later;
      }
      return take(step);
    };
  }

  Taken take(const Progress& step) {
    REQUIRE((steps.empty() || step.progress > steps.back().progress));
    steps.push_back(step);
    return Taken::yes;
  }

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const Progress& step : steps) {
      all += step.message;
    }
    return all;
  }
};

void finish(asio::io_context& io, ProgressStream& stream, bool goes_on = false) {
  asio::co_spawn(io, stream.finish(goes_on), asio::detached);
  io.restart();
  io.run();
}

/// The messages together are `wanted`, wherever the output is cut.
void check_at_every_split(const std::string& output, const std::string& wanted) {
  for (std::size_t split = 0; split <= output.size(); ++split) {
    asio::io_context io(1);
    Client client;
    ProgressStream stream(io.get_executor(), client.report());
    stream.feed(output.substr(0, split));
    stream.feed(output.substr(split));
    finish(io, stream);
    CHECK(client.text() == wanted);
  }
}

}  // namespace

TEST_CASE("progress: the first output goes at once, the messages are the output (A1, M8)") {
  asio::io_context io(1);
  Client client;
  ProgressStream stream(io.get_executor(), client.report());
  stream.feed("first\r\n");
  REQUIRE(client.steps.size() == 1);
  CHECK(client.steps[0].message == "first\n");
  CHECK(client.steps[0].progress == 7);
  stream.feed("\033[1mbold");
  stream.feed("\033[0m \303");
  stream.feed("\274\n");
  finish(io, stream);
  CHECK(client.text() == "first\nbold \303\274\n");
  CHECK(stream.messages() == client.steps.size());
  CHECK(stream.skipped_bytes() == 0);
}

TEST_CASE("progress: at every split position the messages are the same text (M8)") {
  check_at_every_split("a\033]0;title\033\\b\303\274\033[31mred\033[0m\r\nend", "ab\303\274red\nend");
}

TEST_CASE("progress: at most ten a second (A3)") {
  asio::io_context io(1);
  Client client;
  ProgressStream stream(io.get_executor(), client.report());
  const auto begin = Clock::now();
  std::string fed;
  const auto give_up = begin + std::chrono::seconds(20);
  while (Clock::now() - begin < Milliseconds(450) || (client.steps.size() < 2 && Clock::now() < give_up)) {
    stream.feed("line\n");
    fed += "line\n";
    io.restart();
    io.run_for(Milliseconds(5));
  }
  const auto seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  CHECK(static_cast<double>(client.steps.size()) <= 1 + seconds * 10);
  CHECK(client.steps.size() >= 2);
  finish(io, stream);
  CHECK(client.text() == fed);
}

TEST_CASE("progress: what is too much is skipped and counted, the newest is kept (H2)") {
  asio::io_context io(1);
  Client client;
  ProgressStream stream(io.get_executor(), client.report());
  std::string output;
  for (int i = 0; output.size() < 3'000'000; ++i) {
    output += "line " + std::to_string(i) + " \303\274\n";
  }
  for (std::size_t at = 0; at < output.size(); at += 100'000) {
    stream.feed(std::string_view(output).substr(at, 100'000));
  }
  finish(io, stream);
  const std::string text = client.text();
  // Half a megabyte that waits, and a few steps beside it: more of these where feeding takes long.
  CHECK(text.size() < 2'000'000);
  CHECK(text.ends_with(output.substr(output.size() - 10'000)));
  CHECK(stream.skipped_bytes() > 1'000'000);
  std::size_t said = 0;
  std::size_t lines = 0;
  for (const Progress& step : client.steps) {
    if (step.message.starts_with("[... ")) {
      said += std::stoul(step.message.substr(5));
      lines += step.message.find('\n') + 1;
    }
  }
  CHECK(said == stream.skipped_bytes());
  CHECK(text.size() - lines + said == output.size());
}

TEST_CASE("progress: a client that does not read loses nothing within the bound, and stops nobody (H2)") {
  asio::io_context io(1);
  Client client;
  ProgressStream stream(io.get_executor(), client.report());
  client.slow = true;
  std::string fed;
  while (fed.size() < 300'000) {  // more than one step, and less than may wait
    const std::string line = "line " + std::to_string(fed.size()) + "\n";
    stream.feed(line);
    fed += line;
  }
  client.slow = false;
  finish(io, stream);
  CHECK(client.text() == fed);
}

TEST_CASE(
    "progress: what another stream has told counts as it counts there, and is bounded and masked here") {
  asio::io_context io(1);
  Client client;
  const auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  secrets->add("PASS", "correct-horse");
  ProgressStream stream(io.get_executor(), client.report(), std::make_shared<TextGuard>(secrets));
  const auto tell = [&stream](double progress, const std::string& message) {
    Progress step;
    step.progress = progress;
    step.message = message;
    stream.pass_on(step);
  };
  tell(5'000, "one\n");
  CHECK(client.steps.back().progress == 5'000);
  client.slow = true;
  tell(std::numeric_limits<double>::infinity(), "correct-");
  tell(std::nan(""), "horse\n");
  tell(1e308, "");
  tell(4'000, std::string(600'000, 'x') + "\n");
  client.slow = false;
  finish(io, stream);
  CHECK(client.text().find("correct") == std::string::npos);
  CHECK(client.text().find("horse") == std::string::npos);
  CHECK(client.text().size() < 600'000);
  CHECK(client.text().find("bytes skipped ...]\n") != std::string::npos);
  CHECK(client.steps.back().progress < 6'000);
}

TEST_CASE("progress: binary output is named once and not streamed (M4)") {
  asio::io_context io(1);
  Client client;
  ProgressStream stream(io.get_executor(), client.report());
  stream.feed(std::string("text\n"));
  stream.feed(std::string("ELF\0\1\2", 6));
  stream.feed(std::string(1'000, '\xff'));
  finish(io, stream);
  CHECK(client.text() == "text\n[binary output: not streamed]\n");
}

TEST_CASE("progress: after the end nothing is sent") {
  asio::io_context io(1);
  Client client;
  ProgressStream stream(io.get_executor(), client.report());
  stream.feed("a");
  finish(io, stream);
  const std::size_t steps = client.steps.size();
  stream.feed("b");
  io.restart();
  io.run();
  CHECK(client.steps.size() == steps);
}

TEST_CASE("progress: a total that the output shows (A9)") {
  const auto seen = [](std::string_view text) {
    const auto found = seen_total(text);
    return found ? std::to_string(static_cast<int>(found->done)) + "/" +
                       std::to_string(static_cast<int>(found->total))
                 : "";
  };
  CHECK(seen("[37/120] Building CXX") == "37/120");
  CHECK(seen("\r 45% done") == "45/100");
  CHECK(seen("99.6%") == "99/100");
  CHECK(seen("1/9 then 2/9") == "2/9");
  CHECK(seen("step 3/4.") == "3/4");
  CHECK(seen("(0/7)") == "0/7");
  CHECK(seen("2026/11/21").empty());
  CHECK(seen("/usr/2/3").empty());
  CHECK(seen("9/4").empty());
  CHECK(seen("150%").empty());
  CHECK(seen("v1/2b").empty());
  CHECK(seen("%").empty());
  CHECK(seen("/").empty());
  CHECK(seen("").empty());
  CHECK(seen("1/0").empty());
  CHECK(seen("123456789012/223456789012").empty());
}

TEST_CASE("P10: a client that reads too slowly to the end hears what was left out, with the last words") {
  asio::io_context io(1);
  Client client;
  client.slow = true;
  ProgressStream stream(io.get_executor(), client.report());
  for (int line = 0; line < 20'000; ++line) {
    stream.feed("line " + std::to_string(line) + "\n");
  }
  finish(io, stream);
  REQUIRE(client.steps.size() == 1);
  CHECK(client.steps[0].message.starts_with("[... "));
  CHECK(client.steps[0].message.ends_with("line 19999\n"));
  CHECK(client.steps[0].message.size() < std::size_t{66} * 1024);
  CHECK(stream.skipped_bytes() > 100'000);
}

TEST_CASE("progress: what was held back is among the last words") {
  for (const bool goes_on : {false, true}) {
    asio::io_context io(1);
    Client client;
    const auto guard = std::make_shared<TextGuard>(std::make_shared<Secrets>(Secrets::Options{}));
    ProgressStream stream(io.get_executor(), client.report(), guard);
    stream.feed("it may be ghp_0123");
    CHECK(client.text() == "it may be ");
    finish(io, stream, goes_on);
    CHECK(client.text() == (goes_on ? "it may be «redacted:github»" : "it may be ghp_0123"));
  }
}

TEST_CASE("progress: no part of a secret is shown, wherever what is printed pauses within it (D15)") {
  const test::CutSecrets secrets;
  struct Paused {
    std::string rest;  ///< none: the call ends within the secret
    Client client;
    std::unique_ptr<ProgressStream> stream;
  };
  asio::io_context io(1);
  std::list<Paused> all;
  for (const std::string& secret : secrets.one_line) {
    for (std::size_t split = 6; split < secret.size(); split += 7) {
      for (const std::string& rest : {std::string(), secret.substr(split) + "\r\nend\r\n"}) {
        Paused& one = all.emplace_back(rest);
        one.stream =
            std::make_unique<ProgressStream>(io.get_executor(), one.client.report(), secrets.guard());
        one.stream->feed("sure? ");
        CHECK(one.client.text() == "sure? ");  // a prompt is shown at once
        one.stream->feed(secret.substr(0, split));
      }
    }
  }
  io.run_for(Milliseconds(250));
  for (Paused& one : all) {
    one.stream->feed(one.rest);
    asio::co_spawn(io, one.stream->finish(one.rest.empty()), asio::detached);
  }
  io.restart();
  io.run();
  for (const Paused& one : all) {
    CAPTURE(one.client.text());
    CHECK(secrets.leak(one.client.text()).empty());
    CHECK((one.rest.empty() || one.client.text().ends_with("end\n")));
  }
}

TEST_CASE("progress: what is left out ends at a character, wherever that begins") {
  for (const std::string end : {"", "x"}) {
    asio::io_context io(1);
    Client client;
    ProgressStream stream(io.get_executor(), client.report());
    std::string output;
    while (output.size() < 600'000) {
      output += "\303\274";
    }
    output += end;
    stream.feed(output);
    finish(io, stream);
    const std::string text = client.text();
    const std::size_t notice = text.find('\n') + 1;
    REQUIRE(text.starts_with("[... "));
    CHECK(text.substr(notice, 2) == "\303\274");
    CHECK(text.size() - notice + stream.skipped_bytes() == output.size());
  }
}

TEST_CASE("P5: a stream whose call is over for its client ends at once") {
  asio::io_context io(1);
  ProgressStream stream(io.get_executor(), [](const Progress&) { return Taken::never; });
  stream.feed("text\n");
  const auto begin = Clock::now();
  finish(io, stream);
  CHECK(Clock::now() - begin < Milliseconds(500));
}

TEST_CASE("progress: each step of a bar is a line of its own, at every split position") {
  check_at_every_split(
      "\r\033[K 10%\r 55%\r\033[2K\033[32m100%\033[0m\r\r\nnext\r\n\r\na\033[1Gb\033[5Gc\033[0K\r",
      " 10%\n 55%\n100%\nnext\n\na\nbc");
}

namespace {

/// Nothing changes by itself.
class StillReach : public ReadableRange {
 public:
  explicit StillReach(Part part) : part_(part) {}
  Part now() override { return part_; }
  asio::awaitable<void> changed_by(Clock::time_point when) override {
    [[maybe_unused]] const bool woken = co_await woken_.wait_by(when);
  }
  void wake() override { woken_.notify(); }

 private:
  Part part_;
  Event woken_;
};

}  // namespace

TEST_CASE("progress: what is followed is told to where it is when the answer comes") {
  for (const bool ended : {false, true}) {
    CAPTURE(ended);
    const test::TempDir dir;
    std::string output;
    while (output.size() < 40'000) {
      output += "line " + std::to_string(output.size()) + "\n";
    }
    test::append_to(dir / "pane-@3.log", "typed\n" + output + "prompt");
    asio::io_context io(1);
    Client client;
    ProgressStream stream(io.get_executor(), client.report());
    ReadableRange::Part part{.begin = 6, .end = 6 + output.size(), .last = ended};
    stream.follow({PaneLog(dir / "pane-@3.log"), std::make_unique<StillReach>(part), 0, 1'000});
    finish(io, stream);
    CHECK(client.text() == output);
    CHECK(stream.skipped_bytes() == 0);
    CHECK(client.steps.back().progress == static_cast<double>(output.size()));
  }
}

TEST_CASE("progress: a log that cannot be read holds up no answer") {
  const test::TempDir dir;
  std::filesystem::create_directory(dir / "pane-@3.log");
  asio::io_context io(1);
  Client client;
  ProgressStream stream(io.get_executor(), client.report());
  stream.follow({PaneLog(dir / "pane-@3.log"), std::make_unique<StillReach>(ReadableRange::Part{}), 0});
  const auto begin = Clock::now();
  finish(io, stream);
  CHECK(Clock::now() - begin < Milliseconds(6'000));
}

TEST_CASE("V1, V4 progress: what is awaited is told once, and not behind the answer") {
  asio::io_context io(1);
  Client client;
  ProgressStream stream(io.get_executor(), client.report());
  AwaitingInput input;
  input.prompt = "Password: ";
  stream.awaiting(input);
  CHECK(terminally::test::comes_true(io, [&client] { return client.steps.size() == 1; }));
  stream.feed("more\n");
  CHECK(terminally::test::comes_true(io, [&client] { return client.steps.size() == 2; }));
  stream.awaiting(input);  // within 0.1 s of the last step, so it waits
  finish(io, stream);
  std::size_t told = 0;
  for (const Progress& step : client.steps) {
    told += step.awaiting_input ? 1 : 0;
  }
  CHECK(told == 1);
  CHECK(client.steps.front().awaiting_input);
}
