// A log on its way to a page: LogChannel over logs on disk, with the socket of a test.
#include "page/log_channel.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <memory>
#include <string>

#include "event_loop.hpp"
#include "page/starred.hpp"
#include "page_socket.hpp"
#include "pane/log_files.hpp"
#include "secrets_samples.hpp"
#include "temp_files.hpp"

using namespace terminally;
using test::append_to;
using test::comes_true;
using test::PaperSocket;
using test::TempDir;

namespace {

struct ChannelScene {
  boost::asio::io_context io{1};
  TempDir directory;
  std::filesystem::path path = directory / "pane-@1.log";
  LogWatch watch{io.get_executor()};
  PaperSocket socket;
  bool closed = false;
  std::shared_ptr<const Secrets> hidden;
  std::shared_ptr<LogChannel> channel;
  std::optional<Spawned<>> running;

  void begin(std::uint64_t from) {
    LogChannel::Parts parts{socket, 3, PaneLog(path), watch.watch(path), hidden, [this] { return closed; }};
    channel = std::make_shared<LogChannel>(std::move(parts), from);
    running.emplace(io.get_executor(), LogChannel::run(channel));
  }
  [[nodiscard]] std::string bytes() const { return socket.bytes(3); }
  [[nodiscard]] bool comes(const std::string& text) {
    return comes_true(io, [&] { return bytes() == text; });
  }
  ~ChannelScene() {
    if (running) {
      running->cancel();
      comes_true(io, [this] { return running->is_over(); });
    }
  }
};

std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "line " + std::to_string(i) + "\r\n";
  }
  return text;
}

}  // namespace

TEST_CASE("page channel: a log from any byte to its end, and what comes") {
  const std::string text = lines(5);
  for (std::size_t from = 0; from <= text.size(); ++from) {
    CAPTURE(from);
    ChannelScene scene;
    append_to(scene.path, text);
    scene.begin(from);
    CHECK(scene.comes(text.substr(from)));
    CHECK(comes_true(scene.io,
                     [&] { return !scene.socket.got.empty() && scene.socket.got.back().flags == 1; }));
    append_to(scene.path, "more");
    CHECK(scene.comes(text.substr(from) + "more"));
    std::uint64_t at = from;
    for (const auto& frame : scene.socket.got) {
      CHECK(frame.offset == at);
      at += frame.bytes.size();
    }
  }
}

