#include "tools/redaction.hpp"

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

void add_from_environment(const Redaction& redaction) {
  for (const std::string& name : redaction.variables) {
    if (!is_variable(name)) {
      throw Error(ErrorCode::invalid_argument,
                  "--mask-env: \"" + name + "\" is no variable; allowed: letters, digits and _");
    }
    const char* value = std::getenv(name.c_str());
    if (value != nullptr && *value != '\0' && !redaction.secrets->add(name, value)) {
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

void Redaction::learn(const std::map<std::string, std::string>& environment) const {
  for (const auto& [name, value] : environment) {
    if (std::ranges::find(variables, name) != variables.end()) {
      static_cast<void>(secrets->add(name, value));
    }
  }
}

std::shared_ptr<const Redaction> make_redaction(const Config& config) {
  auto redaction = std::make_shared<Redaction>();
  const bool values = config.redact == Redact::all;
  redaction->secrets =
      std::make_shared<Secrets>(Secrets::Options{.rules = config.redact != Redact::off, .values = values});
  redaction->variables = config.mask_env;
  if (values) {
    add_from_environment(*redaction);
    if (!config.mask_file.empty()) {
      add_from_file(config.mask_file, *redaction->secrets);
    }
  }
  return redaction;
}

}  // namespace terminally
