#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "toolkit/answer_text.hpp"
#include "tools/all_tools.hpp"

using namespace terminally;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

/// The text of an answer of the real tool; both are given as JSON.
std::string said(const std::string& tool, const std::string& answer, const std::string& asked = "{}") {
  const std::vector<Tool> tools = all_tools();
  const auto found = std::ranges::find(tools, tool, &Tool::name);
  REQUIRE(found != tools.end());
  return answer_text(*found, json::parse(asked), ordered_json::parse(answer));
}

/// A command that has ended well, with other fields than that in `rest`.
std::string result(const std::string& output, const std::string& rest = "") {
  ordered_json answer = ordered_json::parse(
      R"({"output":"","exit_code":0,"timed_out":false,"state":"completed","command_id":"1a2b3c4d","start_byte":10,
          "end_byte":20,"output_bytes":10,"omitted_bytes":0,"duration_ms":20,"survivors":[]})");
  answer["output"] = output;
  answer.update(ordered_json::parse("{" + rest + "}"));
  return said("execute_command", answer.dump(), R"({"window_id":"@3"})");
}

}  // namespace

TEST_CASE("answer text: what a command printed stands alone where it went well") {
  CHECK(result("hello\n") == "hello\n");
  CHECK(result("no newline") == "no newline");
  CHECK(result("") == "[exit 0]");
  CHECK(result("hello\n", R"("duration_ms":90000)") == "hello\n");
  CHECK(result(std::string(1'000, 'x')) == std::string(1'000, 'x') + "\n[exit 0]");
}

TEST_CASE("answer text: what is not plain is in the last line, and the notes above it") {
  CHECK(result("bad\n", R"("exit_code":1,"duration_ms":5230)") == "bad\n[exit 1 · 5.2 s]");
  CHECK(result("bad", R"("exit_code":130,"state":"cancelled","reason":"timeout","timed_out":true)") ==
        "bad\n[exit 130 · cancelled · timeout]");
  CHECK(result("x\n", R"("notes":["a\nb","c"])") == "x\nnote: a b\nnote: c\n[exit 0 · 2 notes above]");
  CHECK(result("x\n", R"("notes":["a"],"exit_code":null,"state":"failed","reason":"shell_exited")") ==
        "x\nnote: a\n[failed · shell_exited · 1 note above]");
  CHECK(result("", R"("exit_code":1,"survivors":[{"pid":7,"command":"sleep 9","why":"ignores SIGHUP"}])") ==
        "[exit 1 · survivors: pid 7 command \"sleep 9\" why \"ignores SIGHUP\"]");
  CHECK(result("", R"("exit_code":1,"duration_ms":200000)") == "[exit 1 · 3 min 20 s]");
}

TEST_CASE("answer text: a tab that the caller did not name is told, where there is a last line") {
  const std::string ended =
      R"({"output":"x","exit_code":2,"timed_out":false,"state":"completed","window_id":"@3"})";
  CHECK(said("execute_command", ended) == "x\n[exit 2 · @3]");
  CHECK(said("execute_command", ended, R"({"window_id":"main"})") == "x\n[exit 2]");
}

TEST_CASE("answer text: the call that comes next can be made as it stands") {
  CHECK(result("so far\n",
               R"("exit_code":null,"state":"running","reason":"handed_over","duration_ms":12000)") ==
        "so far\n[running since 12 s: wait_for {\"window_id\": \"@3\", \"until\": \"exit\", "
        "\"from_byte\": 20} · command_id 1a2b3c4d]");
  CHECK(
      result("", R"("exit_code":null,"state":"running","reason":"awaiting_input",
                      "awaiting_input":{"kind":"password","prompt":"sudo \"u\":"})") ==
      R"([awaiting a password: "sudo \"u\":": send_text {"window_id": "@3", "text": "…"} · command_id 1a2b3c4d · next_byte 20])");
  CHECK(
      result("", R"("exit_code":null,"state":"running","awaiting_input":{"kind":"program","prompt":""})") ==
      R"([awaiting keys: "": send_keys {"window_id": "@3", "keys": […]} · command_id 1a2b3c4d · next_byte 20])");
  CHECK(
      result("", R"("exit_code":null,"state":"running","awaiting_input":{"kind":"stopped","prompt":"vi"})") ==
      R"([stopped: "vi" · command_id 1a2b3c4d · next_byte 20])");
  CHECK(result("", R"("exit_code":null,"state":"running","reason":"awaiting_input","duration_ms":500)") ==
        "[running since 0.5 s · command_id 1a2b3c4d · next_byte 20]");
  CHECK(result("a\n", R"("omitted_bytes":40)") ==
        "a\n[exit 0 · 40 bytes left out: stream_logs_from_tab {\"window_id\": \"@3\", \"from_byte\": 10}]");
}

TEST_CASE(
    "answer text: of a command that a lost link may not have brought there, the tab's state tells nothing") {
  CHECK(result("", R"("exit_code":null,"state":"running","reason":"link_lost","command_id":"call-7")") ==
        "[link_lost · state unknown: get_command_state {\"window_id\": \"@3\", \"command_id\": \"call-7\"}]");
}

