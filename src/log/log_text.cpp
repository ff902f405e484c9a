// A part of a log becomes text: its edits are found once over the part and what is around it; then pieces of
// it are edited, viewed and measured, each once, until the budget is full.
#include "log/log_text.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/utf8.hpp"
#include "json/json_reader.hpp"
#include "log/own_lines.hpp"
#include "text/ansi.hpp"
#include "text/render.hpp"

namespace terminally {
namespace {

std::string without_cr_before_lf(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  std::size_t begin = 0;
  for (;;) {
    const std::size_t at = bytes.find("\r\n", begin);
    if (at == std::string_view::npos) {
      text += bytes.substr(begin);
      return text;
    }
    text += bytes.substr(begin, at - begin);
    begin = at + 1;
  }
}

/// NUL as text: strict providers refuse a result that has one. The exact bytes are read as base64.
std::string without_nul(std::string text) {
  if (text.find('\0') == std::string::npos) {
    return text;
  }
  std::string named;
  for (const char c : text) {
    named.append(c == '\0' ? "\\x00" : std::string_view(&c, 1));
  }
  return named;
}

/// After the next newline if one is near; a text may begin there.
std::size_t near_line(std::string_view bytes) {
  constexpr std::size_t kNear = 4096;
  return bytes.substr(0, std::min(bytes.size() / 4, kNear)).find('\n') + 1;  // npos + 1 is 0
}

}  // namespace

std::size_t text_border(std::string_view bytes, std::size_t wanted, bool at_end) {
  const std::size_t cut = safe_cut(bytes.substr(0, wanted), false);
  if (cut != 0) {
    return cut;
  }
  if (bytes.size() <= wanted) {
    return at_end ? bytes.size() : safe_cut(bytes, true);
  }
  AnsiStripper stripper;
  std::string ignored;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    stripper.feed(bytes.substr(i, 1), ignored);
    if (stripper.unfinished_bytes() == 0) {
      return i + 1;
    }
  }
  return bytes.size();
}

LogText::LogText(LogPart part, TextView view, int cols)
    : drawn_before_(std::move(part.drawn_before)),
      window_(std::move(part.before)),
      view_(std::move(view)),
      cols_(cols) {
  begin_ = window_.size();
  end_ = begin_ + part.bytes.size();
  window_.append(part.bytes).append(part.after);
  std::size_t settled = window_.size();
  if (view_.guard) {
    const std::size_t line =
        part.begins_line ? 0 : window_.substr(0, begin_).find('\n') + 1;  // npos + 1 is 0
    SecretsIn found =
        secrets_in(view_.guard->secrets(), window_, line, part.begins_line || line > 0, part.goes_on);
    edits_ = std::move(found.edits);
    settled = found.settled;
    if (found.unfinished && *found.unfinished < end_) {
      unfinished_ = *found.unfinished - std::min(*found.unfinished, begin_);
    }
  }
  if (!view_.is_exact()) {
    echoes_ = typed_echoes(window_);
    edits_.insert(edits_.end(), echoes_.begin(), echoes_.end());
    const std::vector<Edit> names = command_names(window_, view_.own_files);
    edits_.insert(edits_.end(), names.begin(), names.end());
    std::ranges::sort(edits_, {}, &Edit::begin);
    if (part.goes_on) {
      settled = std::min(settled, unfinished_name(window_, view_.own_files, part.begins_line));
    }
  }
  settled_ = std::clamp(settled, begin_, end_) - begin_;
}

std::string_view LogText::bytes() const {
  return std::string_view(window_).substr(begin_, end_ - begin_);
}

std::string LogText::masked(std::size_t begin, std::size_t end, MaskCounts& counts) const {
  return edited(window_, edits_, begin_ + begin, begin_ + end, &counts);
}

std::optional<std::size_t> LogText::echo_in(std::size_t begin, std::size_t end) const {
  const auto echo = std::ranges::find_if(
      echoes_, [&](const Edit& one) { return one.end > begin_ + begin && one.begin < begin_ + end; });
  return echo == echoes_.end() ? std::nullopt : std::optional(echo->begin - std::min(echo->begin, begin_));
}

const Edit* LogText::edit_before(std::size_t at) const {
  const auto edit = std::ranges::find_if(
      edits_, [&](const Edit& one) { return one.begin < begin_ + at && one.end >= begin_ + at; });
  return edit == edits_.end() ? nullptr : &*edit;
}

/// The character sets at `begin` are those that the bytes before it chose, on the same screen.
LogText::Reading LogText::reading_from(std::size_t begin) const {
  Reading reading;
  const std::string_view before = std::string_view(window_).substr(0, begin_ + begin);
  const bool any_chosen =
      before.find('\x0e') != std::string_view::npos || before.find("\x1b(0") != std::string_view::npos;
  if (any_chosen && !view_.is_exact()) {
    static_cast<void>(strip_ansi(before.substr(begin_of_screen(before)), reading.sets));
  }
  return reading;
}

void LogText::append(std::size_t begin, std::size_t end, Reading& reading, std::string& out,
                     MaskCounts* masked) const {
  const std::string bytes = edited(window_, edits_, begin_ + begin, begin_ + end, masked);
  if (view_.is_exact()) {
    out += without_nul(to_valid_utf8(view_.lines_end_with_lf ? without_cr_before_lf(bytes) : bytes));
    return;
  }
  const std::string text = strip_ansi(bytes, reading.sets);
  if (view_.guard) {
    reading.visible.feed(text, out);
  } else {
    out += text;
  }
}

