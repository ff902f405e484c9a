#include "tmux/tabs/window_options.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "config_in.hpp"
#include "places.hpp"
#include "scripted_tmux.hpp"
#include "temp_files.hpp"
#include "tmux/server/server_config.hpp"
#include "tmux/wire/quoting.hpp"

namespace terminally {
namespace {

/// A variable of ours as a test wants it, and then as it was. No value: it is not there.
class OurVariable {
 public:
  OurVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = ::getenv(name)) {
      before_ = before;
    }
    set(value);
  }
  ~OurVariable() { set(before_ ? before_->c_str() : nullptr); }
  OurVariable(const OurVariable&) = delete;
  OurVariable& operator=(const OurVariable&) = delete;

 private:
  void set(const char* value) const {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

struct Options {
  test::TempDir directory;
  Config config;
  CreateTab request;

  Options() {
    config.helper_dir = std::filesystem::path(test::kLogProgram).parent_path();
    request.shell = "/bin/sh";
    request.cwd = directory.path();
  }
  [[nodiscard]] WindowOptions made() const { return window_options(config, request); }
  /// The error's text, which begins with the field's name; empty: there is none.
  [[nodiscard]] std::string refusal(ErrorCode code = ErrorCode::invalid_argument) const {
    try {
      static_cast<void>(made());
    } catch (const Error& error) {
      CHECK(error.code() == code);
      return error.what();
    }
    return "";
  }
  /// What a variable of the tab is on its way there; "-" for none.
  [[nodiscard]] std::string variable(const std::string& name) const {
    const WindowOptions options = made();
    const auto found = std::ranges::find_if(
        options.words, [&](const std::string& word) { return word.starts_with(name + "="); });
    return found != options.words.end() && *(found - 1) == "-e" ? found->substr(name.size() + 1) : "-";
  }
};

}  // namespace

TEST_CASE("window options: a tab's name, each bad one refused by name") {
  Options with;
  struct Named {
    std::string name;
    std::string refusal;
  };
  const std::vector<Named> names = {
      {"work", ""},
      {"", ""},
      {std::string(200, 'n'), ""},
      {"\"quoted\"; #{pid} #[bold] -x ü", ""},
      {"-t", ""},
      {std::string(201, 'n'), "name: 201 bytes are too many; at most 200 are allowed"},
      {"two\nlines", "name: control characters and invalid UTF-8 are not allowed"},
      {"\x1b[1m", "name: control characters and invalid UTF-8 are not allowed"},
      {"\x7f", "name: control characters and invalid UTF-8 are not allowed"},
      {"\xc2\x85", "name: control characters and invalid UTF-8 are not allowed"},
      {std::string("a\0b", 3), "name: control characters and invalid UTF-8 are not allowed"},
      {"\xff", "name: control characters and invalid UTF-8 are not allowed"},
      {"\xc3", "name: control characters and invalid UTF-8 are not allowed"},
  };
  for (const Named& named : names) {
    CAPTURE(named.name);
    with.request.name = named.name;
    CHECK(with.refusal() == named.refusal);
  }
  with.request.name = "#a #[b] ##";
  CHECK(with.made().name == with.request.name);
  CHECK(test::value_of(with.made().words, "-n") == "##a #[b] ####");  // as a format that prints it
}

TEST_CASE("window options: a tab without a name is called by its shell") {
  Options with;
  CHECK(with.made().name == "sh");
  with.request.shell = "bash";
  CHECK(with.made().name == "bash");
  with.request.shell = "";
  const OurVariable shell("SHELL", "/bin/dash");
  CHECK(with.made().name == "dash");
  CHECK(with.made().shell == "/bin/dash");
}

TEST_CASE("window options: the directory is one that exists, by its whole path") {
  Options with;
  with.request.cwd = with.directory / "a #{pid} \"b\" ü";
  std::filesystem::create_directory(with.request.cwd);
  CHECK(with.refusal().empty());
  CHECK(test::value_of(with.made().words, "-c") == with.directory / "a ##{pid} \"b\" ü");

  test::append_to(with.directory / "file", "");
  for (const std::string bad : {with.directory / "not-there", with.directory / "file"}) {
    CAPTURE(bad);
    with.request.cwd = bad;
    CHECK(with.refusal() == "cwd: \"" + bad + "\" is no directory; give one that exists");
  }
  with.config.project = with.directory.path();
  with.request.cwd = "./a #{pid} \"b\" ü/";
  CHECK(test::value_of(with.made().words, "-c") == with.directory / "a ##{pid} \"b\" ü");
  with.request.cwd = "file";
  CHECK(with.refusal().starts_with("cwd: \"" + (with.directory / "file").string() + "\""));
}

TEST_CASE("window options: without a directory a tab begins at home, and in the root where there is none") {
  Options with;
  with.request.cwd = "";
  const std::string home = with.directory.path();
  for (const auto& [value, wanted] : std::vector<std::pair<const char*, std::string>>{
           {home.c_str(), home}, {"/not/there", "/"}, {"relative", "/"}, {"", "/"}, {nullptr, "/"}}) {
    const OurVariable variable("HOME", value);
    CAPTURE(wanted);
    CHECK(test::value_of(with.made().words, "-c") == wanted);
  }
}

TEST_CASE("window options: the shell is a program, by its path or by its name on PATH") {
  Options with;
  with.request.shell = "sh";
  CHECK(with.made().shell.starts_with("/"));
  CHECK(with.made().shell.ends_with("/sh"));
  test::append_to(with.directory / "no-program", "");
  for (const std::string& bad : {std::string("no-such-shell"), std::string("/bin"),
                                 std::string("/bin/no-shell"), (with.directory / "no-program").string()}) {
    CAPTURE(bad);
    with.request.shell = bad;
    CHECK(with.refusal() ==
          "shell: \"" + bad +
              "\" is no program; give its absolute path, or a name on PATH such as bash or zsh");
  }
  with.request.shell = "./sh";
  CHECK(with.refusal().starts_with("shell: "));
}

TEST_CASE("window options: a NUL is named, where the system would see the text before it only") {
  const std::string nul = " has a NUL byte, which the system cannot take";
  Options with;
  with.request.cwd = with.directory.path().string() + std::string("\0/x", 3);
  CHECK(with.refusal() == "cwd:" + nul);
  with.request.cwd = "";
  with.request.shell = std::string("sh\0x", 4);
  CHECK(with.refusal() == "shell:" + nul);
  with.request.shell = "";
  with.request.env = {{std::string("A\0B", 3), "x"}};
  CHECK(with.refusal() == "env:" + nul);
}

TEST_CASE("window options: variables travel by a name that tmux does not know, with every byte") {
  Options with;
  std::string bytes;
  for (int c = 1; c < 256; ++c) {
    bytes += static_cast<char>(c);
  }
  with.request.env = {
      {"PATH", "/opt/bin"}, {"SHELL", "mine"}, {"TMUX", "x,1,2"}, {"_a1", bytes}, {"EMPTY", ""}};
  for (const auto& [name, value] : with.request.env) {
    CAPTURE(name);
    CHECK(with.variable("TERMINALLY_ENV_" + name) == value);
    CHECK(with.variable(name) == "-");
  }
  // As a line of tmux's they come out as they went in.
  const WindowOptions options = with.made();
  CHECK(test::tmux_commands("new-window " + quote_all(options.words)).front().size() ==
        options.words.size() + 1);
  const auto words = test::tmux_commands(quote_all(options.words)).front();
  CHECK(words == options.words);
  // A session would keep them for its later windows: each is told of.
  for (const std::string name :
       {"TERMINALLY_ENV_PATH", "TERMINALLY_ENV__a1", "TERMINALLY_SHELL", "TERMINALLY_LOGIN"}) {
    CAPTURE(name);
    CHECK(std::ranges::count(options.variables, name) == 1);
  }
  CHECK(options.variables.size() == with.request.env.size() + 2);
}

TEST_CASE("window options: a variable that no tab can be given is refused by name") {
  Options with;
  const std::string no_name =
      "\" is no variable name; allowed are letters, digits and '_', not beginning with a digit";
  struct Given {
    std::string name;
    std::string value;
    std::string refusal;
  };
  const std::vector<Given> given = {
      {"", "x", "env: \"" + no_name},
      {"1A", "x", "env: \"1A" + no_name},
      {"A=B", "x", "env: \"A=B" + no_name},
      {"A B", "x", "env: \"A B" + no_name},
      {"A-B", "x", "env: \"A-B" + no_name},
      {"Ä", "x", "env: \"Ä" + no_name},
      {std::string(256, 'N'), "x", "env: a name of 256 bytes is too long; at most 255 are allowed"},
      {std::string(255, 'N'), "x", ""},
      {"A", std::string("a\0b", 3), "env: the value of A has a NUL byte, which no environment can hold"},
      {"PWD", "/", "env: PWD cannot be given: the shell sets it to the tab's directory; give cwd"},
      {"_", "x", "env: _ cannot be given: the shell sets it itself"},
      {"SHLVL", "9", "env: SHLVL cannot be given: the shell sets it itself"},
      {"TERMINALLY_TAB", "x", "env: TERMINALLY_TAB cannot be given: by it the processes of a tab are known"},
      {"__", "x", ""},
      {"OLDPWD", "x", ""},
  };
  for (const Given& one : given) {
    CAPTURE(one.name);
    with.request.env = {{one.name, one.value}};
    CHECK(with.refusal() == one.refusal);
  }
}

TEST_CASE("window options: variables are as many as every program can be given") {
  Options with;
  with.request.env = {{"A", std::string(131'069, 'x')}, {"B", std::string(131'069, 'y')}};  // and "A=", NUL
  CHECK(with.refusal().empty());
  with.request.env["B"] += "y";
  CHECK(with.refusal() ==
        "env: 262145 bytes in all are too many; at most 262144 are allowed, put what is large into a file");
}

TEST_CASE("window options: what the tab's own process is told, and how it is started") {
  Options with;
  CHECK(with.variable("TERMINALLY_SHELL") == "/bin/sh");
  CHECK(with.variable("TERMINALLY_LOGIN") == "0");
  CHECK(with.variable(kHelperMark) == "-");
  with.request.login = true;
  with.request.helper = true;
  with.request.name = "main-2";
  CHECK(with.variable("TERMINALLY_LOGIN") == "1");
  CHECK(with.variable(kHelperMark) == "main-2");
  const WindowOptions options = with.made();
  // By two words, so that tmux runs it without a shell.
  REQUIRE(options.words.size() > 3);
  CHECK(std::vector(options.words.end() - 3, options.words.end()) ==
        Argv{"--", (with.config.helper_dir / "terminally-shell").string(), "tab"});
}

TEST_CASE("window options: where our own programs are missing, it is not the caller's mistake") {
  Options with;
  for (const char* missing : {"terminally-log", "terminally-shell"}) {
    CAPTURE(missing);
    const test::TempDir helpers;
    for (const char* helper : kHelpers) {
      if (std::string_view(helper) != missing) {
        std::filesystem::create_symlink("/bin/true", helpers / helper);
      }
    }
    with.config.helper_dir = helpers.path();
    CHECK(with.refusal(ErrorCode::io)
              .starts_with("no tab can be opened: " + (helpers / missing).string() +
                           " is missing or no program; install terminally-mcp again"));
    test::append_to(helpers / missing, "no program");
    CHECK_FALSE(with.refusal(ErrorCode::io).empty());
  }
}

TEST_CASE("server configuration: a tab's environment has none of what would lead out of it") {
  const test::TempDir directory;
  Config config = test::config_in(directory.path());
  config.helper_dir = "/opt/helpers";
  const Instance instance(config, "unit");
  const OurVariable shell("SHELL", "/bin/dash");
  const OurVariable tmux("TMUX", "/tmp/tmux-0/default,1,2");
  const OurVariable pane("TMUX_PANE", "%1");
  const OurVariable logs("TERMINALLY_ENV_X", "other tab's");
  const OurVariable idle("TMOUT", "5");
  const OurVariable pager("PAGER", "less");
  const OurVariable editor("EDITOR", "vim");
  const OurVariable visual("VISUAL", "vim");
  const OurVariable of_git("GIT_EDITOR", "ed");
  const OurVariable kept("TERMINALLYLIKE", "kept");
  struct Wanted {
    bool plain;
    std::string name;
    std::string value;  ///< "-" for none
  };
  for (const Wanted& wanted :
       std::vector<Wanted>{{false, "TMUX", "-"},
                           {false, "TMUX_PANE", "-"},
                           {false, "TERMINALLY_ENV_X", "-"},
                           {false, "TMOUT", "-"},
                           {false, "PAGER", "cat"},
                           {true, "PAGER", "less"},
                           {false, "EDITOR", ":"},
                           {true, "EDITOR", "vim"},
                           {false, "VISUAL", "-"},
                           {true, "VISUAL", "vim"},
                           {false, "GIT_EDITOR", "ed"},
                           {false, "GIT_PAGER", "-"},
                           {false, "GIT_MERGE_AUTOEDIT", "-"},
                           {false, "TERMINALLYLIKE", "kept"},
                           {false, "TERMINALLY_SHELL", "/bin/dash"},
                           {false, "TERMINALLY_NAME", instance.cookie()},
                           {false, "TERMINALLY_RUN", instance.runtime()},
                           {false, "TERMINALLY_FILES", instance.files()},
                           {false, "TERMINALLY_LOG_DIR", instance.generation(7)},
                           {false, "TERMINALLY_PANE_SHELL", "/opt/helpers/terminally-shell"}}) {
    CAPTURE(wanted.name);
    config.plain_env = wanted.plain;
    const std::vector<std::string> environment = tmux_environment(config, instance, 7);
    const auto found = std::ranges::find_if(
        environment, [&](const std::string& entry) { return entry.starts_with(wanted.name + "="); });
    CHECK((found == environment.end() ? "-" : found->substr(wanted.name.size() + 1)) == wanted.value);
  }
}

TEST_CASE(
    "server configuration: programs stand as one word in the pipe's shell command, whatever their path") {
  Config config;
  config.helper_dir = "/opt/it's 100% #{pid}";
  config.log_segment_bytes = 11;
  config.log_quota_bytes = 22;
  config.min_free_bytes = 33;
  const std::string command = log_writer_command(config);
  CHECK(command.starts_with("exec '/opt/it'"));
  CHECK(command.find("100%% ##{pid}/terminally-log'") != std::string::npos);
  CHECK(command.ends_with("/pane-#{@terminally_log}.log\" 11 22 33"));
  const std::string text = tmux_config_text(config, 3, 40);
  for (const char* line :
       {"set -g @terminally_generation 3\n", "set -g @terminally_first_id 40\n",
        "set -g allow-passthrough off\n", "set -s set-clipboard off\n", "set -g automatic-rename off\n",
        "set -g default-size 200x50\n", "set -g history-limit 50000\n", "set -g update-environment ''\n"}) {
    CAPTURE(line);
    CHECK(("\n" + text).find(std::string("\n") + line) != std::string::npos);
  }
}

TEST_CASE("server configuration: the variable that decides on the locale is made UTF-8, and no other (V2)") {
  const test::TempDir directory;
  Config config = test::config_in(directory.path());
  const Instance instance(config, "unit");
  struct Case {
    std::array<const char*, 3> given;  ///< LC_ALL, LC_CTYPE, LANG
    std::array<std::string, 3> made;
  };
  for (const Case& one : std::vector<Case>{{{"C", nullptr, "de_DE.UTF-8"}, {"C.UTF-8", "-", "de_DE.UTF-8"}},
                                           {{"", "POSIX", "C"}, {"", "C.UTF-8", "C"}},
                                           {{nullptr, nullptr, "de_DE"}, {"-", "-", "C.UTF-8"}},
                                           {{nullptr, nullptr, "de_DE.utf8"}, {"-", "-", "de_DE.utf8"}},
                                           {{nullptr, "en_US.UTF-8", "C"}, {"-", "en_US.UTF-8", "C"}},
                                           {{nullptr, nullptr, nullptr}, {"-", "-", "C.UTF-8"}}}) {
    CAPTURE(one.made);
    const OurVariable all("LC_ALL", one.given[0]);
    const OurVariable ctype("LC_CTYPE", one.given[1]);
    const OurVariable lang("LANG", one.given[2]);
    const std::vector<std::string> environment = tmux_environment(config, instance, 7);
    std::array<std::string, 3> made = {"-", "-", "-"};
    const std::array<std::string, 3> names = {"LC_ALL=", "LC_CTYPE=", "LANG="};
    for (const std::string& entry : environment) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        made[i] = entry.starts_with(names[i]) ? entry.substr(names[i].size()) : made[i];
      }
    }
    CHECK(made == one.made);
  }
}

}  // namespace terminally
