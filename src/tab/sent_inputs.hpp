#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/timeout.hpp"
#include "log/pane_log.hpp"
#include "text/typed_echo.hpp"

namespace terminally {

/// The latest inputs of this process to a tab, by which their echo is told from what programs print. In
/// memory only; what was typed where nothing is echoed, such as a password, is not kept.
class SentInputs {
 public:
  /// To be called just before it is typed. `echoed_by`, and `from_byte`, the end of the log: then. `pasted`:
  /// as one paste, where the program takes pastes.
  void add(const PaneLog& log, TypedInput::EchoedBy echoed_by, std::uint64_t from_byte, std::string_view text,
           bool pasted);

  struct Echo {
    std::uint64_t end = 0;  ///< what is printed begins there
    bool open = false;      ///< what comes next decides whether it is one: ask again
  };
  /// When it is asked what is an echo.
  struct Asked {
    Clock::time_point now;
    Clock::time_point log_grew;  ///< was seen to
    Clock::time_point first;     ///< whether there was an echo there, which was open
  };
  /// The echo that what ends at this offset is in.
  [[nodiscard]] std::optional<Echo> echo_at(const PaneLog& log, std::uint64_t end, const Asked& asked) const;

 private:
  struct Sent {
    std::uint64_t from_byte = 0;
    Clock::time_point when;
    TypedInput input;
  };

  std::deque<Sent> sent_;
};

}  // namespace terminally
