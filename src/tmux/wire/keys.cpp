#include "tmux/wire/keys.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "tmux/wire/client.hpp"

namespace terminally {
namespace {

struct Named {
  std::string_view name;  ///< in lower case
  std::string_view tmux;
  bool takes_modifiers;  ///< C- and S- make another key of it; M- always does
};

constexpr std::array<Named, 27> kNamed = {{
    {"up", "Up", true},
    {"down", "Down", true},
    {"left", "Left", true},
    {"right", "Right", true},
    {"home", "Home", true},
    {"end", "End", true},
    {"pageup", "PPage", true},
    {"pagedown", "NPage", true},
    {"pgup", "PPage", true},
    {"pgdn", "NPage", true},
    {"ppage", "PPage", true},
    {"npage", "NPage", true},
    {"insert", "IC", true},
    {"ic", "IC", true},
    {"delete", "DC", true},
    {"del", "DC", true},
    {"dc", "DC", true},
    {"enter", "Enter", false},
    {"return", "Enter", false},
    {"tab", "Tab", false},
    {"btab", "BTab", false},
    {"bspace", "BSpace", false},
    {"backspace", "BSpace", false},
    {"escape", "Escape", false},
    {"esc", "Escape", false},
    {"space", "Space", false},
    {"ins", "IC", true},
}};

/// What a terminal has a control code for.
constexpr std::string_view kControl = "abcdefghijklmnopqrstuvwxyz@[\\]^_?";

struct Modifiers {
  bool control = false;
  bool meta = false;
  bool shift = false;

  [[nodiscard]] std::string prefix() const {
    return std::string(control ? "C-" : "") + (meta ? "M-" : "") + (shift ? "S-" : "");
  }
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return c < 128 ? static_cast<char>(std::tolower(c)) : c; });
  return result;
}

/// Takes "C-", "M-", "S-" off the start of `key`.
Modifiers take_modifiers(std::string_view& key) {
  Modifiers modifiers;
  while (key.size() > 2 && key[1] == '-') {
    const auto c = static_cast<char>(std::toupper(static_cast<unsigned char>(key[0])));
    bool& which = c == 'C' ? modifiers.control : c == 'M' ? modifiers.meta : modifiers.shift;
    if ((c != 'C' && c != 'M' && c != 'S') || which) {
      break;
    }
    which = true;
    key.remove_prefix(2);
  }
  return modifiers;
}

/// 1 to 20 for "F1" to "F20".
std::optional<int> function_key(const std::string& name) {
  if (name.size() < 2 || name.size() > 3 || name[0] != 'f' || name[1] == '0' ||
      !std::all_of(name.begin() + 1, name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
    return std::nullopt;
  }
  const int number = std::stoi(name.substr(1));
  return number <= 20 ? std::optional(number) : std::nullopt;
}

bool is_one_character(std::string_view key) {
  if (key.empty()) {
    return false;
  }
  const Utf8Part part = first_utf8_part(key);
  return part.kind == Utf8Kind::valid && part.bytes == key.size() && !has_control_characters(key);
}

std::optional<std::string> find_key(std::string_view key) {
  Modifiers modifiers = take_modifiers(key);
  const std::string name = lower(key);
  if (const auto number = function_key(name)) {
    // A terminal's F13 to F20 are F1 to F8 with Shift.
    if (*number > 12 && modifiers.shift) {
      return std::nullopt;
    }
    modifiers.shift = modifiers.shift || *number > 12;
    return modifiers.prefix() + "F" + std::to_string(*number > 12 ? *number - 12 : *number);
  }
  const auto* const named =
      std::find_if(kNamed.begin(), kNamed.end(), [&name](const Named& entry) { return entry.name == name; });
  if (named != kNamed.end()) {
    if (named->tmux == "Tab" && modifiers.shift && !modifiers.control) {
      return std::string(modifiers.meta ? "M-" : "") + "BTab";
    }
    const bool plain = !modifiers.shift && (!modifiers.control || named->tmux == "Space");
    return plain || named->takes_modifiers ? std::optional(modifiers.prefix() + std::string(named->tmux))
                                           : std::nullopt;
  }
  if (!is_one_character(key) || modifiers.shift ||
      (modifiers.control && kControl.find(name) == std::string_view::npos)) {
    return std::nullopt;
  }
  return modifiers.prefix() + (key == " " ? "Space" : modifiers.control ? name : std::string(key));
}

/// As JSON, so that no control character is in it. Who masks it knows such text, and sees where it was cut.
std::string shown(std::string_view key) {
  using nlohmann::json;
  return shortened(json(key).dump(-1, ' ', false, json::error_handler_t::replace), 40);
}

}  // namespace

std::string tmux_key(std::string_view key) {
  auto found = find_key(key);
  if (!found) {
    throw Error(
        ErrorCode::invalid_argument,
        shown(key) +
            " is no key; allowed: one character, Enter, Escape, Tab, BTab, Space, BSpace, Up, Down, "
            "Left, Right, Home, End, PageUp, PageDown, Insert, Delete, F1 to F20, with C- before a "
            "letter, one of @[\\]^_?, Space, an arrow or F key, M- before any key, S- before an arrow "
            "or F key. Text goes by send_text");
  }
  return *found;
}

std::string send_keys_command(std::string_view target, const std::vector<std::string>& keys) {
  std::string command = "send-keys -t " + quote(target) + " --";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::optional<std::string> problem;
    try {
      command += " " + quote(tmux_key(keys[i]));
    } catch (const Error& error) {
      problem = error.what();
    }
    if (problem) {
      throw Error(ErrorCode::invalid_argument, "keys[" + std::to_string(i) + "]: " + *problem);
    }
  }
  return command;
}

}  // namespace terminally
