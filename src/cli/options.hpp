#pragma once

#include "config.hpp"

namespace CLI {
class App;
}

namespace terminally {

/// The default configuration, with directories that depend on the user and their home.
[[nodiscard]] Config default_config();

/// Adds the flags that fill `config`, and the environment variables of those that have one.
void add_options(CLI::App& app, Config& config);

/// What --agent sets where no other option does, and which instance `auto` means. To be called once the
/// command line is known.
void settle_options(const CLI::App& app, Config& config);

/// Finds the helpers once the flags are known: beside the program, where `cmake --install` puts them, or
/// inside the program, to be unpacked.
void place_helpers(Config& config);

}  // namespace terminally
