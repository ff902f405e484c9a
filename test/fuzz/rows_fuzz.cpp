// What tmux lists. What must hold: any bytes are read without harm; a name of any bytes, written as tmux
// writes it, comes back exactly; and so does the whole row.
#include "tmux/wire/rows.hpp"

#include <string>

#include "oracle.hpp"

using namespace terminally;
using namespace terminally::fuzz;

namespace {

/// vis(3) as tmux 3.x has it in compat/vis.c, with VIS_OCTAL|VIS_CSTYLE|VIS_TAB|VIS_NL; bytes beyond ASCII as
/// in utf8_strvis, which leaves characters as they are.
std::string escaped_by_tmux(std::string_view name) {
  static constexpr std::string_view kControls("\n\r\b\a\v\t\f", 7);
  static constexpr std::string_view kLetters = "nrbavtf";
  std::string escaped;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      escaped += "\\\\";
    } else if (const std::size_t at = kControls.find(c); at != std::string_view::npos) {
      escaped += {'\\', kLetters[at]};
    } else if (byte == 0) {
      const bool digit_follows = i + 1 < name.size() && name[i + 1] >= '0' && name[i + 1] <= '7';
      escaped += digit_follows ? "\\000" : "\\0";
    } else if (byte < 32 || byte == 127) {
      escaped += {'\\', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
                  static_cast<char>('0' + byte % 8)};
    } else {
      escaped += c;
    }
  }
  return escaped;
}

void check_any_text(std::string_view text) {
  for (const PaneRow& row : parse_pane_rows(text)) {
    require(row.name.find('\n') == std::string::npos || text.find('\\') != std::string_view::npos,
            "a newline in a name was escaped");
  }
  require(unescape_tmux_name(text).size() <= text.size(), "a name gets no longer");
}

void check_row(std::string_view name, unsigned number) {
  const std::string escaped = escaped_by_tmux(name);
  require(unescape_tmux_name(escaped) == name, "a name comes back exactly");
  const std::string id = std::to_string(number);
  const std::string line = "@" + id + "\t$0\t@1\t1\t%" + id + "\t4711\t/dev/pts/3\t1\t0\t120\t0\t" + escaped;
  const auto rows = parse_pane_rows(line + "\n" + line + "\n");
  require(rows.size() == 2, "a row is one line, whatever the name");
  for (const PaneRow& row : rows) {
    require(row.name == name, "the row's name is exact");
    require(row.tab == WindowId{number} && row.pane.number == number && row.pane_pid == 4711 &&
                row.tty == "/dev/pts/3" && row.window_active && !row.piped && row.cols == 120,
            "the name changes no other field");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input = text_of(data, size);
  const unsigned number = take_byte(input);
  check_any_text(input);
  check_row(input, number);
  return 0;
}
