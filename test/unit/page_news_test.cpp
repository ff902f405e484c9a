// What pages are told of tabs and commands: TabBoard and News over logs and records on disk.
#include "page/news.hpp"

#include <doctest/doctest.h>

#include <string>

#include "page/page_request.hpp"
#include "page/page_search.hpp"
#include "page/wire.hpp"
#include "record/records.hpp"
#include "temp_files.hpp"

using namespace terminally;
using nlohmann::json;
using test::append_to;
using test::TempDir;

namespace {

struct Board {
  TempDir directory;
  TabBoard board;
  News news{News::Terms{nullptr, 7, "me"}};
  TabInfo info;
  TabFace face;
  std::optional<Hold> hold;

  Board() {
    info.window_id = WindowId{3};
    info.name = "build";
    info.log_path = (directory / "pane-@3.log").string();
    face.cols = 80;
    face.rows = 24;
    append_to(info.log_path, "one\r\ntwo\r\nthree");
    look();
  }
  void look() { board.take_open(info, face, hold); }
  void record(const CommandRecord& record) {
    CommandRecords(records_beside(PaneLog(info.log_path))).append(record);
    board.read_records(WindowId{3});
  }
  static CommandRecord command(const std::string& id, CommandState state) {
    CommandRecord record;
    record.id = id;
    record.nonce = id + "000000000000000000000000";
    record.command = "make " + id;
    record.who = "claude-code 2.1";
    record.state = state;
    record.start_byte = 0;
    record.end_byte = state == CommandState::running ? 0 : 15;
    return record;
  }
  /// The messages of this kind among the news.
  std::vector<json> told(const std::string& kind) {
    std::vector<json> all = news.since(board);
    std::erase_if(all, [&kind](const json& message) { return message["t"] != kind; });
    return all;
  }
};

}  // namespace

TEST_CASE("page news: all tabs, and then what changed and nothing else") {
  Board it;
  const json tabs = it.news.all(it.board)["tabs"];
  REQUIRE(tabs.size() == 1);
  CHECK(tabs[0]["id"] == "@3");
  CHECK(tabs[0]["name"] == "build");
  CHECK(tabs[0]["cols"] == 80);
  CHECK(tabs[0]["closed_at"].is_null());
  CHECK(it.news.since(it.board).empty());
  it.look();
  CHECK(it.news.since(it.board).empty());
  it.info.foreground = "vim";
  it.look();
  const auto told = it.told("tab");
  REQUIRE(told.size() == 1);
  CHECK(told[0]["tab"]["foreground"] == "vim");
  CHECK(it.news.since(it.board).empty());
}

TEST_CASE("page news: commands of a watched tab, once for each change") {
  Board it;
  it.record(Board::command("11111111", CommandState::completed));
  [[maybe_unused]] const json all = it.news.all(it.board);
  const std::vector<json> first = it.news.watch(it.board, WindowId{3});
  REQUIRE(first.size() == 2);
  CHECK(first[0]["t"] == "size");
  CHECK(first[1]["commands"][0]["id"] == "11111111");
  CHECK(first[1]["commands"][0]["lines"] == 2);
  CHECK(first[1]["commands"][0]["who"]["name"] == "claude-code");
  CHECK(first[1]["commands"][0]["who"]["version"] == "2.1");
  CHECK(it.told("command").empty());

  it.record(Board::command("22222222", CommandState::running));
  std::vector<json> told = it.told("command");
  REQUIRE(told.size() == 1);
  CHECK(told[0]["command"]["state"] == "running");
  CHECK(told[0]["command"]["end"].is_null());

  it.face.awaiting = AwaitingInput{AwaitingInput::Kind::password, "Password:", 0};
  it.look();
  told = it.told("command");
  REQUIRE(told.size() == 1);
  CHECK(told[0]["command"]["awaiting"]["kind"] == "password");
  CHECK(told[0]["command"]["awaiting"]["prompt"] == "Password:");

  CommandRecord cancelled = Board::command("22222222", CommandState::running);
  cancelled.reason = Reason::cancelled_by_person;
  it.record(cancelled);
  told = it.told("command");
  REQUIRE(told.size() == 1);
  CHECK(told[0]["command"]["cancel"]["by"] == "person");
  CHECK(told[0]["command"]["cancel"]["step"] == "interrupt");

  it.news.unwatch(WindowId{3});
  it.record(Board::command("22222222", CommandState::completed));
  CHECK(it.told("command").empty());
}

