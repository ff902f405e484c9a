#include "tmux/tabs/window_options.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/utf8.hpp"
#include "instance/helpers.hpp"
#include "system/account.hpp"
#include "system/work_directory.hpp"
#include "tmux/server/server_config.hpp"
#include "tmux/wire/client.hpp"
#include "tmux/wire/tab_variables.hpp"

namespace terminally {
namespace {

constexpr std::size_t kLongestNameBytes = 200;
constexpr std::size_t kLongestVariableName = 255;
/// Every program gets it with its arguments: the kernel refuses more than a quarter of the stack's limit.
constexpr std::size_t kMostEnvBytes = 262'144;

Error invalid(const std::string& message) {
  return Error(ErrorCode::invalid_argument, message);
}

/// The system sees what stands before it, and so would who reads an error that shows it.
void refuse_nul(const std::string& text, const std::string& field) {
  if (text.find('\0') != std::string::npos) {
    throw invalid(field + ": has a NUL byte, which the system cannot take");
  }
}

bool is_variable_name(const std::string& name) {
  return !name.empty() && (std::isdigit(static_cast<unsigned char>(name.front())) == 0) &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return c == '_' || (c < 128 && std::isalnum(c) != 0); });
}

/// Without our helper programs the window would end at once, or have no log.
void check_helpers_are_there(const Config& config) {
  if (const std::string trouble = trouble_with_helpers(config); !trouble.empty()) {
    throw Error(ErrorCode::io, "no tab can be opened: " + trouble);
  }
}

/// What no tab can be given: the shell, or we, set it anew.
std::optional<std::string_view> why_not_given(std::string_view name) {
  if (name == "PWD") {
    return "the shell sets it to the tab's directory; give cwd";
  }
  if (name == "_" || name == "SHLVL") {
    return "the shell sets it itself";
  }
  if (name == "TERMINALLY_TAB") {
    return "by it the processes of a tab are known";
  }
  return std::nullopt;
}

void check_environment(const std::map<std::string, std::string>& variables) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : variables) {
    refuse_nul(name, "env");
    if (name.size() > kLongestVariableName) {
      throw invalid("env: a name of " + std::to_string(name.size()) + " bytes is too long; at most " +
                    std::to_string(kLongestVariableName) + " are allowed");
    }
    if (!is_variable_name(name)) {
      throw invalid(
          "env: \"" + name +
          "\" is no variable name; allowed are letters, digits and '_', not beginning with a digit");
    }
    if (value.find('\0') != std::string::npos) {
      throw invalid("env: the value of " + name + " has a NUL byte, which no environment can hold");
    }
    if (const auto reason = why_not_given(name)) {
      throw invalid("env: " + name + " cannot be given: " + std::string(*reason));
    }
    bytes += name.size() + value.size() + 2;  // "=" and the NUL at the end
  }
  if (bytes > kMostEnvBytes) {
    throw invalid("env: " + std::to_string(bytes) + " bytes in all are too many; at most " +
                  std::to_string(kMostEnvBytes) + " are allowed, put what is large into a file");
  }
}

}  // namespace

void check_tab_name(const std::string& name) {
  if (name.size() > kLongestNameBytes) {
    throw invalid("name: " + std::to_string(name.size()) + " bytes are too many; at most 200 are allowed");
  }
  if (!is_valid_utf8(name) || has_control_characters(name)) {
    throw invalid("name: control characters and invalid UTF-8 are not allowed");
  }
}

WindowOptions window_options(const Config& config, const CreateTab& request) {
  check_tab_name(request.name);
  check_helpers_are_there(config);
  std::error_code error;
  const std::string cwd = meant_directory(config.project, request.cwd);
  if (!std::filesystem::is_directory(cwd, error)) {
    throw invalid("cwd: \"" + cwd + "\" is no directory; give one that exists");
  }
  WindowOptions options;
  options.shell = user_shell();
  refuse_nul(request.shell, "shell");
  if (!request.shell.empty()) {
    options.shell = find_program(request.shell);
    if (options.shell.empty() || options.shell.front() != '/') {
      throw invalid("shell: \"" + request.shell +
                    "\" is no program; give its absolute path, or a name on PATH such as bash or zsh");
    }
  }
  options.name =
      request.name.empty() ? std::filesystem::path(options.shell).filename().string() : request.name;
  const auto add = [&options](const char* flag, std::string value) {
    options.words.emplace_back(flag);
    options.words.push_back(std::move(value));
  };
  add("-n", format_literal(options.name));
  add("-c", format_literal(cwd));
  check_environment(request.env);
  const auto add_variable = [&](std::string name, const std::string& value) {
    add("-e", name + "=" + value);
    options.variables.push_back(std::move(name));
  };
  for (const auto& [name, value] : request.env) {
    add_variable(std::string(kCarrier) + name, value);
  }
  add_variable("TERMINALLY_SHELL", options.shell);
  add_variable("TERMINALLY_LOGIN", request.login ? "1" : "0");
  if (request.helper) {
    add_variable(kHelperMark, options.name);
  }
  add("--", (config.helper_dir / "terminally-shell").string());
  options.words.emplace_back("tab");  // two words: tmux runs them without a shell
  return options;
}

}  // namespace terminally
