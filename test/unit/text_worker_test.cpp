#include "tmux/wire/text_worker.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <string>

#include "manager_scene.hpp"
#include "secrets/secrets.hpp"
#include "secrets/text_guard.hpp"
#include "temp_files.hpp"

namespace terminally {
namespace {

const std::string kValue = "battery-staple-4712";

constexpr std::size_t kShort = 32 * 1024;

Clock::time_point over() {
  return Clock::now() - Milliseconds(1);
}
Clock::time_point later() {
  return Clock::now() + Milliseconds(20'000);
}

std::string lines_of(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    text += "\x1b[1mline\x1b[0m of the log\r\n";
  }
  text.resize(bytes);
  return text;
}

struct Texts {
  boost::asio::io_context io{1};
  test::TempDir directory;
  PaneLog log{directory / "pane-@1.log"};
  TextWorker worker;
  std::shared_ptr<Secrets> secrets = std::make_shared<Secrets>(Secrets::Options{});
  std::shared_ptr<TextGuard> guard;

  Texts() {
    REQUIRE(secrets->add("KEY", kValue));
    guard = std::make_shared<TextGuard>(secrets);
  }
  [[nodiscard]] TextView view(bool strip, bool render, bool masks) const {
    TextView made;
    made.strip_ansi = strip;
    made.render = render;
    made.guard = masks ? guard : nullptr;
    return made;
  }
  std::optional<BoundedText> bounded(std::size_t bytes, const TextView& view, Clock::time_point by) {
    std::filesystem::remove(log.path());
    test::append_to(log.path(), lines_of(bytes));
    return test::run(io, worker.bounded_text(log, {0, bytes, false, 0}, view, 120, 1'000'000, by));
  }
  std::optional<FittingText> fitting(std::string bytes, const TextView& view, Clock::time_point by) {
    LogPart part;
    part.bytes = std::move(bytes);
    return test::run(io, worker.fitting_text(std::move(part), view, 120, Keep::end, 1'000'000, by));
  }
  /// What the thread is busy with for a while.
  test::UnderWay<std::optional<FittingText>> long_work() {
    LogPart part;
    part.bytes = lines_of((TERMINALLY_SANITIZED != 0 ? 32 : 128) * kShort);
    return {io, worker.fitting_text(std::move(part), view(false, true, false), 120, Keep::end, 1'000'000,
                                    later())};
  }
};

}  // namespace

TEST_CASE("text worker: what is short, or only stripped, is made at once, also when the time is over") {
  Texts texts;
  CHECK(texts.bounded(kShort, texts.view(false, true, true), over()));
  CHECK(texts.bounded(8 * kShort, texts.view(true, false, false), over()));
  CHECK(texts.bounded(8 * kShort, texts.view(false, false, false), over()));
  CHECK(texts.fitting(std::string(kShort, 'x'), texts.view(false, true, true), over()));
  CHECK(texts.fitting(std::string(8 * kShort, 'x'), texts.view(true, false, false), over()));
  ReadScreen request;
  request.guard = texts.guard;
  const std::string answer = "2 80 0 0 0 0\n" + std::string(kShort - 13, 'x');
  CHECK(test::run(texts.io, texts.worker.screen(answer, request, over())));
}

TEST_CASE("text worker: what takes long is given up when the time is over") {
  Texts texts;
  auto first = texts.long_work();  // else the thread may have a text made before the time is looked at
  CHECK_FALSE(texts.bounded(kShort + 1, texts.view(false, true, false), over()));
  CHECK_FALSE(texts.bounded(kShort + 1, texts.view(true, false, true), over()));
  CHECK_FALSE(texts.fitting(std::string(kShort + 1, 'x'), texts.view(false, true, false), over()));
  CHECK_FALSE(texts.fitting(std::string(kShort + 1, 'x'), texts.view(false, false, true), over()));
  const std::string answer = "2 80 0 0 0 0\n" + std::string(kShort, 'x');
  CHECK_FALSE(test::run(texts.io, texts.worker.screen(answer, {}, over())));
  REQUIRE_FALSE(first.is_done());
  CHECK(first.result());
}

TEST_CASE("text worker: a text is the same from the thread as at once") {
  Texts texts;
  for (const bool render : {false, true}) {
    CAPTURE(render);
    const TextView view = texts.view(!render, render, true);
    const auto made = texts.bounded(3 * kShort, view, later());
    REQUIRE(made);
    CHECK(made->text == bounded_text(texts.log, {0, 3 * kShort, false, 0}, view, 120, 1'000'000).text);
    CHECK(made->omitted_bytes == 0);
  }
  std::string bytes(3 * kShort, 'x');
  bytes += "\r\x1b[31mred\x1b[0m\r\n";
  LogPart part;
  part.bytes = bytes;
  const TextView view = texts.view(false, true, false);
  const auto made = texts.fitting(bytes, view, later());
  REQUIRE(made);
  CHECK(made->text == fitting_text(part, view, 120, Keep::end, 1'000'000).text);
}

TEST_CASE("text worker: a text says what is masked in it, and nothing counts of one that was given up") {
  Texts texts;
  const std::string bytes = std::string(2 * kShort, 'x') + "\n" + kValue + "\n" + kValue + "\n";
  const TextView view = texts.view(true, false, true);
  auto before = texts.long_work();
  CHECK_FALSE(texts.fitting(bytes, view, over()));
  CHECK(texts.guard->note().empty());
  before.cancel();
  CHECK_THROWS_AS(before.result(), boost::system::system_error);
  const auto made = texts.fitting(bytes, view, later());
  REQUIRE(made);
  CHECK(made->text.find(kValue) == std::string::npos);
  TextGuard twice(texts.secrets);
  static_cast<void>(twice.masked(kValue + "\n" + kValue));
  CHECK(made->masked == twice.counts());
  CHECK(texts.guard->note().empty());
}

TEST_CASE("text worker: who gets no text is told of a call that needs no wait") {
  CHECK(
      not_ready("the text of the output,", WindowId{3}, 77) ==
      "the text of the output, was not ready when the time of this call was over (one thread makes all long "
      "texts, the shortest first); short parts of it need no wait: stream_logs_from_tab {\"window_id\": "
      "\"@3\", "
      "\"from_byte\": 77, \"max_bytes\": 32768}");
}

}  // namespace terminally
