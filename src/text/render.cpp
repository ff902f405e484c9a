// Renders a log as text: plain lines directly, runs that move the cursor through an emulator.
#include "text/render.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/worker.hpp"
#include "text/ansi.hpp"
#include "text/drawn_line.hpp"
#include "text/screen.hpp"

namespace terminally {
namespace {

/// Takes the first line off `text`, with its newline if it has one.
std::string_view take_line(std::string_view& text) {
  const std::size_t newline = text.find('\n');
  const std::string_view line = text.substr(0, newline == std::string_view::npos ? newline : newline + 1);
  text.remove_prefix(line.size());
  return line;
}

/// Once so many bytes were drawn, later lines are shown as by strip_ansi: four bytes can move the cursor to
/// the end of a row of 1,000.
constexpr std::size_t kMaxDrawnBytes = std::size_t{4} << 20U;

/// How many bytes after runs are drawn, for all runs together, until the cursor stands below all text.
constexpr std::size_t kMaxSettlingBytes = std::size_t{256} << 10U;

/// Making a screen takes as long as drawing so many bytes.
constexpr std::size_t kBytesAScreen = 512;

/// Lines that need no emulator, then a run that does.
struct Piece {
  std::string text;                  ///< what the lines show
  std::string_view text_raw;         ///< their bytes
  std::optional<std::size_t> slice;  ///< where in `text` the slice begins
  std::size_t lines = 0;
  std::string_view run;
  CharacterSets sets;  ///< where the run begins
};

/// Where in `bytes` the slice begins; nothing where that is elsewhere.
std::optional<std::size_t> place_in(std::string_view bytes, const char* slice) {
  const bool here = slice >= bytes.data() && slice < bytes.data() + bytes.size();
  return here ? std::optional(static_cast<std::size_t>(slice - bytes.data())) : std::nullopt;
}

/// The part of a text that spans two parts of it and the bytes between them.
std::string_view joined(std::string_view first, std::string_view last) {
  return first.empty() ? last : std::string_view(first.begin(), last.end());
}

/// Divides a log into pieces.
class Splitter {
 public:
  Splitter(const char* slice, int cols) : slice_(slice), cols_(cols) {}

  std::vector<Piece> split(std::string_view raw) {
    pieces_.resize(1);
    while (!raw.empty()) {
      throw_if_abandoned();
      const std::string_view line = take_line(raw);
      const LineState before = state_;
      if (!add_text(line)) {
        add_to_run(line, before.sets);
      }
    }
    return std::move(pieces_);
  }

 private:
  /// Whether the line needs no emulator.
  bool add_text(std::string_view line) {
    Piece& piece = pieces_.back();
    const bool finished = line.ends_with('\n');
    const std::string_view bytes = line.substr(0, line.size() - (finished ? 1 : 0));
    const std::size_t begin = piece.text.size();
    const LineState before = state_;
    const Effect effect = strip_line(bytes, state_, piece.text);
    if (before.alternate || effect == Effect::screen) {
      piece.text.resize(begin);
      return false;
    }
    const bool drawn_within = effect == Effect::line && drawn_bytes_ < kMaxDrawnBytes;
    if (drawn_within) {
      const auto drawn = draw_line(bytes, before.sets, cols_, widths_);
      piece.text.resize(begin);
      if (!drawn) {
        return false;
      }
      piece.text += drawn->text;
      drawn_bytes_ += drawn->text.size();
    }
    if (const auto at = place_in(line, slice_)) {
      const std::string shown = shown_before(bytes.substr(0, *at), before, drawn_within);
      piece.slice = begin + unchanged_beginning(std::string_view(piece.text).substr(begin), shown);
    }
    piece.text += finished ? "\n" : "";
    piece.text_raw = joined(piece.text_raw, line);
    ++piece.lines;
    return true;
  }