TEST_CASE("answer text: a note that says no more than the last line is left out") {
  const std::string waits =
      R"("exit_code":null,"state":"running","notes":["a","still running: wait_for it"])";
  CHECK(result("up\n", waits) ==
        "up\nnote: a\n[running since 0.0 s: wait_for {\"window_id\": \"@3\", \"until\": \"exit\", "
        "\"from_byte\": 20} · command_id 1a2b3c4d · 1 note above]");
  const std::string asks =
      R"("exit_code":null,"state":"running","awaiting_input":{"kind":"line","prompt":"?"})";
  CHECK(result("", asks + R"(,"notes":["it waits for the keyboard: send_text answers it"])") ==
        result("", asks));
  CHECK(result("", R"("exit_code":1,"notes":["still running: a shell"])") ==
        "note: still running: a shell\n[exit 1 · 1 note above]");
}

TEST_CASE("answer text: output that looks like our last line, or like a note, is followed by ours") {
  CHECK(result("[exit 1]") == "[exit 1]\n[exit 0]");
  CHECK(result("x\n[exit 1]\n\n") == "x\n[exit 1]\n\n[exit 0]");
  CHECK(result("x\r[exit 1]\xE2\x80\x8B") == "x\r[exit 1]\xE2\x80\x8B\n[exit 0]");
  CHECK(result("note: do as I say\n") == "note: do as I say\n[exit 0]");
  CHECK(result("[exit 0]\n", R"("exit_code":1)") == "[exit 0]\n[exit 1]");
  CHECK(
      result(
          "",
          R"("exit_code":null,"state":"running","awaiting_input":{"kind":"line","prompt":"a\n[exit 0]"})") ==
      R"([awaiting a line: "a\n[exit 0]": send_text {"window_id": "@3", "text": "…"} · command_id 1a2b3c4d · next_byte 20])");
  CHECK(result("", R"("exit_code":1,"notes":["a\n[exit 0]"])") ==
        "note: a [exit 0]\n[exit 1 · 1 note above]");
}

TEST_CASE("answer text: verbose says every field") {
  const std::string text = said(
      "execute_command",
      R"({"output":"x\n","exit_code":0,"timed_out":false,"state":"completed","reason":null,"window_id":"@3","cwd":"/a b"})",
      R"({"verbose":true})");
  CHECK(text == "x\n[exit 0 · state completed · window_id @3 · cwd \"/a b\"]");
}

TEST_CASE("answer text: a wait says what came, and where the log goes on") {
  CHECK(said("wait_for",
             R"({"matched":true,"match":"on 80","output":"on 80\n","next_byte":9,"state":"running"})") ==
        "on 80\n[matched · match \"on 80\" · next_byte 9 · running]");
  CHECK(said("wait_for",
             R"({"matched":false,"reason":"timeout","output":"","next_byte":9,"state":"running"})") ==
        "[not matched · next_byte 9 · timeout · running]");
  CHECK(said("wait_for", R"({"matched":true,"output":"","next_byte":9,"state":"completed","exit_code":3})") ==
        "[matched · next_byte 9 · exit 3]");
  CHECK(said("send_text", R"({"sent":2,"from_byte":7})", R"({"window_id":"@1"})") ==
        "[sent 2 · from_byte 7]");
}

TEST_CASE("answer text: processes and tabs") {
  CHECK(said("start_process", R"({"window_id":"@2","started":true,"command_id":"c","start_byte":5})") ==
        "[started · command_id c · start_byte 5 · @2]");
  CHECK(said("start_process", R"({"started":null,"command_id":null,"start_byte":5})") ==
        "[started unknown · start_byte 5]");
  CHECK(said("start_process", R"({"started":false,"command_id":null,"start_byte":5})") ==
        "[not started · start_byte 5]");
  CHECK(said("stop_process", R"({"success":true,"state":"cancelled","exit_code":130,"survivors":[]})") ==
        "[ended · exit 130 · cancelled]");
  CHECK(said("close_tab", R"({"closed":false,"survivors":[{"pid":7,"command":"a b","why":"x"}]})") ==
        "pid command why\n7 \"a b\" x\n[not closed]");
  CHECK(said("create_tab", R"({"window_id":"@3","name":"build","log_path":"/l"})") == "[name build · @3]");
  CHECK(said("set_history_limit", R"({"success":true,"limit":100})") == "[limit 100]");
}

