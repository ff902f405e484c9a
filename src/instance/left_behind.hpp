#pragma once

#include <filesystem>
#include <string>

#include "config.hpp"
#include "instance/instance.hpp"

namespace terminally {

// The instances of gateways that are to end with their gateway, where that was killed before it could end
// them.

/// The lock of the one server that serves a gateway in the instance of that name; it is held as long as the
/// server lives.
[[nodiscard]] std::filesystem::path gateway_lock_path(const Config& config, const std::string& instance);

/// To be called by the server of the gateway, each time that it takes the instance.
void mark_temporary(const Instance& instance);

/// At a goodbye: nobody comes back, whether or not its server lives to end it.
void mark_left(const Instance& instance);

enum class LeftBehind {
  no,        ///< it may outlive its gateway
  not_yet,   ///< its gateway lives, or may come back
  for_good,  ///< its gateway said goodbye, or nobody has served it for ten minutes
};

/// Notes when the instance was first seen without a server of its gateway: ask again later.
[[nodiscard]] LeftBehind left_behind(const Config& config, const Instance& instance);

// The named instances that nobody comes back to.

/// A server comes to the instance.
void note_served(const Instance& instance);
/// The last of its servers leaves.
void note_alone(const Instance& instance);
/// Whether no server has worked on it for a day, and nothing was printed in its tabs. A server that was
/// killed has noted nothing: then the time counts from the first of these calls.
[[nodiscard]] bool is_alone_for_a_day(const Instance& instance);

}  // namespace terminally