FittingText LogText::rendered(std::size_t begin, std::size_t end) const {
  FittingText made{.bytes = end - begin};
  const std::string before = edited(window_, edits_, 0, begin_ + begin);
  std::string drawn = drawn_before_ + before;
  drawn.erase(0, begin_of_screen(drawn));
  const std::size_t slice_at = drawn.size();
  drawn += edited(window_, edits_, begin_ + begin, begin_ + end, &made.masked);
  Rendered all = render_slice(drawn, slice_at, cols_);
  made.text = std::move(all.text);
  made.cleared_lines = all.cleared_lines;
  if (view_.guard) {
    // Masked again: what was drawn out of order has the form of a secret only once it is rendered.
    TextGuard guard(view_.guard->shared_secrets());
    guard.count(made.masked);
    made.text = guard.text(made.text);
    made.masked = guard.counts();
  }
  return made;
}

FittingText LogText::text(std::size_t begin, std::size_t end) const {
  if (view_.render) {
    return rendered(begin, end);
  }
  FittingText made{.bytes = end - begin};
  Reading reading = reading_from(begin);
  append(begin, end, reading, made.text, &made.masked);
  reading.visible.finish(made.text);
  return made;
}

/// A drawing is not made of the texts of its parts: looks for how much of `all` bytes fits. That nothing more
/// would is not sure after so few looks.
template <class TextOf>
FittingText LogText::drawn(std::uint64_t budget, std::size_t all, const TextOf& text_of) const {
  constexpr int kMostLooks = 10;
  FittingText best;
  std::uint64_t fits = 0;                           // so much is known to fit
  std::uint64_t too_much = std::uint64_t{all} + 1;  // and so much not to
  std::uint64_t wanted = std::min<std::uint64_t>(all, budget);
  for (int looks = 0; looks < kMostLooks && wanted > fits; ++looks) {
    FittingText piece = text_of(static_cast<std::size_t>(wanted));
    const std::uint64_t size = json_size(piece.text);
    if (size > budget) {
      too_much = wanted;
      wanted = fits + (too_much - fits) / 2;
      continue;
    }
    fits = wanted;
    best = std::move(piece);
    const std::uint64_t room = budget - size;
    if (room <= budget / 64) {
      break;
    }
    wanted = too_much > all ? std::min<std::uint64_t>(all, fits + std::max(room, fits))
                            : fits + (too_much - fits) / 2;
  }
  return best;
}

/// In smaller and smaller steps: what did not fit is looked at again, in parts.
FittingText LogText::beginning(std::uint64_t budget, std::size_t from, std::size_t to) const {
  const std::string_view all = bytes().substr(0, to);
  if (view_.render) {
    return drawn(budget, to - from, [&](std::size_t wanted) {
      return text(from, from + text_border(all.substr(from), wanted, true));
    });
  }
  FittingText found;
  Reading reading = reading_from(from);
  std::size_t at = from;
  std::uint64_t size = 0;
  for (std::size_t step = std::bit_ceil(std::max<std::uint64_t>(budget, 4096)); step > 0; step /= 2) {
    while (at < to) {
      std::size_t next = at + text_border(all.substr(at), step, true);
      next += view_.lines_end_with_lf && all.substr(next - 1).starts_with("\r\n") ? 1 : 0;
      Reading after = reading;
      std::string piece;
      append(at, next, after, piece, nullptr);
      const std::uint64_t piece_size = json_size(piece);
      std::string end;
      VisibleText(after.visible).finish(end);
      if (size + piece_size + json_size(end) > budget) {
        break;
      }
      found.text += piece;
      size += piece_size;
      reading = std::move(after);
      at = next;
    }
  }
  reading.visible.finish(found.text);
  found.bytes = at - from;
  static_cast<void>(edited(window_, edits_, begin_ + from, begin_ + at, &found.masked));
  return found;
}

FittingText LogText::ending(std::uint64_t budget, std::size_t from) const {
  const std::size_t size = bytes().size();
  FittingText whole = text(from, size);
  const std::uint64_t whole_size = json_size(whole.text);
  if (whole_size <= budget) {
    return whole;
  }
  std::size_t begin = from + beginning(whole_size - budget, from, size).bytes;
  if (begin > from && bytes()[begin - 1] != '\n') {
    begin += near_line(bytes().substr(begin));
  }
  for (;;) {
    FittingText end = text(begin, size);
    if (json_size(end.text) <= budget) {
      return end;
    }
    begin += text_border(bytes().substr(begin), 1, true);
  }
}

FittingText LogText::fitting(Keep keep, std::uint64_t budget, std::size_t from) const {
  const std::size_t size = bytes().size();
  if (keep == Keep::beginning) {
    return beginning(budget, from, size);
  }
  if (!view_.render) {
    return ending(budget, from);
  }
  return drawn(budget, size - from, [&](std::size_t wanted) {
    std::size_t begin = size - wanted;
    if (begin > from) {
      begin = from + safe_cut(bytes().substr(from, begin - from), true);
      begin += near_line(bytes().substr(begin));
    }
    return text(begin, size);
  });
}

FittingText LogText::chunk(std::uint64_t budget) const {
  const std::size_t to = unfinished_.value_or(0) > 0 ? *unfinished_ : bytes().size();
  FittingText found = beginning(budget, 0, to);
  if (found.bytes == 0) {
    found = text(0, text_border(bytes().substr(0, to), 1, true));
  }
  found.may_grow = unfinished_ == std::size_t{0};
  return found;
}

FittingText fitting_text(LogPart part, TextView view, int cols, Keep keep, std::uint64_t budget) {
  const LogText text(std::move(part), std::move(view), cols);
  return keep == Keep::end ? text.fitting(keep, budget) : text.chunk(budget);
}

}  // namespace terminally
