// The JSON-RPC front: bytes to lines, lines to messages, messages to answers. What must hold: any split of
// the bytes gives the same lines, those that a slow reader finds; a line is a parse error exactly if another
// parser refuses it (or it is too deep); each message is classified as JSON-RPC and MCP say; a request gets
// one well-formed answer with its own id.
#include "json/json_rpc.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "json/json_reader.hpp"
#include "oracle.hpp"
#include "stdio/line_framer.hpp"

using namespace terminally;
using namespace terminally::fuzz;
using nlohmann::json;
using Kind = RpcMessage::Kind;

namespace {

using Lines = std::vector<std::optional<std::string>>;  // none: too long

Lines by_framer(const std::vector<std::string_view>& stream, std::size_t longest) {
  LineFramer framer(longest);
  Lines lines;
  for (const std::string_view piece : stream) {
    framer.feed(piece);
    while (const auto line = framer.next()) {
      lines.push_back(line->too_long ? std::nullopt : std::optional(std::string(line->text)));
    }
  }
  return lines;
}

/// By what the header of the framer says.
Lines by_hand(std::string_view bytes, std::size_t longest) {
  Lines lines;
  for (std::size_t newline = 0; (newline = bytes.find('\n')) != std::string_view::npos;) {
    std::string line(bytes.substr(0, newline));
    bytes.remove_prefix(newline + 1);
    if (line.size() > longest) {
      lines.emplace_back();
      continue;
    }
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (line.find_first_not_of(" \t") != std::string::npos) {
      lines.emplace_back(std::move(line));
    }
  }
  return lines;
}

std::size_t depth(std::string_view text) {
  std::size_t now = 0;
  std::size_t most = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      most = std::max(most, ++now);
    } else if (c == ']' || c == '}') {
      now -= now > 0 ? 1 : 0;
    }
  }
  return most;
}

struct Parsed {
  json value;
  bool duplicate_key = false;
};

/// As nlohmann's own builder reads it, which knows no limits.
std::optional<Parsed> by_other_parser(std::string_view line) {
  Parsed parsed;
  std::vector<std::vector<std::string>> keys;
  const auto look = [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key) {
      const auto key = value.get<std::string>();
      parsed.duplicate_key =
          parsed.duplicate_key || std::find(keys.back().begin(), keys.back().end(), key) != keys.back().end();
      keys.back().push_back(key);
    }
    return true;
  };
  parsed.value = json::parse(line.begin(), line.end(), look, false);
  const bool whole = !parsed.value.is_discarded() && line.find('\0') == std::string_view::npos;
  return whole && depth(line) <= kMaxJsonDepth ? std::optional(std::move(parsed)) : std::nullopt;
}

bool has_usable_id(const json& value) {
  return value.contains("id") && (value["id"].is_string() || value["id"].is_number_integer());
}

/// What a message is by JSON-RPC 2.0, with MCP's: params are an object, an id is a string or an integer.
Kind kind_of(const json& value) {
  if (!value.is_object()) {
    return Kind::invalid;
  }
  const bool answer = value.contains("result") || value.contains("error");
  const bool sound_params =
      !value.contains("params") || value["params"].is_null() || value["params"].is_object();
  if (!value.contains("method")) {
    return !answer ? Kind::invalid : has_usable_id(value) ? Kind::response : Kind::ignored;
  }
  if (value.contains("id") && !has_usable_id(value)) {
    return Kind::invalid;
  }
  if (!value["method"].is_string()) {
    return Kind::invalid;
  }
  if (!value.contains("id")) {
    return sound_params ? Kind::notification : Kind::ignored;
  }
  return value.value("jsonrpc", json()) == "2.0" && !answer && sound_params ? Kind::request : Kind::invalid;
}

void check_answer(const RpcMessage& message) {
  const bool refused = message.kind == Kind::invalid;
  const std::string answer = refused ? error_message(message.id, message.error)
                                     : result_message(message.id, {{"echo", message.method}});
  require(answer.find('\n') == std::string::npos, "an answer is one line");
  const json value = json::parse(answer, nullptr, false);
  require(value.is_object() && value["jsonrpc"] == "2.0", "an answer is well-formed");
  require(value.contains("error") == refused && value.contains("result") == !refused,
          "it is one or the other");
  require(value.contains("id") == !message.id.empty(), "it has the id");
  require(message.id.empty() || value["id"] == json::parse(message.id), "which is the request's");
  require(!refused || (value["error"]["code"].is_number_integer() && value["error"]["message"].is_string()),
          "an error has a code and a message");
}

void check_message(const RpcMessage& message, const json& value) {
  require(message.kind == kind_of(value), "a message is what JSON-RPC says");
  if (message.kind == Kind::request || message.kind == Kind::notification) {
    require(message.method == value["method"].get<std::string>(), "its method is exact");
    require(message.params->is_object(), "its params are an object");
    require(!value.contains("params") || value["params"].is_null() || *message.params == value["params"],
            "and exact");
  }
  require(message.kind != Kind::request || json::parse(message.id) == value["id"], "so is its id");
}

void check_line(std::string_view line) {
  const RpcInput input = read_messages(line);
  for (const RpcMessage& message : input.messages) {
    if (message.kind == Kind::request || message.kind == Kind::invalid) {
      check_answer(message);
    }
  }
  const auto parsed = by_other_parser(line);
  require(!input.messages.empty(), "a line is at least one message");
  require((input.messages[0].error.code() == kParseError) == !parsed, "what is no JSON is a parse error");
  if (!parsed) {
    for (const RpcMessage& message : input.messages) {
      require(message.kind == Kind::invalid, "and not obeyed, whatever of it can be read");
    }
    return;
  }
  if (parsed->duplicate_key) {
    require(!input.batch && input.messages.size() == 1, "what cannot be told is refused once");
    require(input.messages[0].kind != Kind::request && input.messages[0].kind != Kind::notification,
            "nor with a key twice");
    return;
  }
  require(input.batch == (parsed->value.is_array() && !parsed->value.empty()), "an array is a batch");
  if (!input.batch) {
    check_message(input.messages[0], parsed->value);
    return;
  }
  require(input.messages.size() == parsed->value.size(), "of as many messages");
  for (std::size_t i = 0; i < input.messages.size(); ++i) {
    check_message(input.messages[i], parsed->value[i]);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes = text_of(data, size);
  const unsigned seed = take_byte(bytes);
  const std::size_t longest = (seed & 8U) != 0 ? 64 : 4'096;
  const Lines lines = by_hand(bytes, longest);
  require(by_framer({bytes}, longest) == lines, "the lines are those of a slow reader");
  require(by_framer(pieces(bytes, seed), longest) == lines, "by any split");
  for (const auto& line : lines) {
    if (line) {
      check_line(*line);
    }
  }
  if (lines.empty()) {
    check_line(bytes);  // an input without a newline is one line, so that small ones reach the reader
  }
  return 0;
}