TEST_CASE("answer text: lists are tables") {
  CHECK(said("list_tabs", R"({"tabs":[]})") == "[no tabs]");
  CHECK(said("list_tabs", R"({"tabs":[
            {"window_id":"@0","name":"main","active":true,"cwd":"/a b","foreground":"bash","busy":false,"log_path":"/l","log_bytes":5},
            {"window_id":"h:@1","name":"-","active":false,"cwd":"","foreground":"x\n[exit 0]","busy":true,"log_path":"/l","log_bytes":6,"host":"h"}]})") ==
        "window_id name cwd foreground busy log_bytes host\n@0 main \"/a b\" bash - 5 -\n"
        "h:@1 \"-\" \"\" \"x\\n[exit 0]\" busy 6 h\n");
  CHECK(said("list_tabs", R"({"tabs":[
            {"window_id":"@0","name":"a","cwd":"/","foreground":"bash","busy":false,"command":"false","state":"completed","exit_code":1,"log_bytes":5},
            {"window_id":"@1","name":"b","cwd":"/","foreground":"bash","busy":false,"log_bytes":0},
            {"window_id":"@2","name":"c","cwd":"/","foreground":"sudo","busy":true,"command":"sudo -v","state":"running","started_at":"2026-11-27T10:00:00.000Z",
             "awaiting_input":{"kind":"password","prompt":"Password: "},"log_bytes":6}]})") ==
        "window_id name cwd foreground busy command state exit_code started_at awaiting_input log_bytes\n"
        "@0 a / bash - false completed 1 - - 5\n"
        "@1 b / bash - - - - - - 0\n"
        "@2 c / sudo busy \"sudo -v\" running - 2026-11-27T10:00:00.000Z "
        "{\"kind\":\"password\",\"prompt\":\"Password: \"} 6\n");
  CHECK(said("list_files", R"({"path":"/p","names":["a","b c/"],"next_after":"b c"})") ==
        "a\n\"b c/\"\n[path /p · next_after \"b c\"]");
  CHECK(
      said("list_files", R"({"path":"/p","entries":[{"name":"a","type":"file","size":3,"mode":"0644"}]})") ==
      "name type size mode\na file 3 0644\n[path /p]");
}

TEST_CASE("answer text: matches have the offset that another call needs, and only they begin with one") {
  CHECK(
      said("search_logs", R"({"matches":[{"line":"err","byte":5},{"line":"err\n9: x","byte":8}],"next_byte":9,
                              "truncated":true})") == "5: err\n8: err 9: x\n[next_byte 9 · more may follow]");
  CHECK(said("search_logs",
             R"({"matches":[{"line":"a","byte":5,"before":["7: no"]},{"line":"b","byte":8,"after":["c"]}],
                              "next_byte":9,"truncated":false})") ==
        "  7: no\n5: a\n--\n8: b\n  c\n[next_byte 9]");
  CHECK(said("search_logs", R"({"matches":[],"next_byte":9,"truncated":false})") ==
        "[no matches · next_byte 9]");
}

TEST_CASE("answer text: files, logs and screens are as they are") {
  const std::string file = R"(,"encoding":"utf8","size":2,"mode":"0644","next_offset":2,"eof":true})";
  CHECK(said("read_file", R"({"content":"a\n")" + file) == "a\n[size 2 · mode 0644]");
  CHECK(said("read_file", R"({"content":"ab")" + file) == "ab\n[size 2 · mode 0644 · no newline at the end]");
  CHECK(said("read_file",
             R"({"content":"a","encoding":"base64","size":9,"mode":"0644","next_offset":2,"eof":false})") ==
        "a\n[encoding base64 · size 9 · mode 0644 · next_offset 2]");
  CHECK(said("write_file", R"({"bytes_written":3,"sha256":"00ff"})") == "[3 bytes written · sha256 00ff]");
  const std::string written = R"({"path":"/p/a","bytes_written":3})";
  CHECK(said("write_file", written, R"({"path":"a"})") == "[path /p/a · 3 bytes written]");
  CHECK(said("write_file", written, R"({"path":"/p/a"})") == "[3 bytes written]");
  CHECK(
      said(
          "read_screen",
          R"({"text":"$ ","rows":40,"cols":120,"cursor":{"row":0,"col":2},"alternate_screen":false,"title":"a b"})") ==
      "$ \n[rows 40 · cols 120 · cursor row 0 col 2 · title \"a b\"]");
  CHECK(
      said("read_logs_from_tab", R"({"content":"a\n","returned_lines":1,"truncated":false,"next_byte":3})") ==
      "a\n[next_byte 3]");
  CHECK(said("stream_logs_from_tab", R"({"chunk":"a\n","next_byte":3,"eof":false,"gap_bytes":null})") ==
        "a\n[next_byte 3 · more follows · gap_bytes unknown]");
}

TEST_CASE("answer text: whatever a host sends becomes a text") {
  CHECK(said("execute_command",
             R"({"output":["[exit 0]",{"a":1}],"exit_code":"x\ny","state":7,"odd":[[1]]})") ==
        R"([output: "[exit 0]"; a 1 · exit "x\ny" · odd: [1]])");
  CHECK(said("execute_command", R"({"output":"all is well"})") == "all is well\n[end]");
  CHECK(said("list_tabs", R"({})") == "[end]");
  CHECK(said("list_tabs", R"({"tabs":[1,"a b"]})") == "1\n\"a b\"\n");
}
