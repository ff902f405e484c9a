#pragma once

#include <cstddef>
#include <span>

#include "base/timeout.hpp"
#include "http/rules.hpp"
#include "http/service.hpp"
#include "http/sessions.hpp"
#include "http/site.hpp"
#include "http/web_files.hpp"

namespace terminally {

/// What all connections of a server share.
struct House {
  ListenPlace place;
  Site& site;
  std::span<const WebFile> files;
  Sessions sessions;
  bool ends = false;           ///< no further request is taken
  Service* service = nullptr;  ///< of programs; null: there is none
  Milliseconds body_within{};  ///< what a request has for its body
};

// What a stranger may cost.
inline constexpr std::size_t kMostConnections = 512;
inline constexpr std::size_t kMostStrangers = 256;  ///< connections that have shown neither cookie nor token
inline constexpr std::size_t kMostHeader = std::size_t{16} << 10U;
inline constexpr std::size_t kMostBody = std::size_t{1} << 20U;
inline constexpr std::size_t kMostProgramBody = std::size_t{16} << 20U;
inline constexpr std::size_t kMostMessage = std::size_t{64} << 10U;  ///< from a page
inline constexpr std::size_t kMostInbox = std::size_t{256} << 10U;   ///< read, and not yet received
inline constexpr std::size_t kMostUnsent = std::size_t{256} << 10U;  ///< of one socket
inline constexpr Milliseconds kIdle{75'000};                         ///< between two requests
inline constexpr Milliseconds kHeaderWithin{10'000};                 ///< from the first byte on
inline constexpr Milliseconds kPieceWithin{30'000};                  ///< 64 KiB of an answer taken
inline constexpr Milliseconds kLeaveWithin{2'000};  ///< what a refused request still sends is read
inline constexpr Milliseconds kPausedFor{600'000};  ///< a download that a person has paused
inline constexpr Milliseconds kSilence{20'000};     ///< of a page's socket; a ping comes after half of it

}  // namespace terminally
