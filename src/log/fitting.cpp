#include "log/fitting.hpp"

#include <algorithm>
#include <vector>

#include "log/log_text.hpp"
#include "log/own_lines.hpp"
#include "text/ansi.hpp"

namespace terminally {
namespace {

/// The first `bytes` of the part; the others go into `after`.
LogPart beginning_of(const LogPart& part, std::size_t bytes) {
  LogPart cut = part;
  cut.bytes.resize(bytes);
  cut.after.insert(0, part.bytes, bytes);
  return cut;
}

/// The bytes of the part from `begin` on; the others go into `before`.
LogPart end_of(const LogPart& part, std::size_t begin) {
  LogPart cut = part;
  cut.before.append(part.bytes, 0, begin);
  cut.bytes.erase(0, begin);
  return cut;
}

/// The part without the lines that we typed. They are known by what follows them, so they are looked for
/// here, before a cut parts them from it.
LogPart without_echoes(const LogPart& part) {
  const std::size_t begin = part.before.size();
  const std::size_t end = begin + part.bytes.size();
  std::vector<ByteSpan> echoes = typed_echoes(part.before + part.bytes + part.after);
  for (ByteSpan& echo : echoes) {
    echo = {std::clamp(echo.begin, begin, end) - begin, std::clamp(echo.end, begin, end) - begin};
  }
  LogPart rest = part;
  rest.bytes = without_spans(part.bytes, echoes);
  return rest;
}

std::string text_of(const LogPart& all, const TextView& view, int cols) {
  const LogPart part = view.is_exact() ? all : without_echoes(all);
  return view.guard ? log_text(masked_bytes(view.guard, part), view, cols) : log_text(part.bytes, view, cols);
}

}  // namespace

TextView view_for_a_look(const TextView& view) {
  TextView look = view;
  if (view.guard) {
    look.guard = std::make_shared<TextGuard>(view.guard->shared_secrets());
  }
  return look;
}

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

std::size_t tail_border(std::string_view before, std::string_view bytes) {
  constexpr std::size_t kNear = 4096;
  const std::size_t newline = bytes.substr(0, std::min(bytes.size() / 4, kNear)).find('\n');
  if (newline != std::string_view::npos) {
    return newline + 1;
  }
  before = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
  before = before.substr(before.size() - std::min(before.size(), kMaxSequenceBytes + 4));
  AnsiStripper stripper;
  std::string ignored;
  stripper.feed(before, ignored);
  std::size_t border = 0;
  while (stripper.unfinished_bytes() > 0 && border < bytes.size()) {
    // A sequence ends before a newline or another one, and a character before what is no part of it.
    stripper.feed(bytes.substr(border, 1), ignored);
    ++border;
  }
  return border;
}

FittingText fitting_text(const LogPart& part, const TextView& view, int cols, Keep keep,
                         std::uint64_t budget) {
  const std::size_t all = part.bytes.size();
  const TextView look = view_for_a_look(view);
  FittingText whole{all, text_of(part, look, cols)};
  if (json_size(whole.text) <= budget) {
    return view.guard ? FittingText{all, text_of(part, view, cols)} : whole;
  }
  if (keep == Keep::end) {
    const std::string known = part.before + part.bytes;
    const FittingText found = fitting(all, budget, [&](std::uint64_t wanted) {
      const std::size_t at = all - static_cast<std::size_t>(wanted);
      const std::string_view before = std::string_view(known).substr(0, part.before.size() + at);
      const LogPart cut = end_of(part, at + tail_border(before, std::string_view(part.bytes).substr(at)));
      return FittingText{cut.bytes.size(), text_of(cut, look, cols)};
    });
    return {found.bytes, text_of(end_of(part, all - static_cast<std::size_t>(found.bytes)), view, cols)};
  }
  const FittingText found = fitting(all, budget, [&](std::uint64_t wanted) {
    const std::size_t bytes = text_border(part.bytes, static_cast<std::size_t>(wanted), true);
    return FittingText{bytes, text_of(beginning_of(part, bytes), look, cols)};
  });
  const std::size_t first = text_border(part.bytes, 1, true);
  const std::size_t bytes = std::max<std::size_t>(static_cast<std::size_t>(found.bytes), first);
  return {bytes, text_of(beginning_of(part, bytes), view, cols)};
}

}  // namespace terminally
