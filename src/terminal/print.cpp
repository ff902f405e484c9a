// Writes text to stdout and messages to stderr, made safe for a person's terminal.
// Prints rows as columns that line up.

#include "terminal/print.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "terminal/peoples_words.hpp"
#include "text/visible_text.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {

namespace {

std::string& host_name() {
  static std::string name;
  return name;
}

}  // namespace

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      throw OutputClosed();
    } else if (errno == EAGAIN) {  // another process that shares the terminal made it non-blocking
      pollfd wait{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      throw io_error("cannot write to stdout", errno);
    }
  }
}

void say_as_host(const std::string& name) {
  host_name() = name;
}

std::string as_said(std::string_view text) {
  return host_name().empty() ? std::string(text) : with_host(text, host_name());
}

void complain(std::string_view text) {
  complain_as_it_is(in_peoples_words(text));
}

void complain_as_it_is(std::string_view text) {
  std::fprintf(stderr, "terminally-mcp: %s\n", visible_text(as_said(text)).c_str());
}

std::string on_one_line(std::string_view text) {
  const std::string valid = to_valid_utf8(text);
  std::string line;
  for (std::size_t i = 0; i < valid.size();) {
    const std::string_view part =
        std::string_view(valid).substr(i, first_utf8_part(std::string_view(valid).substr(i)).bytes);
    line += has_control_characters(part) ? std::string_view("?") : part;
    i += part.size();
  }
  return visible_text(line);
}

std::string first_line_of(const std::string& command, std::size_t most_bytes) {
  const std::size_t begin = std::min(command.find_first_not_of(" \t\r\n"), command.size());
  const std::size_t end = std::min(command.find('\n', begin), command.size());
  const std::string_view line = std::string_view(command).substr(begin, end - begin);
  const std::string_view part = whole_characters(line, most_bytes);
  const bool cut = part.size() < line.size() || end < command.size();
  return on_one_line(part) + (cut ? " \u2026" : "");
}

namespace {

/// The number of code points, roughly the columns on a terminal: wide characters count as one.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

}  // namespace

std::string table(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width(row[i]));
    }
  }
  std::string text;
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += row[i] + std::string(widths[i] - width(row[i]) + 2, ' ');
    }
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace terminally
