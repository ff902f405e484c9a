#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config.hpp"
#include "secrets/secrets.hpp"
#include "tmux/wire/tab_variables.hpp"

namespace terminally {

/// The values to mask in text that models read: --redact, --mask-env, --mask-file.
struct Redaction {
  std::shared_ptr<const Secrets> secrets;  ///< `learn` replaces it; a holder keeps the old one
  std::vector<std::string> variables;      ///< --mask-env; empty where values are not masked
  TabVariables tabs;                       ///< the tabs whose variables were learnt

  /// Masks from now on the values of those of a tab's variables that are in `variables`.
  void learn(const std::vector<Variable>& environment);
};

/// Reads the server's environment and the file. Values too short to be masked are named on stderr. Throws
/// Error(io) when the file cannot be read, Error(invalid_argument) for a bad name of a variable.
[[nodiscard]] std::shared_ptr<Redaction> make_redaction(const Config& config);

}  // namespace terminally
