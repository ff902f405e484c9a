#pragma once

#include "config.hpp"

namespace CLI {
class App;
}

namespace terminally {

/// The defaults that depend on the machine: directories by user and home.
[[nodiscard]] Config default_config();

/// The flags that fill `config`, each with its environment variable where it has one.
void add_options(CLI::App& app, Config& config);

/// Where the helpers are, once the flags are known: beside the program, where `cmake --install` puts them, or
/// inside of the program, to be unpacked.
void place_helpers(Config& config);

}  // namespace terminally
