#pragma once

#include <optional>
#include <string_view>

#include "text/playback.hpp"
#include "text/viewer_screen.hpp"

namespace terminally {

/// Shows a log on stdout. Only sequences that draw get there (playback.hpp). On a terminal, earlier text is
/// not drawn over, and the destructor restores the terminal's modes (viewer_screen.hpp).
class LogDisplay {
 public:
  LogDisplay();
  ~LogDisplay();
  LogDisplay(const LogDisplay&) = delete;
  LogDisplay& operator=(const LogDisplay&) = delete;

  /// Throws as `print`.
  void show(std::string_view bytes);

 private:
  PlaybackFilter filter_;
  std::optional<ViewerScreen> screen_;  ///< set where stdout is a terminal
};

}  // namespace terminally