TEST_CASE("page news: a tab that is closed, and what it left running") {
  Board it;
  it.record(Board::command("11111111", CommandState::running));
  [[maybe_unused]] const json all = it.news.all(it.board);
  it.board.close(WindowId{3}, wall_clock_ms());
  const auto told = it.told("tab");
  REQUIRE(told.size() == 1);
  CHECK_FALSE(told[0]["tab"]["closed_at"].is_null());
  CHECK(told[0]["tab"]["keep_until"].get<std::int64_t>() - told[0]["tab"]["closed_at"].get<std::int64_t>() ==
        7 * 86'400'000);
  CHECK(told[0]["tab"]["command"]["state"] == "failed");
  CHECK(told[0]["tab"]["command"]["reason"] == "tab_closed");
}

TEST_CASE("page news: only the newest closed tabs are kept, and the others are told to be gone") {
  Board it;
  for (std::uint32_t i = 10; i < 10 + TabBoard::kMostClosed; ++i) {
    it.board.add_closed(WindowId{i}, it.directory / ("pane-@" + std::to_string(i) + ".log"));
  }
  [[maybe_unused]] const json all = it.news.all(it.board);
  it.board.close(WindowId{3}, wall_clock_ms());
  CHECK(it.told("gone").size() == 1);
  CHECK(it.board.tabs().size() == TabBoard::kMostClosed);
}