  /// What stood before the cursor where the slice begins within a line.
  std::string shown_before(std::string_view bytes, LineState state, bool drawn_within) {
    if (drawn_within) {
      const auto drawn = draw_line(bytes, state.sets, cols_, widths_);
      return drawn ? drawn->to_cursor : "";
    }
    std::string text;
    strip_line(bytes, state, text);
    return text;
  }

  void add_to_run(std::string_view line, const CharacterSets& sets) {
    if (pieces_.size() > 1 && pieces_.back().lines <= kScreenRows) {
      pieces_.pop_back();
    }
    if (pieces_.back().run.empty()) {
      pieces_.back().sets = sets;
    }
    pieces_.back().run = joined(pieces_.back().run, line);
    pieces_.emplace_back();
  }

  const char* slice_;
  const int cols_;
  CharacterWidths widths_;
  LineState state_;
  std::size_t drawn_bytes_ = 0;
  std::vector<Piece> pieces_;
};

/// Where the last kScreenRows lines of `text` begin.
std::size_t last_lines(std::string_view text) {
  std::size_t from = text.size();
  for (int lines = 0; lines < kScreenRows && from > 0; ++lines) {
    const std::size_t newline = text.rfind('\n', from - 2);
    from = from < 2 || newline == std::string::npos ? 0 : newline + 1;
  }
  return from;
}

/// Cuts the beginnings of runs, the earliest first, so that all together draw kMaxEmulatedBytes, or less
/// where rows are wider than usual: a byte may draw a whole screen. The lines drawn around a run count, at
/// the cost of earlier runs. Returns how many bytes each run lost.
std::vector<std::size_t> cut_runs(const std::vector<Piece>& pieces, std::size_t cols) {
  std::vector<std::size_t> omitted(pieces.size());
  std::size_t budget = kMaxEmulatedBytes * kUsualCols / std::max(cols, kUsualCols);
  for (std::size_t i = pieces.size(); i-- > 0;) {
    const std::string_view run = pieces[i].run;
    if (run.empty()) {
      continue;
    }
    const std::size_t most = run.size() - std::min(budget, run.size());
    omitted[i] = most < run.size() ? safe_cut(run.substr(0, most), true) : most;
    const std::size_t before = pieces[i].text.size() - last_lines(pieces[i].text);
    budget -= std::min(budget, run.size() - omitted[i] + before + kBytesAScreen);
  }
  return omitted;
}

/// Whether a run before these lines is out of reach of the slice.
bool ends_before(std::string_view lines, const char* slice) {
  return !lines.empty() && lines.data() + lines.size() <= slice;
}

/// Draws one line of a run, or of the lines around it.
void draw(Screen& screen, std::string_view line, std::optional<std::size_t> slice_at) {
  const bool finished = line.ends_with('\n');
  line.remove_suffix(finished ? 1 : 0);
  if (slice_at == 0U) {
    screen.begin_slice();
    slice_at.reset();
  }
  std::string text;
  LineState state{.alternate = false, .sets = screen.sets()};
  if (!slice_at && !screen.alternate() && strip_line(line, state, text) == Effect::none) {
    screen.write_text(text);
    screen.sets() = state.sets;
  } else {
    screen.write(line, slice_at.value_or(std::string_view::npos));
  }
  if (finished) {
    screen.new_line();
  }
}

void draw_lines(Screen& screen, std::string_view lines, const char* slice) {
  while (!lines.empty()) {
    throw_if_abandoned();
    const std::string_view line = take_line(lines);
    draw(screen, line, place_in(line, slice));
  }
}

/// Renders pieces one after the other.
class PieceRenderer {
 public:
  PieceRenderer(const char* slice, int cols) : slice_(slice), cols_(cols) {}

  void add_text(const Piece& piece) {
    slice_begins_ = piece.slice ? std::optional(out_.size() + *piece.slice) : slice_begins_;
    out_ += piece.text;
  }

