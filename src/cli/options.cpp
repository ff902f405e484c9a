// Adds the program's flags to CLI11, with their defaults and checks, and finds the helper programs.
#include "cli/options.hpp"
#include "cli/arguments.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

#include "files/project.hpp"
#include "instance/helpers.hpp"
#include "system/account.hpp"
#include "tab/window_size.hpp"

namespace terminally {
namespace {

/// The user's home directory: HOME, else the account's, as login(1) sets it.
std::filesystem::path home() {
  if (const char* value = std::getenv("HOME"); value != nullptr && *value == '/') {
    return value;
  }
  const std::string& known = own_account().home;
  const std::string directory = known.starts_with('/') ? known : "/";
  ::setenv("HOME", directory.c_str(), 1);  // tabs need it, too, when cron or systemd starts the server
  return directory;
}

/// The instance of the project that the program is started in; unnamed where that is none.
constexpr const char* kAuto = "auto";
constexpr const char* kUnnamed = "unnamed";
constexpr std::uint64_t kLongestDurationMs = 10ULL * 365 * 24 * 3'600 * 1'000;  // ten years

/// Refuses an empty name: it would mean an unnamed instance, which nobody asks for by --instance.
std::string complaint_about_instance(const std::string& name) {
  return name.empty() ? "a name is missing; without --instance, the tabs end with the server" : "";
}

/// Turns one of these names, in any case, into its value. The error of CLI11's own transformer would list the
/// numeric values, too.
template <class Value>
CLI::Validator one_of(const std::map<std::string, Value>& values) {
  const auto take = [&values](std::string& text) {
    std::string allowed;
    for (const auto& [name, value] : values) {
      if (name == CLI::detail::to_lower(text)) {
        text = std::to_string(static_cast<int>(value));
        return std::string();
      }
      allowed += (allowed.empty() ? "" : ", ") + name;
    }
    return "\"" + text + "\" is unknown; allowed: " + allowed;
  };
  return {take, ""};
}

void add_redaction(CLI::App& app, Config& config) {
  static const std::map<std::string, Redact> redact_names = {
      {"off", Redact::off}, {"rules", Redact::rules}, {"all", Redact::all}};
  app.add_option(
         "--redact", config.redact,
         "Mask secrets in what tools answer: off, rules (text that looks like a secret), all (and the "
         "values named below); default all")
      ->transform(one_of(redact_names))
      ->type_name("off|rules|all")
      ->envname("TERMINALLY_REDACT");
  app.add_option("--mask-env", config.mask_env,
                 "Mask the values of these variables, of the server's and of tabs' environment")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME[,NAME...]")
      ->envname("TERMINALLY_MASK_ENV");
  app.add_option("--mask-file", config.mask_file, "Mask the lines of this file")
      ->type_name(kFileType)
      ->envname("TERMINALLY_MASK_FILE");
}

/// Makes a path absolute: the shells in tabs have other directories, and clients get the paths of logs. No
/// shell has read the options in a client's configuration, so "~/" is still in them.
CLI::Validator absolute_path() {
  return CLI::Validator(
      [](std::string& path) {
        std::error_code error;
        const auto absolute = std::filesystem::absolute(with_home(path), error);
        if (path.empty() || error) {
          return path.empty()
                     ? std::string("is empty; give a directory")
                     : path + " is relative, and the current directory is unknown: " + error.message();
        }
        path = absolute.lexically_normal().string();
        return std::string();
      },
      "");
}

void add_log_limits(CLI::App& app, Config& config) {
  const auto size_option = [&app](const char* flag, const char* variable, std::uint64_t& value,
                                  std::uint64_t least, const char* description) {
    app.add_option(flag, value, description)
        ->envname(variable)
        ->transform(number_of_bytes(least, std::uint64_t{1} << 50U))
        ->type_name("BYTES")
        ->capture_default_str();
  };
  size_option("--log-segment-bytes", "TERMINALLY_LOG_SEGMENT_BYTES", config.log_segment_bytes, 4096,
              "A tab's log is cut into files of this size; 64MiB, 2GiB and the like are understood");
  size_option("--log-quota-bytes", "TERMINALLY_LOG_QUOTA_BYTES", config.log_quota_bytes, 4096,
              "What the log of one tab may take; its oldest bytes go first");
  size_option("--log-total-bytes", "TERMINALLY_LOG_TOTAL_BYTES", config.log_total_bytes, 4096,
              "What all logs in the state directory may take; those of closed tabs go first");
  size_option(
      "--min-free-bytes", "TERMINALLY_MIN_FREE_BYTES", config.min_free_bytes, 0,
      "Old logs are removed while their file system has less free; what is printed is logged all the same");
  app.add_option("--log-keep-days", config.log_keep_days, "How long the log of a closed tab is kept")
      ->envname("TERMINALLY_LOG_KEEP_DAYS")
      ->check(whole_number(0, 36'500))
      ->capture_default_str();
}

void add_time_limits(CLI::App& app, Config& config) {
  static const std::map<std::string, OnTimeout> on_timeout_names = {{"interrupt", OnTimeout::interrupt},
                                                                    {"background", OnTimeout::background}};
  app.add_option("--default-timeout-ms", config.default_timeout_ms,
                 "How long execute_command waits where it gives no timeout_ms")
      ->check(whole_number(1, 86'400'000))
      ->capture_default_str();
  app.add_option("--on-timeout", config.on_timeout,
                 "What becomes of a command then. Default: background without a timeout_ms (it goes on), "
                 "interrupt with one")
      ->transform(one_of(on_timeout_names))
      ->type_name("interrupt|background");
  app.add_option("--max-duration-ms", config.max_duration_ms,
                 "Interrupts every command that runs longer; 0 is off")
      ->check(whole_number(0, kLongestDurationMs))
      ->capture_default_str();
}

}  // namespace

Config default_config() {
  Config config;
  config.runtime_root = "/tmp/terminally-mcp-" + std::to_string(::geteuid());
  config.state_root = home() / ".local" / "state" / "terminally-mcp";
  config.hosts_file = home() / ".config" / "terminally-mcp" / "hosts.json";
  return config;
}

void add_options(CLI::App& app, Config& config) {
  static const std::map<std::string, View> view_names = {
      {"raw", View::raw}, {"plain", View::plain}, {"rendered", View::rendered}};
  app.add_option("--instance", config.instance,
                 "A durable instance: its tabs outlive the server; auto: that of the project; unnamed, or "
                 "nothing: a fresh one whose tabs end with it")
      ->check(CLI::Validator(complaint_about_instance, ""))
      ->type_name(kInstanceType)
      ->envname("TERMINALLY_INSTANCE");
  app.add_option("--runtime-dir", config.runtime_root, "Where the tmux socket is; short, on this machine")
      ->transform(absolute_path())
      ->type_name(kDirectoryType)
      ->envname("TERMINALLY_RUNTIME_DIR")
      ->capture_default_str();
  app.add_option("--state-dir", config.state_root, "Where the logs are; on a real disk")
      ->transform(absolute_path())
      ->type_name(kDirectoryType)
      ->envname("TERMINALLY_STATE_DIR")
      ->capture_default_str();
  app.add_option(
         "--view", config.view,
         "Default view of tools: raw (exact), plain (no escape sequences), rendered (text as finally drawn)")
      ->transform(one_of(view_names))
      ->type_name("raw|plain|rendered");
  static const std::map<std::string, AnswerForm> answer_names = {{"text", AnswerForm::text},
                                                                 {"json", AnswerForm::json}};
  app.add_option("--answers", config.answers,
                 "What tools answer with: json (an object, twice), text (once, as a person reads it)")
      ->transform(one_of(answer_names))
      ->type_name("text|json");
  app.add_flag("--agent")->description(
      "As --instance auto --view rendered --answers text, where no option says otherwise: for the "
      "configuration of a client");
  add_redaction(app, config);
  app.add_option(
         "--file-root", config.file_roots,
         "Where list_files, read_file and write_file may work; more than one is allowed. Default: the "
         "project that the server is started in (its git root, else that directory, unless your home "
         "is in it)")
      ->transform(absolute_path())
      ->allow_extra_args(false)
      ->type_name(kDirectoryType);
  app.add_option("--hosts", config.hosts_file,
                 "The machines and containers that agents may use, beside this one (see: hosts)")
      ->transform(absolute_path())
      ->type_name(kFileType)
      ->envname("TERMINALLY_HOSTS");
  app.add_option("--tmux", config.tmux, "The tmux program")->type_name(kProgramType)->capture_default_str();
  app.add_option_function<std::string>(
         "--size",
         [&config](const std::string& text) {
           const auto size = parse_window_size(text);
           if (!size) {
             throw CLI::ValidationError("--size", "\"" + text + "\" is no size from 20x5 to 1000x500");
           }
           config.cols = size->cols;
           config.rows = size->rows;
         },
         "Columns and rows of new tabs")
      ->default_str("200x50")
      ->type_name("COLSxROWS");
  app.add_option("--history-limit", config.history_limit, "Lines of tmux scrollback of new tabs")
      ->check(whole_number(100, 1'000'000))
      ->capture_default_str();
  app.add_flag("--plain-env", config.plain_env,
               "Do not set PAGER=cat, GIT_TERMINAL_PROMPT=0 and the like in tabs");
  app.add_option("--sync-window-ms", config.sync_window_ms,
                 "How long a call may block before it returns and lets its command run on")
      ->check(whole_number(100, 86'400'000))
      ->capture_default_str();
  add_log_limits(app, config);
  add_time_limits(app, config);
}

void settle_options(const CLI::App& app, Config& config) {
  if (app.count("--agent") > 0) {
    const auto is_free = [&app](const char* option) { return app.count(option) == 0; };
    config.instance = is_free("--instance") ? kAuto : config.instance;
    config.view = is_free("--view") ? View::rendered : config.view;
    config.answers = is_free("--answers") ? AnswerForm::text : config.answers;
  }
  if (config.instance == kUnnamed) {
    config.instance.clear();
  }
  if (config.instance == kAuto) {
    std::error_code error;
    const std::filesystem::path project = project_of(std::filesystem::current_path(error), home());
    config.instance = error || project.empty() ? "" : instance_of_project(project);
  }
}

void place_helpers(Config& config) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path beside = program.parent_path();
  const std::filesystem::path installed = beside.parent_path() / "libexec" / "terminally-mcp";
  const PackedHelpers packed = packed_helpers();
  if (std::filesystem::exists(beside / kHelpers.front(), error)) {
    config.helper_dir = beside;
  } else if (packed.programs.empty() || std::filesystem::exists(installed / kHelpers.front(), error)) {
    config.helper_dir = installed;
  } else {
    config.packed_helpers = packed;
    config.helper_dir = unpacked_helpers(config.state_root, packed);
  }
}

}  // namespace terminally
