#pragma once

#include <optional>
#include <string_view>

#include "text/playback.hpp"
#include "text/viewer_screen.hpp"

namespace terminally {

/// Where a log is shown: stdout. Only what draws gets there (playback.hpp). On a terminal nothing that was on
/// it is drawn over, and its modes are at the end as they were (viewer_screen.hpp), however that end comes.
class Stage {
 public:
  enum class Page {
    as_needed,  ///< what was on the terminal stays in sight until something is drawn over the whole screen
    own,        ///< what is shown begins on an empty screen, as it did in its tab
  };
  explicit Stage(Page page);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Throws as `print`.
  void show(std::string_view bytes);

 private:
  PlaybackFilter filter_;
  std::optional<ViewerScreen> screen_;  ///< where stdout is a terminal
};

}  // namespace terminally
