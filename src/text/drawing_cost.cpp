#include "text/drawing_cost.hpp"

#include <algorithm>
#include <vector>

#include "base/one_of.hpp"
#include "base/worker.hpp"
#include "text/ansi_parser.hpp"
#include "text/csi.hpp"
#include "text/screen.hpp"

namespace terminally {
namespace {

/// How fine the place is where a run may be cut.
constexpr std::size_t kStepBytes = 256;
/// To make a screen, and to draw what surrounds the run.
constexpr std::uint64_t kScreensARun = 20;
constexpr std::uint64_t kCellsARun = 50'000;
/// What every newline and escape costs, however narrow the screen is.
constexpr std::uint64_t kCellsAStep = 100;
/// A character, with its share in the scrolling of a full row.
constexpr std::uint64_t kCellsACharacter = 10 + kScreenRows;

/// AnsiParser handler: adds up what each control and each text costs.
class CostMeter {
 public:
  CostMeter(int cols, std::size_t bytes_before)
      : row_(static_cast<std::uint64_t>(cols)),
        screen_(row_ * kScreenRows),
        cells_(std::max(kCellsARun, bytes_before * kCellsACharacter) + kScreensARun * screen_) {}

  [[nodiscard]] std::uint64_t cells() const { return cells_; }

  void text(std::string_view text) {
    cells_ += text.size() * kCellsACharacter;
    for (const char c : text) {
      if (c == '\n') {
        // A line that the screen would not give back as it was is compared with what it shows.
        cells_ += kCellsAStep + screen_ / 2 + (tab_ || blank_ || line_ > row_ ? screen_ : 0);
        tab_ = blank_ = false;
        line_ = 0;
      } else {
        tab_ = tab_ || c == '\t';
        blank_ = c == ' ';
        ++line_;
      }
    }
  }

  void control(char c) { cells_ += c == '\v' || c == '\f' ? screen_ : kCellsACharacter; }

  void escape(char intermediate, char final) {
    cells_ += effect_of_escape(intermediate, final) == Effect::none ? 1
              : final == 'c'                                        ? kCellsAStep + 2 * screen_
                                                                    : kCellsAStep + screen_;
  }

  void csi(std::string_view parameters, char final) {
    const Csi csi = parse_csi(parameters, final);
    if (effect_of(csi) == Effect::none) {
      cells_ += 1;
    } else if (is_one_of(final, "JLMSThl")) {
      cells_ += screen_ * std::max<std::size_t>(csi.count, 1);
    } else {
      cells_ += row_ + kCellsACharacter;
    }
  }

 private:
  const std::uint64_t row_;
  const std::uint64_t screen_;
  std::uint64_t cells_;
  std::uint64_t line_ = 0;
  bool tab_ = false;
  bool blank_ = false;
};

}  // namespace

std::size_t affordable_from(std::string_view run, int cols, std::size_t bytes_before, std::uint64_t& cells) {
  CostMeter meter(cols, bytes_before);
  AnsiParser<CostMeter> parser;
  const std::uint64_t to_begin = meter.cells();
  std::vector<std::uint64_t> before;  // each step, what the run has cost up to there
  for (std::size_t at = 0; at < run.size(); at += kStepBytes) {
    throw_if_abandoned();
    before.push_back(meter.cells() - to_begin);
    parser.feed(run.substr(at, kStepBytes), meter);
  }
  const std::uint64_t all = meter.cells() - to_begin;
  const std::uint64_t budget = cells - std::min(cells, to_begin);
  const auto first = std::ranges::find_if(before, [&](std::uint64_t cost) { return all - cost <= budget; });
  const auto from = static_cast<std::size_t>(first - before.begin()) * kStepBytes;
  if (from >= run.size()) {
    cells = 0;
    return run.size();
  }
  cells = budget - (all - *first);
  return from;
}

}  // namespace terminally
