#pragma once

#include "config.hpp"

namespace CLI {
class App;
}

namespace terminally {

/// The defaults that depend on the machine: directories by user and home, helpers beside the program or where
/// `cmake --install` puts them.
[[nodiscard]] Config default_config();

/// The flags that fill `config`, each with its environment variable where it has one.
void add_options(CLI::App& app, Config& config);

}  // namespace terminally
