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
  std::string text;           ///< what the lines show
  std::string_view text_raw;  ///< their bytes
  std::size_t lines = 0;
  std::string_view run;
};

/// The part of a text that spans two parts of it and the bytes between them.
std::string_view joined(std::string_view first, std::string_view last) {
  return first.empty() ? last : std::string_view(first.begin(), last.end());
}

/// Divides a log into pieces.
class Splitter {
 public:
  explicit Splitter(int cols) : cols_(cols) {}

  std::vector<Piece> split(std::string_view raw) {
    pieces_.resize(1);
    while (!raw.empty()) {
      throw_if_abandoned();
      const std::string_view line = take_line(raw);
      if (!add_text(line)) {
        add_to_run(line);
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
    const std::size_t before = piece.text.size();
    const bool was_alternate = alternate_;
    const LineEffect did = strip_line(bytes, was_alternate, piece.text);
    alternate_ = did.alternate;
    if (was_alternate || did.effect == Effect::screen) {
      piece.text.resize(before);
      return false;
    }
    if (did.effect == Effect::line && drawn_bytes_ < kMaxDrawnBytes) {
      const auto drawn = draw_line(bytes, cols_, widths_);
      piece.text.resize(before);
      if (!drawn) {
        return false;
      }
      piece.text += *drawn;
      drawn_bytes_ += drawn->size();
    }
    piece.text += finished ? "\n" : "";
    piece.text_raw = joined(piece.text_raw, line);
    ++piece.lines;
    return true;
  }

  void add_to_run(std::string_view line) {
    if (pieces_.size() > 1 && pieces_.back().lines <= kScreenRows) {
      pieces_.pop_back();
    }
    pieces_.back().run = joined(pieces_.back().run, line);
    pieces_.emplace_back();
  }

  const int cols_;
  CharacterWidths widths_;
  bool alternate_ = false;
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

std::string take_last_lines(std::string& text) {
  const std::size_t from = last_lines(text);
  std::string last = text.substr(from);
  text.resize(from);
  return last;
}

/// Draws one line of a run, or of the lines around it.
void draw(Screen& screen, std::string_view line) {
  std::string text;
  const bool finished = line.ends_with('\n');
  line.remove_suffix(finished ? 1 : 0);
  if (strip_line(line, false, text).effect == Effect::none && !screen.alternate()) {
    screen.write_text(text);
  } else {
    screen.write(line);
  }
  if (finished) {
    screen.new_line();
  }
}

void draw_lines(Screen& screen, std::string_view lines) {
  while (!lines.empty()) {
    throw_if_abandoned();
    draw(screen, take_line(lines));
  }
}

/// Draws lines after a run until the cursor stands below all text: a run may end with the cursor above it.
/// Draws no more than `budget` bytes, which all runs share.
void draw_until_settled(Screen& screen, Piece& after, std::size_t& budget) {
  std::string_view text = after.text;
  for (int lines = 0; lines < 2 * kScreenRows && !after.text_raw.empty() && !screen.at_end(); ++lines) {
    const std::string_view line = take_line(after.text_raw);
    if (line.size() > budget) {
      break;
    }
    budget -= line.size();
    draw(screen, line);
    take_line(text);
  }
  after.text.erase(0, after.text.size() - text.size());
}

/// Draws `piece`'s run and appends the visible text to `out`, whose last lines the run may change.
void emulate(std::string& out, const Piece& piece, std::size_t omitted, Piece& after, int cols,
             std::size_t& settling) {
  if (omitted > 0) {
    out += "[" + std::to_string(omitted) + " bytes of screen drawing left out]\n";
  }
  if (omitted == piece.run.size()) {
    return;
  }
  Screen screen(cols);
  if (omitted == 0) {
    draw_lines(screen, take_last_lines(out));
  } else {
    std::string text;
    screen.switch_to(strip_line(piece.run.substr(0, omitted), false, text).alternate);
  }
  draw_lines(screen, piece.run.substr(omitted));
  draw_until_settled(screen, after, settling);
  out += screen.finish();
  if (!after.text.empty() && !out.empty() && out.back() != '\n') {
    out += '\n';
  }
}

}  // namespace

std::string render(std::string_view raw, int cols) {
  cols = std::clamp(cols, 2, 1000);
  std::vector<Piece> pieces = Splitter(cols).split(raw);
  const std::vector<std::size_t> omitted = cut_runs(pieces, static_cast<std::size_t>(cols));
  std::size_t settling = kMaxSettlingBytes;
  std::string out;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    out += pieces[i].text;
    if (!pieces[i].run.empty()) {
      emulate(out, pieces[i], omitted[i], pieces[i + 1], cols, settling);
    }
  }
  return out;
}

}  // namespace terminally
