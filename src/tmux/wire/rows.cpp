#include "tmux/wire/rows.hpp"

#include <charconv>

#include "tmux/wire/others_typed.hpp"
#include "tmux/wire/quoting.hpp"

namespace terminally {
namespace {

std::optional<int> parse_int(std::string_view text) {
  int value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && rest == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(at + 1);
  }
}

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

}  // namespace

std::string unescape_tmux_name(std::string_view name) {
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '\\' || i + 1 == name.size()) {
      plain += name[i];
      continue;
    }
    const char next = name[++i];
    static constexpr std::string_view kNames = "abfnrtvs0";
    static constexpr std::string_view kValues("\a\b\f\n\r\t\v \0", 9);
    if (i + 2 < name.size() && is_octal(next) && is_octal(name[i + 1]) && is_octal(name[i + 2])) {
      plain += static_cast<char>((next - '0') * 64 + (name[i + 1] - '0') * 8 + (name[i + 2] - '0'));
      i += 2;
    } else if (const std::size_t at = kNames.find(next); at != std::string_view::npos) {
      plain += kValues[at];
    } else {
      plain += next;
    }
  }
  return plain;
}

std::string pane_format(std::string_view tag) {
  return std::string(tag) +
         "\t#{session_id}\t#{window_id}\t#{?@terminally_tabs,1,0}\t#{pane_id}\t#{pane_pid}\t#{pane_tty}"
         "\t#{window_active}#{@terminally_layouts}\t#{pane_pipe}\t#{pane_width}\t#{pane_height}\t#{alternate_"
         "on}\t#{?" +
         typed_into_by_others() + ",1,0}\t#{window_name}";
}

std::string ask_for_panes() {
  return "list-panes -a -F '" + kPaneFormat + "'";
}

std::string count_layouts() {
  return "set-hook -g window-layout-changed " +
         quote("set -gF @terminally_layouts '#{e|+|:#{@terminally_layouts},1}'") + "\n";
}

std::string untold(const PaneRow& active) {
  return active.window + ":" + active.layouts;
}

std::optional<PaneRow> parse_pane_row(std::string_view line) {
  const std::vector<std::string_view> fields = split(line, '\t');
  if (fields.size() != 14) {
    return std::nullopt;
  }
  const auto pane = parse_pane_id(fields[4]);
  const auto pid = parse_int(fields[5]);
  const auto cols = parse_int(fields[9]);
  const auto height = parse_int(fields[10]);
  if (!parse_window_id(fields[2]) || !pane || !pid || !cols || !height) {
    return std::nullopt;
  }
  PaneRow row;
  row.tag = fields[0];
  row.tab = parse_window_id(fields[0]);
  row.session = fields[1];
  row.window = fields[2];
  row.in_tabs = fields[3] == "1";
  row.pane = *pane;
  row.pane_pid = *pid;
  row.tty = fields[6];
  row.window_active = fields[7].starts_with('1');
  row.layouts = fields[7].substr(fields[7].empty() ? 0 : 1);
  row.piped = fields[8] == "1";
  row.cols = *cols;
  row.rows = *height;
  row.alternate = fields[11] == "1";
  row.person_types = fields[12] == "1";
  row.name = unescape_tmux_name(fields[13]);
  return row;
}

std::vector<PaneRow> parse_pane_rows(std::string_view text) {
  std::vector<PaneRow> rows;
  for (const std::string_view line : split(text, '\n')) {
    if (auto row = parse_pane_row(line)) {
      rows.push_back(std::move(*row));
    }
  }
  return rows;
}

}  // namespace terminally