TEST_CASE("page channel: a page that does not acknowledge gets the window and no more") {
  ChannelScene scene;
  const std::string text(Flow::kWindow + 300'000, 'x');
  append_to(scene.path, text);
  scene.begin(0);
  REQUIRE(comes_true(scene.io, [&] { return scene.bytes().size() >= Flow::kWindow; }));
  scene.io.restart();
  scene.io.run_for(std::chrono::milliseconds(20));
  CHECK(scene.bytes().size() == Flow::kWindow);
  scene.channel->acknowledge(100'000);
  REQUIRE(comes_true(scene.io, [&] { return scene.bytes().size() >= Flow::kWindow + 100'000; }));
  CHECK(scene.bytes().size() == Flow::kWindow + 100'000);
  scene.channel->acknowledge(Flow::kWindow + 100'000);
  REQUIRE(scene.comes(text));
}

TEST_CASE("page channel: a page that is far behind skips to a line near the end, once") {
  ChannelScene scene;
  const std::string text = lines(200'000);
  REQUIRE(text.size() > Flow::kFarBehind + Flow::kWindow);
  append_to(scene.path, text);
  scene.begin(10);
  REQUIRE(
      comes_true(scene.io, [&] { return !scene.socket.got.empty() && scene.socket.got.back().flags == 1; }));
  const auto gap = nlohmann::json::parse(scene.socket.got.front().text);
  const auto to = gap["to"].get<std::size_t>();
  CHECK(gap["t"] == "gap");
  CHECK(gap["ch"] == 3);
  CHECK(gap["from"] == 10);
  CHECK(gap["why"] == "skipped");
  CHECK(text.size() - to <= Flow::kAfterSkip);
  CHECK(text[to - 1] == '\n');
  CHECK(scene.bytes() == text.substr(to));
  CHECK(scene.socket.got[1].offset == to);
}

TEST_CASE("page channel: bytes that the log lost are told where they are missing") {
  ChannelScene scene;
  LogFiles files;
  REQUIRE(files.set_path(scene.path.native()));
  REQUIRE(files.open());
  REQUIRE(files.append("before", 6) == 6);
  REQUIRE(files.record_gap(50));
  REQUIRE(files.append("behind", 6) == 6);
  scene.begin(2);
  REQUIRE(comes_true(scene.io, [&] { return scene.bytes() == "forebehind"; }));
  const auto gap = nlohmann::json::parse(scene.socket.got[1].text);
  CHECK(gap["from"] == 6);
  CHECK(gap["to"] == 56);
  CHECK(gap["why"] == "lost");
  CHECK(scene.socket.got[2].offset == 56);
}

TEST_CASE("page channel: the end of a closed tab is told, behind its last bytes") {
  ChannelScene scene;
  append_to(scene.path, "last words");
  scene.closed = true;
  scene.begin(0);
  REQUIRE(comes_true(scene.io, [&] { return scene.running->is_over(); }));
  CHECK(scene.bytes() == "last words");
  CHECK(scene.socket.got.back().flags == 3);
}

TEST_CASE("page channel: it ends with its page") {
  ChannelScene scene;
  append_to(scene.path, "some");
  scene.socket.is_there = false;
  scene.begin(0);
  CHECK(comes_true(scene.io, [&] { return scene.running->is_over(); }));
}

TEST_CASE("page channel: secrets are stars, however the output is cut") {
  const auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("token", "correct-horse-battery"));
  const std::string text = "one\r\nkey=correct-horse-battery; more\r\ntwo\r\n";
  const std::string shown = "one\r\nkey=*********************; more\r\ntwo\r\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    CAPTURE(cut);
    ChannelScene scene;
    scene.hidden = secrets;
    append_to(scene.path, text.substr(0, cut));
    scene.begin(0);
    scene.io.restart();
    scene.io.run_for(std::chrono::milliseconds(3));
    append_to(scene.path, text.substr(cut));
    REQUIRE(scene.comes(shown));
  }
}

TEST_CASE("page channel: where something begins that never becomes a secret, it is held back and then told") {
  const auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("token", "correct-horse-battery"));
  ChannelScene scene;
  scene.hidden = secrets;
  append_to(scene.path, "a correct-ho");
  scene.begin(0);
  CHECK(comes_true(scene.io, [&] { return scene.bytes().size() == 12; }));
  append_to(scene.path, "use\r\n");
  CHECK(comes_true(scene.io, [&] { return scene.bytes().size() == 17; }));
  CHECK(scene.bytes().starts_with("a "));
}

TEST_CASE("page: stars have the size of what they hide, wherever a part begins and ends") {
  const Secrets secrets = [] {
    Secrets made(Secrets::Options{});
    REQUIRE(made.add("token", "correct-horse-battery"));
    return made;
  }();
  TempDir directory;
  const auto path = directory / "pane-@1.log";
  const std::string text = "before\r\nx correct-horse-battery y\r\nbehind\r\n";
  append_to(path, text);
  const PaneLog log(path);
  std::string shown = text;
  shown.replace(shown.find("correct"), 21, std::string(21, '*'));
  for (std::size_t from = 0; from < text.size(); ++from) {
    for (std::size_t to = from + 1; to <= text.size(); ++to) {
      CAPTURE(from);
      CAPTURE(to);
      const StarredPart part = starred(secrets, log, log.read(from, to - from), false);
      REQUIRE(part.bytes == shown.substr(from, to - from));
      REQUIRE(part.settled == to - from);
    }
  }
}
