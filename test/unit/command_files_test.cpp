// The files of a running command, as its shell, terminally-shell and other processes of ours see them.
#include "tab/command_files.hpp"

#include <doctest/doctest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "tab/tab.hpp"
#include "tab/terminal_signals.hpp"
#include "temp_files.hpp"

using namespace terminally;
using test::append_to;
using test::content_of;
using test::TempDir;

namespace {

const std::string kOfFiles = "0123abcd" + std::string(24, '1');
const std::string kOfOthers = "fedcba98" + std::string(24, '2');

std::vector<std::string> file_names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

struct FilesOnDisk {
  TempDir dir{test::in_memory()};
  std::filesystem::path run = dir / "run";
  std::filesystem::path memory = dir / "memory";
  CommandFiles files{run, PaneId{3}, memory};

  [[nodiscard]] ShellScript script(const std::string& nonce = kOfFiles) const {
    ShellCommand command;
    command.text = "echo x";
    command.nonce = nonce;
    command.directory = memory;
    command.helper = "/helper";
    return shell_script(ShellKind::bash, command);
  }
  void put(const std::string& name, const std::string& content) const {
    std::filesystem::remove(memory / name);
    append_to(memory / name, content);
  }
};

}  // namespace

TEST_CASE("command files: what a command needs is there, the owner's only, and all of it goes with it") {
  FilesOnDisk of;
  CHECK(of.files.are_gone(kOfFiles));
  of.files.write(of.script(), kOfFiles);  // makes the directory, too
  CHECK_FALSE(of.files.are_gone(kOfFiles));
  for (const auto& file : of.script().files) {
    CHECK(content_of(file.path) == file.content);
  }
  for (const std::string& name : file_names_in(of.memory)) {
    struct stat status{};
    REQUIRE(::stat((of.memory / name).c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0600);
  }
  struct stat status{};
  REQUIRE(::stat(of.memory.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0700);
  of.files.mark_running(kOfFiles, "/a b");
  of.files.mark_cancelled(kOfFiles);
  of.files.mark_signalled(kOfFiles);
  of.put("0123abcdd", "/left");
  of.files.write(of.script(kOfOthers), kOfOthers);
  const auto others = file_names_in(of.memory);
  of.files.remove(kOfFiles);
  for (const std::string& name : file_names_in(of.memory)) {
    CHECK_FALSE(name.starts_with("0123abcd"));
  }
  CHECK_FALSE(of.files.running_nonce());
  CHECK_FALSE(of.files.are_gone(kOfOthers));
  CHECK(of.files.are_gone(kOfFiles));
  of.files.remove(kOfFiles);  // of one that is gone
}

TEST_CASE(
    "command files: without the wrapper the typed line runs nothing, and what was taken comes to its END") {
  FilesOnDisk of;
  of.files.write(of.script(), kOfFiles);
  auto names = file_names_in(of.memory);
  of.files.remove_script(kOfFiles);
  CHECK(std::erase(names, "0123abcd") == 1);
  CHECK(file_names_in(of.memory) == names);
  CHECK(names.size() >= 4);
  CHECK_FALSE(of.files.are_gone(kOfFiles));
}

TEST_CASE("command files: whether the shell has come to the text") {
  FilesOnDisk of;
  CHECK(of.files.may_be_taken(kOfFiles));  // nothing says that it has not
  of.files.write(of.script(), kOfFiles);
  CHECK_FALSE(of.files.may_be_taken(kOfFiles));
  of.put("0123abcdt", "");
  CHECK(of.files.may_be_taken(kOfFiles));
  of.files.write(of.script(), kOfFiles);
  of.files.mark_taken(kOfFiles);
  CHECK(of.files.may_be_taken(kOfFiles));
}

TEST_CASE("command files: who runs is known by a mark, which is taken away by its own command only") {
  FilesOnDisk of;
  CHECK_FALSE(of.files.running_nonce());
  of.files.write(of.script(), kOfFiles);
  of.files.mark_running(kOfFiles, "/a\nb");  // a directory that a line cannot carry
  CHECK(content_of(of.memory / "3.run") == kOfFiles + "\n\n");
  of.files.mark_running(kOfFiles, "/a b");
  CHECK(content_of(of.memory / "3.run") == kOfFiles + "\n/a b\n");
  CHECK(of.files.running_nonce() == kOfFiles);
  CHECK_FALSE(CommandFiles(of.run, PaneId{4}, of.memory).running_nonce());
  of.files.unmark_running(kOfOthers);
  CHECK(of.files.running_nonce() == kOfFiles);
  of.files.unmark_running(kOfFiles);
  CHECK_FALSE(of.files.running_nonce());
  of.put("3.run", "torn");
  CHECK_FALSE(of.files.running_nonce());
}

TEST_CASE("command files: the marks of many panes are read at once, when one is asked for first") {
  FilesOnDisk of;
  const CommandFiles beside(of.run, PaneId{4}, of.memory);
  const CommandFiles elsewhere(of.run, PaneId{3});
  CHECK_FALSE(RunningMarks().may_have(of.files));  // there is no directory yet
  of.files.write(of.script(), kOfFiles);
  of.files.mark_running(kOfFiles, "/");
  RunningMarks marks;
  CHECK(marks.may_have(of.files));
  CHECK_FALSE(marks.may_have(beside));
  CHECK_FALSE(marks.may_have(elsewhere));
  beside.mark_running(kOfOthers, "/");
  CHECK_FALSE(marks.may_have(beside));
  CHECK(RunningMarks().may_have(beside));
  std::filesystem::remove_all(of.memory);
  test::append_to(of.memory, "a file");
  CHECK(RunningMarks().may_have(of.files));  // it cannot be known
}

TEST_CASE("command files: the exit code is known once it is written, and since when") {
  FilesOnDisk of;
  of.files.write(of.script(), kOfFiles);
  struct Code {
    const char* content;
    std::optional<int> code;
  };
  for (const Code& one : std::vector<Code>{
           {"", std::nullopt}, {"0", 0}, {"137", 137}, {"x", std::nullopt}, {"-", std::nullopt}}) {
    CAPTURE(one.content);
    of.put(kOfFiles + ".exit", one.content);
    CHECK(of.files.exit_code(kOfFiles) == one.code);
    CHECK(of.files.ended_at_ms(kOfFiles).has_value() == (*one.content != '\0'));
  }
  CHECK(*of.files.ended_at_ms(kOfFiles) > wall_clock_ms() - 60'000);
  CHECK(*of.files.ended_at_ms(kOfFiles) < wall_clock_ms() + 1'000);
  CHECK_FALSE(of.files.exit_code(kOfOthers));
  CHECK_FALSE(of.files.ended_at_ms(kOfOthers));
}

TEST_CASE("command files: a cancel, by force or not, and a signal are told to other processes of ours") {
  FilesOnDisk of;
  of.files.mark_cancelled(kOfFiles);  // of an instance whose directory is gone: it is ended all the same
  of.files.mark_signalled(kOfFiles);
  CHECK_FALSE(of.files.cancelled(kOfFiles).has_value());
  of.files.write(of.script(), kOfFiles);
  const CommandFiles other(of.run, PaneId{3}, of.memory);
  CHECK_FALSE(other.cancelled(kOfFiles).has_value());
  CHECK_FALSE(other.is_signalled(kOfFiles));
  of.files.mark_signalled(kOfFiles);
  CHECK(other.is_signalled(kOfFiles));
  CHECK_FALSE(other.cancelled(kOfFiles).has_value());
  of.files.mark_cancelled(kOfFiles);
  CHECK(other.cancelled(kOfFiles).has_value());
  CHECK_FALSE(other.cancelled(kOfFiles).value_or(CommandFiles::Cancel()).force);
  of.files.mark_cancelled(kOfFiles, true);
  CHECK(other.cancelled(kOfFiles).value_or(CommandFiles::Cancel()).force);
  other.mark_cancelled(kOfFiles);  // a cancel without force takes none back
  CHECK(of.files.cancelled(kOfFiles).value_or(CommandFiles::Cancel()).force);
  CHECK_FALSE(other.cancelled(kOfOthers).has_value());
}

TEST_CASE("command files: where there is no space they are in the other place, and links lead there") {
  FilesOnDisk of;
  for (const auto& directory : {of.memory, of.run}) {
    std::filesystem::create_directory(directory);
    if (::mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=64k,mode=700") != 0) {
      FAIL("this test needs root: it mounts a file system");
    }
  }
  const ShellScript script = of.script();
  of.files.write(script, kOfFiles);
  of.files.mark_running(kOfFiles, "/a b");
  for (const auto& file : script.files) {
    CHECK(std::filesystem::read_symlink(file.path) == of.run / file.path.filename());
    CHECK(content_of(file.path) == file.content);
  }
  CHECK(of.files.running_nonce() == kOfFiles);
  CHECK_FALSE(of.files.are_gone(kOfFiles));
  CHECK_FALSE(of.files.may_be_taken(kOfFiles));
  append_to(of.memory / (kOfFiles + ".exit"), "5");  // the shell goes on as with files
  CHECK(of.files.exit_code(kOfFiles) == 5);
  of.files.write(script, kOfFiles);  // again, as where somebody removed one
  CHECK_FALSE(of.files.exit_code(kOfFiles));
  of.files.remove(kOfFiles);
  CHECK(of.files.are_gone(kOfFiles));
  CHECK_FALSE(of.files.running_nonce());
  CHECK(file_names_in(of.memory) == std::vector<std::string>());
  CHECK(file_names_in(of.run) == std::vector<std::string>());

  append_to(of.run / "ballast", std::string(std::size_t{64} * 1024, 'x'));
  const std::string refused = "there is no space in " + of.memory.string() + ", and cannot write " +
                              (of.run / "0123abcd").string() + ": No space left on device";
  CHECK_THROWS_WITH_AS(of.files.write(script, kOfFiles), refused.c_str(), Error);
  of.files.remove(kOfFiles);
  CHECK(file_names_in(of.run) == std::vector<std::string>{"ballast"});
  CHECK(file_names_in(of.memory) == std::vector<std::string>());
  for (const auto& directory : {of.memory, of.run}) {
    ::umount2(directory.c_str(), MNT_DETACH);
  }
}

TEST_CASE("command files: none is made where others could reach it") {
  FilesOnDisk of;
  std::filesystem::create_directory(of.memory);
  std::filesystem::permissions(of.memory, std::filesystem::perms::all);
  CHECK_THROWS_AS(of.files.write(of.script(), kOfFiles), Error);
  std::filesystem::remove(of.memory);
  std::filesystem::create_directory_symlink(of.dir.path(), of.memory);
  CHECK_THROWS_AS(of.files.write(of.script(), kOfFiles), Error);
  CHECK(file_names_in(of.dir.path()) == std::vector<std::string>{"memory"});
}

TEST_CASE("command files: locks are files of the pane's own") {
  FilesOnDisk of;
  std::filesystem::create_directory(of.run);
  CHECK(of.files.lock_path() == of.run / "3.lock");
  CHECK(of.files.typing_lock_path() == of.run / "3.typing");
  for (const auto& path : {of.files.lock_path(), of.run / "3.queue", of.files.typing_lock_path()}) {
    append_to(path, "");
  }
  append_to(of.run / "4.lock", "");
  of.files.remove_locks();
  CHECK(file_names_in(of.run) == std::vector<std::string>{"4.lock"});
}

TEST_CASE("shell end: how the shell of a tab ended is told once, in a sentence") {
  struct End {
    const char* file;
    const char* log;
    const char* why_closed;
    const char* note;  ///< for the next command; "!" before what is thrown
  };
  const std::vector<End> all = {
      {nullptr, "$ ", "is closed", ""},
      {"torn", "$ ", "is closed", ""},
      {"3 1250 left -\n", "$ exit\r\n", "is closed: its shell ended with exit code 3 after 1.2 s", ""},
      {"0 60099 idle /bin/bash\n", "$ ", "is closed: its shell ended with exit code 0 after 60.0 s",
       "its shell ended with exit code 0 after 60.0 s at its prompt, without anybody typing (TMOUT does so); "
       "a new one was "
       "started in the same directory (variables, functions and options of the old one are gone)"},
      {"7 20 start /bin/sh\n", "",
       "is closed: its shell ended with exit code 7 after 0.0 s, before its first prompt; it "
       "printed nothing",
       "!nothing was run in tab @3: its shell ended with exit code 7 after 0.0 s, before its first prompt; "
       "it printed "
       "nothing. Its start-up files need a look; /bin/sh was started in this tab without them, and the next "
       "command runs "
       "there"},
      {"7 20 start /bin/sh\n",
       "one\r\n\033[31mno such file: x\033[0m \r\n\r\nterminally-shell: /bin/bash ended\r\n$ ",
       "is closed: its shell ended with exit code 7 after 0.0 s, before its first prompt; the last it "
       "printed: no such "
       "file: x",
       "!nothing was run in tab @3: its shell ended with exit code 7 after 0.0 s, before its first prompt; "
       "the last it "
       "printed: no such file: x. Its start-up files need a look; /bin/sh was started in this tab without "
       "them, and the "
       "next command runs there"},
  };
  for (const End& end : all) {
    for (const bool asks_why : {true, false}) {
      CAPTURE(end.why_closed);
      const TempDir dir;
      std::filesystem::create_directory(dir / "run");
      const Tab tab(WindowId{3}, PaneId{3}, Tab::Home{"instance", 0, dir / "pane-@3.log", dir / "run"}, 1);
      append_to(dir / "pane-@3.log", end.log);
      if (end.file != nullptr) {
        append_to(dir / "run/3.ended", end.file);
      }
      if (asks_why) {
        CHECK(why_closed(tab) == end.why_closed);
        CHECK(why_closed(tab) == end.why_closed);  // it is remembered
      } else if (*end.note == '!') {
        CHECK_THROWS_WITH_AS(static_cast<void>(note_of_new_shell(tab)), end.note + 1, Error);
      } else {
        CHECK(note_of_new_shell(tab) == end.note);
      }
      if (end.file != nullptr && std::string(end.file) != "torn") {
        CHECK(note_of_new_shell(tab).empty());  // it was told
      }
    }
  }
}
