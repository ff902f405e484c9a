#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "json/json_size.hpp"
#include "log/masking.hpp"
#include "log/text_view.hpp"

namespace terminally {

/// Some bytes of a log, and the text that they are for a reader.
struct FittingText {
  std::uint64_t bytes = 0;
  std::string text;
};

/// Looks for as much of `all` bytes as has a text of at most `budget` bytes as JSON: a text may be far
/// shorter than its bytes (escape sequences, redraws) or far longer (controls, masks). `text_of(wanted)`
/// gives the text of at most `wanted` bytes, cut where it may be cut, and how many they are. What is returned
/// fits; that nothing more would is not sure after so few looks. Nothing when not even the first piece fits.
template <class TextOf>
[[nodiscard]] FittingText fitting(std::uint64_t all, std::uint64_t budget, const TextOf& text_of) {
  constexpr int kMostLooks = 10;
  FittingText best;
  std::uint64_t best_size = 0;
  std::uint64_t fits = 0;            // so much is known to fit
  std::uint64_t too_much = all + 1;  // and so much not to
  std::uint64_t too_large = 0;       // the size of that, once there is one
  std::uint64_t wanted = std::min(all, budget);
  for (int looks = 0; looks < kMostLooks && wanted > fits; ++looks) {
    FittingText piece = text_of(wanted);
    const std::uint64_t size = json_size(piece.text);
    if (size <= budget) {
      fits = wanted;
      best_size = size;
      best = std::move(piece);
    } else {
      too_much = wanted;
      too_large = size;
    }
    const std::uint64_t room = budget - best_size;
    if (room <= budget / 64 || too_much - fits <= 1) {
      break;
    }
    const std::uint64_t between = too_much - fits;
    const bool halve = too_large != 0 && looks % 2 == 1;
    wanted = fits + (too_large == 0 ? room : halve ? between / 2 : between * room / (too_large - best_size));
    wanted = std::clamp(wanted, fits + 1, too_much - 1);
  }
  return best;
}

/// Which end of a text is kept when not all of it fits.
enum class Keep { beginning, end };

/// A part of a log as text of at most `budget` bytes as JSON, cut between characters and outside of any
/// sequence; an end that is kept begins with a line if it can. Of a beginning, the first character is given
/// in any case: a reader must come on. The rest of the part counts as what is around it: secrets are masked
/// as in the whole. Pure but for the guard's counts, and may be called from any thread.
[[nodiscard]] FittingText fitting_text(const LogPart& part, const TextView& view, int cols, Keep keep,
                                       std::uint64_t budget);

/// The same view for a look that shows nothing to anybody: with a guard that counts for itself.
[[nodiscard]] TextView view_for_a_look(const TextView& view);

/// Where the first `wanted` bytes, or a little less, end between characters and outside of any sequence; a
/// sequence that is all there is is taken whole. At the end of the log, what is unfinished is left for the
/// next call, unless it is all there is.
[[nodiscard]] std::size_t text_border(std::string_view bytes, std::size_t wanted, bool at_end);

/// Where a text that begins somewhere within a log may begin: after the next newline if one is near, else
/// between characters and outside of any sequence. `before` is what stands before `bytes`.
[[nodiscard]] std::size_t tail_border(std::string_view before, std::string_view bytes);

}  // namespace terminally
