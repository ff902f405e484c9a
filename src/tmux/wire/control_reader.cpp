#include "tmux/wire/control_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace terminally {
namespace {

constexpr std::string_view kBegin = "%begin ";
constexpr std::string_view kAttached = "%session-changed ";

/// What says nothing of windows and sessions: answers, a pane's output and mode, tmux's buffers, which we
/// type by, and other clients. Anything else may, in a later tmux too.
constexpr std::array<std::string_view, 10> kNoNews = {
    "%begin ",
    "%end ",
    "%error ",
    "%output ",
    "%extended-output ",
    "%pause ",
    "%continue ",
    "%paste-buffer-",
    "%pane-mode-changed ",
    "%client-",
};

bool is_news(std::string_view line) {
  return line.starts_with('%') &&
         std::ranges::none_of(kNoNews, [line](std::string_view name) { return line.starts_with(name); });
}

/// The first line, taken off the text.
std::string_view take_line_off(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Where this line stands for the last time; npos: nowhere.
std::size_t last_line(std::string_view text, const std::string& line) {
  const std::string whole = line + "\n";
  for (std::size_t at = text.rfind(whole); at != std::string_view::npos && at > 0;
       at = text.rfind(whole, at - 1)) {
    if (text[at - 1] == '\n') {
      return at;
    }
  }
  return text.starts_with(whole) ? 0 : std::string_view::npos;
}

}  // namespace

TmuxAnswer answer_in_blocks(std::string_view text) {
  TmuxAnswer answer;
  while (!text.empty()) {
    const std::string_view line = take_line_off(text);
    if (!line.starts_with(kBegin)) {
      continue;
    }
    const std::string numbers(line.substr(kBegin.size()));
    const std::size_t end = last_line(text, "%end " + numbers);
    const std::size_t error = last_line(text, "%error " + numbers);
    const bool failed = error != std::string_view::npos && (end == std::string_view::npos || error > end);
    const std::size_t size = std::min(failed ? error : end, text.size());
    const std::string_view printed = text.substr(0, size);
    text.remove_prefix(size);
    if (!failed) {
      answer.out += printed;
    } else if (answer.error.empty()) {
      answer.error = printed.empty() ? "a command failed" : printed.substr(0, printed.size() - 1);
    }
  }
  if (!answer.error.empty()) {
    answer.out.clear();
  }
  return answer;
}

ControlReader::ControlReader(std::string_view secret) : mark_("terminally:" + std::string(secret) + ":") {}

std::string ControlReader::request(std::string_view commands, std::uint64_t number) {
  under_way_.push_back(number);
  std::string lines;
  while (!commands.empty()) {
    const std::string_view line = take_line_off(commands);
    if (!line.empty()) {  // an empty line ends the client
      lines.append(line).push_back('\n');
    }
  }
  return lines + "display-message -p " + mark_ + std::to_string(number) + "\n";
}

std::vector<ControlReader::Answered> ControlReader::feed(std::string_view bytes) {
  std::vector<Answered> answers;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      partial_ += bytes;
      break;
    }
    if (partial_.empty()) {
      take_line(bytes.substr(0, end), answers);
    } else {
      partial_ += bytes.substr(0, end);
      take_line(std::exchange(partial_, {}), answers);
    }
    bytes.remove_prefix(end + 1);
  }
  return answers;
}

bool ControlReader::ends_next(std::string_view line) const {
  return !under_way_.empty() && line.starts_with(mark_) &&
         line.substr(mark_.size()) == std::to_string(under_way_.front());
}

void ControlReader::take_line(std::string_view line, std::vector<Answered>& answers) {
  if (!attached_) {
    attached_ = line.starts_with(kAttached);
  }
  news_ += is_news(line) ? 1 : 0;
  if (ends_next(line)) {
    // The last line that is kept is the beginning of the block that the mark stands in.
    const std::size_t before = text_.size() < 2 ? std::string::npos : text_.rfind('\n', text_.size() - 2);
    text_.resize(before == std::string::npos ? 0 : before + 1);
    answers.push_back({under_way_.front(), answer_in_blocks(std::exchange(text_, {}))});
    under_way_.pop_front();
  } else if (!under_way_.empty()) {
    text_.append(line).push_back('\n');
  }
}

}  // namespace terminally