TEST_CASE("page news: who has taken a tab over") {
  Board it;
  [[maybe_unused]] const json all = it.news.all(it.board);
  it.hold = Hold{.name = "ana", .session = "me", .until_ms = steady_ms(Clock::now() + Milliseconds(30'000))};
  it.look();
  auto told = it.told("control");
  REQUIRE(told.size() == 1);
  CHECK(told[0]["holder"]["kind"] == "you");
  it.hold->session = "another";
  it.look();
  told = it.told("control");
  REQUIRE(told.size() == 1);
  CHECK(told[0]["holder"]["kind"] == "person");
  CHECK(told[0]["holder"]["name"] == "ana");
  it.hold.reset();
  it.look();
  told = it.told("control");
  REQUIRE(told.size() == 1);
  CHECK(told[0]["holder"].is_null());
}

TEST_CASE("page news: texts are masked for a page that may only look") {
  Board it;
  const auto secrets = std::make_shared<Secrets>(Secrets::Options{});
  REQUIRE(secrets->add("token", "correct-horse-battery"));
  News masked{News::Terms{secrets, 7, "me"}};
  CommandRecord record = Board::command("11111111", CommandState::completed);
  record.command = "login correct-horse-battery";
  it.record(record);
  CHECK(masked.all(it.board).dump().find("correct-horse") == std::string::npos);
  CHECK(masked.watch(it.board, WindowId{3})[1].dump().find("correct-horse") == std::string::npos);
  CHECK(it.news.all(it.board).dump().find("correct-horse") != std::string::npos);
}

TEST_CASE("page: what is no message is refused, and the field that is wrong is named") {
  for (const std::string text : {"", "[]", "{}", "{\"t\":1}", "{\"t\":\"a\"", "null", "\"t\""}) {
    CAPTURE(text);
    CHECK_THROWS_AS(static_cast<void>(PageRequest(text)), Error);
  }
  const PageRequest request(R"({"t":"x","re":[1],"n":-1,"f":"y","o":null})");
  CHECK(request.re().is_null());
  CHECK_FALSE(request.flag("f"));
  CHECK_FALSE(request.has("o"));
  CHECK_THROWS_WITH_AS(static_cast<void>(request.number("n")), doctest::Contains("n: must be"), Error);
  CHECK_THROWS_WITH_AS(static_cast<void>(request.text("gone")), doctest::Contains("gone: is missing"), Error);
}

TEST_CASE("page: marks are counted as scripts in a browser count") {
  CHECK(utf16_units("abc") == 3);
  CHECK(utf16_units("äöü") == 3);
  CHECK(utf16_units("\xF0\x9F\x98\x80!") == 3);
}

TEST_CASE("page news: what a person does at the prompt while they have the tab is told as a block") {
  Board it;
  it.info.log_bytes = 15;
  it.look();
  it.record(Board::command("11111111", CommandState::completed));
  static_cast<void>(it.news.watch(it.board, WindowId{3}));
  const auto prints = [&it](const std::string& text) {
    append_to(it.info.log_path, text);
    it.info.log_bytes += text.size();
    it.look();
  };
  const auto blocks = [&it] {
    std::vector<json> told = it.told("command");
    std::erase_if(told, [](const json& message) { return message["command"]["kind"] != "hand"; });
    return told;
  };
  static_cast<void>(it.news.since(it.board));
  prints("$ ");
  it.hold = Hold{"ann", "page-1", steady_ms(Clock::now() + Milliseconds(30'000))};
  it.look();
  prints("ls");
  CHECK(blocks().empty());  // nothing was entered
  prints("\r\nfile\r\n$ ");
  auto told = blocks();
  REQUIRE(told.size() == 1);
  CHECK(told[0]["command"]["start"] == 17);
  CHECK(told[0]["command"]["end"].is_null());
  CHECK(told[0]["command"]["who"] == json{{"name", "ann"}, {"version", nullptr}, {"person", true}});
  it.hold->until_ms += 1'000;  // a key prolongs it
  prints("pwd\r\n/\r\n$ ");
  CHECK(blocks().empty());

  SUBCASE("until it is given back") {
    it.hold.reset();
  }
  SUBCASE("until another page takes it") {
    it.hold->session = "page-2";
  }
  SUBCASE("until a command runs") {
    CommandRecord command = Board::command("22222222", CommandState::running);
    command.start_byte = it.info.log_bytes;
    it.record(command);
  }
  const std::uint64_t end = it.info.log_bytes;
  it.look();
  told = blocks();
  REQUIRE(told.size() == 1);
  CHECK(told[0]["command"]["state"] == "completed");
  CHECK(told[0]["command"]["end"] == end - 2);  // without the prompt
  CHECK(told[0]["command"]["lines"] == 4);
  prints("more\r\n");
  CHECK(blocks().size() == (it.hold && it.hold->session == "page-2" ? 1 : 0));

  News other{News::Terms{nullptr, 7, "other"}};
  const json commands = other.watch(it.board, WindowId{3})[1]["commands"];
  CHECK(commands[0]["id"] == "11111111");
  CHECK(commands[1]["kind"] == "hand");
}

TEST_CASE("page news: of a tab that is seen first when a person has it, what was before is none of theirs") {
  Board it;
  it.hold = Hold{"ann", "page-1", steady_ms(Clock::now() + Milliseconds(30'000))};
  it.info.window_id = WindowId{4};
  it.info.log_bytes = 15;
  it.look();
  CHECK(it.board.tab(WindowId{4}).by_hand.empty());
}

TEST_CASE("page news: a command that was not run after all goes again") {
  Board it;
  it.record(Board::command("11111111", CommandState::completed));
  CommandRecord command = Board::command("22222222", CommandState::running);
  it.record(command);
  static_cast<void>(it.news.watch(it.board, WindowId{3}));
  static_cast<void>(it.news.since(it.board));
  command.withdrawn = true;
  it.record(command);
  const std::vector<json> told = it.told("withdrawn");
  REQUIRE(told.size() == 1);
  CHECK(told[0]["tab"] == "@3");
  CHECK(told[0]["command"] == "22222222");
  CHECK(it.news.all(it.board)["tabs"][0]["command"]["id"] == "11111111");
  for (int i = 0; i < 20; ++i) {  // older ones are not withdrawn
    it.record(Board::command(std::to_string(30'000'000 + i), CommandState::completed));
  }
  CHECK(it.told("withdrawn").empty());
}
