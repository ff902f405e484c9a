#pragma once

#include <string>
#include <vector>

#include "base/process.hpp"
#include "config.hpp"
#include "tmux/tabs/requests.hpp"

namespace terminally {

/// What a new window is made of.
struct WindowOptions {
  std::string name;
  std::string shell;
  Argv words;  ///< of new-window and new-session
  /// The variables among the words. new-session keeps them for all later windows of the session.
  std::vector<std::string> variables;
};

/// In the environment of a helper tab, from its start on: the name that it was given.
inline constexpr const char* kHelperMark = "TERMINALLY_HELPER";

/// Throws Error(invalid_argument) that names the field which cannot be used.
[[nodiscard]] WindowOptions window_options(const Config& config, const CreateTab& request);

/// Throws Error(invalid_argument) unless it is up to 200 bytes of UTF-8 without control characters.
void check_tab_name(const std::string& name);

}  // namespace terminally
