#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config.hpp"
#include "secrets/secrets.hpp"
#include "server/tab_variables.hpp"

namespace terminally {

/// What is masked in what models read: --redact, --mask-env, --mask-file.
struct Redaction {
  std::shared_ptr<const Secrets> secrets;  ///< replaced when it learns: whoever has it keeps what they have
  std::vector<std::string> variables;      ///< --mask-env; none where values are not masked
  TabVariables tabs;                       ///< those whose variables it has learnt

  /// Of these variables of tabs, the values of those that are to be masked are from now on.
  void learn(const std::vector<Variable>& environment);
};

/// Reads the server's environment and the file. What is too short to be masked is named on stderr. Throws
/// Error(io) when the file cannot be read, Error(invalid_argument) for what is no name of a variable.
[[nodiscard]] std::shared_ptr<Redaction> make_redaction(const Config& config);

}  // namespace terminally
