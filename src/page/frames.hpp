#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace terminally {

/// What a binary message says beside its bytes.
struct FrameFlags {
  bool is_current = false;  ///< nothing more is in the log for now
  bool is_last = false;     ///< the tab is closed: nothing more comes
};

inline constexpr std::size_t kFrameHeaderBytes = 16;

/// A binary message to a page: 16 bytes that say which bytes of a log follow, and these. doc/page-wire.md,
/// "Frames".
[[nodiscard]] std::string log_frame(FrameFlags flags, std::uint16_t channel, std::uint64_t offset,
                                    std::string_view bytes);

/// A frame that was read.
struct LogFrame {
  FrameFlags flags;
  std::uint16_t channel = 0;
  std::uint64_t offset = 0;
  std::string bytes;
};

/// Nothing for what is no frame. A stranger may have made it.
[[nodiscard]] std::optional<LogFrame> read_log_frame(std::string_view frame);

}  // namespace terminally
