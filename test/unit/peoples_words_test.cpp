// in_peoples_words: what a message for agents is on a person's terminal.
#include "terminal/peoples_words.hpp"

#include <doctest/doctest.h>

namespace terminally {
namespace {

TEST_CASE("people's words: a call is a command line, with what it needs") {
  CHECK(in_peoples_words(R"(to wait: wait_for {"window_id": "@3", "until": "exit"}; else none)") ==
        "to wait: `terminally-mcp wait @3`; else none");
  CHECK(in_peoples_words(R"(send_text {"window_id": "@3", "text": "…"})") == "`terminally-mcp send @3 TEXT`");
  CHECK(in_peoples_words(R"(send_keys {"window_id": "@3", "keys": ["…"]})") ==
        "`terminally-mcp send @3 --keys KEY`");
  CHECK(in_peoples_words(R"(stream_logs_from_tab {"window_id": "@3", "from_byte": 205})") ==
        "`terminally-mcp tail @3 --from-byte 205`");
}

TEST_CASE("people's words: a tool that is only named") {
  CHECK(in_peoples_words("look at it with read_screen, C-c by send_keys.") ==
        "look at it with `terminally-mcp attach`, C-c by `terminally-mcp send --keys`.");
  CHECK(in_peoples_words("window_id: there is no tab @9; list_tabs names those") ==
        "there is no tab @9; `terminally-mcp ls` names those");
  CHECK(in_peoples_words("run one with execute_command or start_process") ==
        "run one with `terminally-mcp exec`");
  CHECK(in_peoples_words("with more timeout_ms") == "with more --timeout-ms");
}

TEST_CASE("people's words: what is somebody's own text stays") {
  for (const char* text : {"python wait_for.py", "./send_text", "my_send_text", "send_text_2",
                           R"(at "wait_for {" and "list_tabs")", "", "\"", "one \"unclosed wait_for"}) {
    CHECK(in_peoples_words(text) == text);
  }
}

}  // namespace
}  // namespace terminally
