// Collects the values to mask from the environment, a file and the variables of tabs.
#include "toolkit/redaction.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

#include "base/error.hpp"

namespace terminally {
namespace {

constexpr const char* kFileName = "mask-file";

bool is_variable(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, fits);
}

void add_from_environment(const std::vector<std::string>& variables, Secrets& secrets) {
  for (const std::string& name : variables) {
    if (!is_variable(name)) {
      throw Error(ErrorCode::invalid_argument,
                  "--mask-env: \"" + name + "\" is no variable; allowed: letters, digits and _");
    }
    const char* value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') {
      std::cerr << "terminally-mcp: --mask-env: " << name << " is "
                << (value == nullptr ? "not set" : "empty")
                << " in the server's environment; only values that create_tab sets for it are masked\n";
    } else if (!secrets.add(name, value)) {
      std::cerr << "terminally-mcp: --mask-env: the value of " << name << " has fewer than "
                << KnownValues::kLeastBytes << " bytes and is not masked\n";
    }
  }
}

void add_from_file(const std::filesystem::path& path, Secrets& secrets) {
  std::ifstream file(path);
  if (!file) {
    throw Error(ErrorCode::io, "--mask-file: cannot read " + path.string() + ": " + std::strerror(errno));
  }
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (!line.empty() && !secrets.add(kFileName, line)) {
      std::cerr << "terminally-mcp: --mask-file: line " << number << " has fewer than "
                << KnownValues::kLeastBytes << " bytes and is not masked\n";
    }
  }
}

}  // namespace

void Redaction::learn(const std::vector<Variable>& environment) {
  std::shared_ptr<Secrets> more;
  for (const auto& [name, value] : environment) {
    if (std::ranges::find(variables, name) != variables.end()) {
      if (!more) {
        more = std::make_shared<Secrets>(*secrets);
      }
      static_cast<void>(more->add(name, value));
    }
  }
  if (more) {
    secrets = std::move(more);
  }
}

std::shared_ptr<Redaction> make_redaction(const Config& config) {
  auto redaction = std::make_shared<Redaction>();
  const bool values = config.redact == Redact::all;
  auto secrets =
      std::make_shared<Secrets>(Secrets::Options{.rules = config.redact != Redact::off, .values = values});
  if (values) {
    redaction->variables = config.mask_env;
    add_from_environment(redaction->variables, *secrets);
    if (!config.mask_file.empty()) {
      add_from_file(config.mask_file, *secrets);
    }
  }
  redaction->secrets = std::move(secrets);
  return redaction;
}

}  // namespace terminally
