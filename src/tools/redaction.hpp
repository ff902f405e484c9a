#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/secrets.hpp"
#include "config.hpp"

namespace terminally {

/// What is masked in what models read: --redact, --mask-env, --mask-file.
struct Redaction {
  std::shared_ptr<const Secrets> secrets;  ///< replaced when it learns: whoever has it keeps what they have
  std::vector<std::string> variables;      ///< --mask-env

  /// Of these variables of a tab, the values of those that are to be masked are from now on.
  void learn(const std::map<std::string, std::string>& environment);
};

/// Reads the server's environment and the file. What is too short to be masked is named on stderr. Throws
/// Error(io) when the file cannot be read, Error(invalid_argument) for what is no name of a variable.
[[nodiscard]] std::shared_ptr<Redaction> make_redaction(const Config& config);

}  // namespace terminally
