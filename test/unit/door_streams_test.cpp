#include "door/event_stream.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace terminally;

namespace {

std::vector<std::string> taken_from(EventStream& stream) {
  std::vector<std::string> texts;
  while (stream.next() != nullptr) {
    texts.push_back(stream.take().text);
  }
  return texts;
}

using Said = std::vector<std::string>;

}  // namespace

TEST_CASE("event stream: ids as text") {
  CHECK(to_string(EventId{12, 3}) == "12-3");
  const auto id = parse_event_id("12-3");
  REQUIRE(id);
  CHECK(id->stream == 12);
  CHECK(id->number == 3);
  for (const char* text : {"", "-", "1", "1-", "-1", "1-2-3", "01-2", "1-+2", "1 -2", "a-1", "1-a", "1-2 ",
                           "18446744073709551616-0"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_event_id(text));
  }
}

TEST_CASE("event stream: what was sent is sent once more to a client that comes back") {
  EventStream stream(1, true);
  for (const char* text : {"a", "b", "c"}) {
    CHECK(stream.notify(text, Delivery::must));
  }
  CHECK(stream.take().number == 1);
  CHECK(stream.take().text == "b");
  stream.go_back_behind(2);
  CHECK(taken_from(stream) == Said{"c"});
  stream.go_back_behind(0);
  CHECK(taken_from(stream) == Said{"a", "b", "c"});
  stream.go_back_behind(1);
  CHECK(stream.sent() == 1);
  CHECK(taken_from(stream) == Said{"b", "c"});
  stream.go_back_behind(99);
  CHECK(taken_from(stream).empty());
  stream.reply({"r"});
  stream.end();
  CHECK_FALSE(stream.is_done());
  CHECK(stream.next()->is_reply);
  CHECK(taken_from(stream) == Said{"r"});
  CHECK(stream.is_done());
  stream.go_back_behind(3);
  CHECK(taken_from(stream) == Said{"r"});
}

TEST_CASE("event stream: one that cannot be resumed keeps nothing") {
  EventStream stream(1, false);
  CHECK(stream.notify("a", Delivery::must));
  CHECK(taken_from(stream) == Said{"a"});
  stream.go_back_behind(0);
  CHECK(taken_from(stream).empty());
}

TEST_CASE("event stream: what is kept is bounded, and the last message is kept all the same") {
  EventStream stream(1, true);
  for (int i = 0; i < 300; ++i) {
    CHECK(stream.notify(std::to_string(i), Delivery::must));
  }
  CHECK(taken_from(stream).size() == 300);
  stream.go_back_behind(0);
  CHECK(taken_from(stream).size() == EventStream::kKeptMessages);
  stream.reply({std::string(4 * EventStream::kKeptBytes, 'x')});
  CHECK(taken_from(stream).size() == 1);
  CHECK(stream.notify("after", Delivery::must));
  CHECK(taken_from(stream) == Said{"after"});
  stream.go_back_behind(0);
  CHECK(taken_from(stream) == Said{"after"});
}

TEST_CASE("event stream: a client that does not read costs so much, and no more") {
  EventStream stream(1, true);
  const std::string text(1'000, 'x');
  std::size_t taken = 0;
  while (stream.notify(text, Delivery::may_drop)) {
    ++taken;
  }
  CHECK(taken == EventStream::kBusyBytes / 1'000 + 1);
  CHECK(stream.notify("must", Delivery::must));
  static_cast<void>(taken_from(stream));
  CHECK(stream.notify(text, Delivery::may_drop));
}

TEST_CASE("event stream: a session's own says nothing twice that waits") {
  EventStream own(0, true);
  for (int i = 0; i < 3; ++i) {
    CHECK(own.notify("a", Delivery::may_drop));
    CHECK(own.notify("b", Delivery::may_drop));
  }
  CHECK(taken_from(own) == Said{"a", "b"});
  CHECK(own.notify("a", Delivery::may_drop));
  CHECK(taken_from(own) == Said{"a"});
}

TEST_CASE("event stream: a later reader takes over") {
  EventStream stream(1, true);
  const auto first = stream.begin_turn();
  CHECK_FALSE(stream.left_at());
  const auto second = stream.begin_turn();
  CHECK(stream.turn() == second);
  stream.end_turn(first);
  CHECK_FALSE(stream.left_at());
  stream.end_turn(second);
  CHECK(stream.left_at());
}

TEST_CASE("event stream: going back again and again forgets nothing, and counts nothing twice") {
  EventStream stream(1, true);
  const std::string half(EventStream::kKeptBytes / 2, 'x');
  CHECK(stream.notify(half, Delivery::must));
  CHECK(stream.notify(half, Delivery::must));
  for (int i = 0; i < 4; ++i) {
    CHECK(taken_from(stream).size() == 2);
    stream.go_back_behind(0);
  }
  CHECK(taken_from(stream).size() == 2);
  CHECK(stream.bytes() == 2 * half.size());
  CHECK(stream.notify("more", Delivery::may_drop));
}

TEST_CASE("event stream: of a session's own, which perhaps nobody reads, all may be dropped") {
  EventStream own(0, true);
  std::size_t taken = 0;
  while (taken < 1'000 && own.notify(std::to_string(taken) + std::string(1'000, 'x'), Delivery::must)) {
    ++taken;
  }
  CHECK(taken < 300);
}

TEST_CASE("event reader: a stream on which nothing is said does not end, and shows that it is there") {
  CHECK(EventReader::kQuietFor == Milliseconds(15'000));  // proxies cut what is silent for a minute
  boost::asio::io_context io;
  const auto stream = std::make_shared<EventStream>(1, false);
  EventReader reader(stream, EventForm(), [] {}, Milliseconds(5));
  CHECK(test::run(io, reader.read()) == ":\n\n");
  CHECK(test::run(io, reader.read()) == ":\n\n");
  CHECK(stream->notify("x", Delivery::must));
  CHECK(test::run(io, reader.read()) == "event: message\ndata: x\n\n");
  stream->end();
  CHECK(test::run(io, reader.read()).empty());
}

TEST_CASE("event reader: one that was taken over takes nothing, and what was not written is not forgotten") {
  boost::asio::io_context io;
  const auto stream = std::make_shared<EventStream>(1, true);
  EventForm form;
  form.ids = true;
  int gone = 0;
  {
    EventReader first(stream, form, [&gone] { ++gone; });
    EventReader second(stream, form, [&gone] { ++gone; });
    for (int i = 0; i < 400; ++i) {
      CHECK(stream->notify("x", Delivery::must));
    }
    CHECK(test::run(io, first.read()).empty());
    const std::string piece = test::run(io, second.read());
    CHECK(piece.find("id: 1-64\n") != std::string::npos);
    CHECK(piece.find("id: 1-65\n") == std::string::npos);
    stream->go_back_behind(0);  // it was never written
    CHECK(test::run(io, second.read()).starts_with("event: message\nid: 1-1\n"));
    stream->end();
  }
  CHECK(gone == 2);
  CHECK(stream->left_at());
}