  /// Draws `piece`'s run and appends the visible text, whose last lines the run may change. `after` loses the
  /// lines that were drawn, too.
  void add_run(const Piece& piece, std::size_t omitted, Piece& after) {
    const auto slice_at = place_in(piece.run, slice_);
    slice_begins_ = slice_at ? std::optional(out_.size()) : slice_begins_;
    const std::size_t before_slice = slice_begins_ ? std::min(slice_at.value_or(0), omitted) : omitted;
    if (omitted > before_slice) {
      out_ += "[" + std::to_string(omitted - before_slice) + " bytes of screen drawing left out]\n";
    }
    if (omitted == piece.run.size()) {
      return;
    }
    Screen screen(cols_);
    if (omitted == 0) {
      draw_text_before(screen);
      screen.sets() = piece.sets;
    } else {
      std::string text;
      LineState state{.alternate = false, .sets = piece.sets};
      strip_line(piece.run.substr(0, omitted), state, text);
      screen.switch_to(state.alternate);
      screen.sets() = state.sets;
    }
    draw_lines(screen, piece.run.substr(omitted), slice_);
    draw_until_settled(screen, after);
    if (screen.in_slice()) {
      out_.clear();
      slice_begins_ = 0;
    }
    cleared_lines_ += slice_begins_ ? screen.cleared_lines() : 0;
    out_ += screen.finish();
    if (!after.text.empty() && !out_.empty() && out_.back() != '\n') {
      out_ += '\n';
    }
  }

  [[nodiscard]] Rendered result() && {
    out_.erase(0, slice_begins_.value_or(0));
    return {std::move(out_), cleared_lines_};
  }

 private:
  /// Takes off the text what the run can reach.
  void draw_text_before(Screen& screen) {
    const std::size_t from = last_lines(out_);
    const std::string last = out_.substr(from);
    out_.resize(from);
    const bool begins_there = slice_begins_ && *slice_begins_ >= from && *slice_begins_ < from + last.size();
    draw_lines(screen, last, begins_there ? last.data() + (*slice_begins_ - from) : nullptr);
  }

  /// Draws lines after a run until the cursor stands below all text: a run may end with the cursor above it.
  void draw_until_settled(Screen& screen, Piece& after) {
    std::string_view text = after.text;
    for (int lines = 0; lines < 2 * kScreenRows && !after.text_raw.empty() && !screen.at_end(); ++lines) {
      const std::string_view line = take_line(after.text_raw);
      if (line.size() > settling_) {
        break;
      }
      settling_ -= line.size();
      draw(screen, line, place_in(line, slice_));
      take_line(text);
    }
    const std::size_t drawn = after.text.size() - text.size();
    after.text.erase(0, drawn);
    if (after.slice) {
      after.slice =
          *after.slice < drawn || screen.in_slice() ? std::nullopt : std::optional(*after.slice - drawn);
    }
  }

  const char* slice_;
  const int cols_;
  std::size_t settling_ = kMaxSettlingBytes;
  std::string out_;
  std::optional<std::size_t> slice_begins_;  ///< in out_
  std::uint64_t cleared_lines_ = 0;
};

}  // namespace

Rendered render_slice(std::string_view raw, std::size_t slice_at, int cols) {
  if (slice_at >= raw.size()) {
    return {};
  }
  cols = std::clamp(cols, 2, 1000);
  const char* const slice = raw.data() + slice_at;
  std::vector<Piece> pieces = Splitter(slice, cols).split(raw);
  const std::vector<std::size_t> omitted = cut_runs(pieces, static_cast<std::size_t>(cols));
  PieceRenderer renderer(slice, cols);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    renderer.add_text(pieces[i]);
    if (!pieces[i].run.empty() && (i + 2 >= pieces.size() || !ends_before(pieces[i + 1].text_raw, slice))) {
      renderer.add_run(pieces[i], omitted[i], pieces[i + 1]);
    }
  }
  return std::move(renderer).result();
}

std::string render(std::string_view raw, int cols) {
  return render_slice(raw, 0, cols).text;
}

}  // namespace terminally
