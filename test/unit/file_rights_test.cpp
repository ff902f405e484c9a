// Who may read what is written, and what is refused because a shell's `>` would be.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "base/digests.hpp"
#include "files/file_listing.hpp"
#include "files/file_write.hpp"
#include "files_scene.hpp"

using namespace terminally;
using namespace terminally::test;
namespace fs = std::filesystem;

namespace {

std::string ten_megabytes(char of) {
  std::string bytes;
  bytes.resize(10'000'000, of);
  return bytes;
}

constexpr uid_t kBob = 4'321;
constexpr uid_t kAlice = 4'322;
constexpr gid_t kDev = 4'400;

bool is_root() {
  return ::geteuid() == 0;
}

/// This process as another user, with no group but its own and perhaps `also`.
class As {
 public:
  explicit As(uid_t user, std::vector<gid_t> also = {}) {
    REQUIRE(::setgroups(also.size(), also.data()) == 0);
    REQUIRE(::setegid(user) == 0);
    REQUIRE(::seteuid(user) == 0);
  }
  As(const As&) = delete;
  As& operator=(const As&) = delete;
  ~As() {
    static_cast<void>(::seteuid(0));
    static_cast<void>(::setegid(0));
    static_cast<void>(::setgroups(0, nullptr));
  }
};

/// A directory of Bob's, and files of others in it.
struct RightsScene : FilesScene {
  RightsScene() {
    REQUIRE(::chmod(dir.path().c_str(), 0755) == 0);
    REQUIRE(::chown((project / "sub").c_str(), kBob, kBob) == 0);
  }
  void put(const std::string& name, uid_t user, gid_t group, mode_t mode, const std::string& text = "old") {
    std::ofstream(project / name) << text;
    REQUIRE(::chown((project / name).c_str(), user, group) == 0);
    REQUIRE(::chmod((project / name).c_str(), mode) == 0);
  }
  struct stat info(const std::string& name) {
    struct stat found{};
    REQUIRE(::stat((project / name).c_str(), &found) == 0);
    return found;
  }
  std::string refused(const std::string& name, bool in_parts = false) {
    return refused_write(in_parts ? a_part(name, FilePiece::first, "new") : a_write(name, "new")).text;
  }
};

struct AclEntry {
  std::uint16_t tag;
  std::uint16_t rights;
  std::uint32_t id;
};

/// An ACL as the system keeps it: the owner rw, one user, the group, the mask, others nothing.
std::string acl_with(uid_t user, std::uint16_t rights, std::uint16_t group, std::uint16_t mask) {
  const std::vector<AclEntry> entries = {{1, 6, UINT32_MAX},
                                         {2, rights, user},
                                         {4, group, UINT32_MAX},
                                         {16, mask, UINT32_MAX},
                                         {32, 0, UINT32_MAX}};
  std::string bytes("\2\0\0\0", 4);
  bytes.append(reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(AclEntry));
  return bytes;
}

bool set_acl_of(const fs::path& path, const char* kind, const std::string& acl) {
  return ::setxattr(path.c_str(), kind, acl.data(), acl.size(), 0) == 0;
}

/// A file of Alice's that an ACL lets Bob write, and its group not; false: this file system has no ACLs.
bool put_shared_with_bob(RightsScene& scene) {
  scene.put("sub/file", kAlice, kDev, 0660);
  return set_acl_of(scene.project / "sub/file", "system.posix_acl_access", acl_with(kBob, 6, 0, 6));
}

std::string acl_in(const fs::path& path) {
  std::string bytes(1'000, '\0');
  const ssize_t size = ::getxattr(path.c_str(), "system.posix_acl_access", bytes.data(), bytes.size());
  return bytes.substr(0, size < 0 ? 0 : static_cast<std::size_t>(size));
}

}  // namespace

TEST_CASE("C7: what a shell may not write is refused, with the mode, and stays as it is") {
  if (!is_root()) {
    return;
  }
  RightsScene scene;
  scene.put("sub/mine", kBob, kBob, 0444);
  scene.put("sub/roots", 0, 0, 0644);
  scene.put("sub/hidden", 0, 0, 0600);
  scene.put("sub/big", 0, 0, 0444, ten_megabytes('x'));
  fs::create_directory(scene.project / "closed");
  const As bob(kBob);
  for (const bool in_parts : {false, true}) {
    for (const auto& [name, mode] : std::vector<std::pair<std::string, std::string>>{
             {"sub/mine", "0444"}, {"sub/roots", "0644"}, {"sub/hidden", "0600"}, {"sub/big", "0444"}}) {
      CAPTURE(name);
      const std::string text = scene.refused(name, in_parts);
      CHECK(text.find("Permission denied") != std::string::npos);
      CHECK(text.find("the mode of this file is " + mode) != std::string::npos);
    }
    CHECK(
        scene.refused("closed/new", in_parts).find("Permission denied: the mode of this directory is 0755") !=
        std::string::npos);
  }
  CHECK(scene.info("sub/roots").st_uid == 0);
  CHECK(scene.left().empty());
  WriteFile asked = scene.a_write("sub/mine", "new");
  asked.mode = 0666;
  CHECK(scene.refused_write(asked).says("Permission denied"));
  scene.write("sub/free", "new");
  CHECK(slurp(scene.project / "sub/free") == "new");
}

TEST_CASE("C7: an immutable file, and one that can only be appended to, is refused to root, too") {
  for (const int flag : {FS_IMMUTABLE_FL, FS_APPEND_FL}) {
    FilesScene scene;
    scene.write("file", "old");
    const UniqueFd file(::open((scene.project / "file").c_str(), O_RDONLY | O_CLOEXEC));
    int flags = 0;
    if (!is_root() || ::ioctl(file.get(), FS_IOC_GETFLAGS, &flags) != 0) {
      return;
    }
    const int with = flags | flag;
    if (::ioctl(file.get(), FS_IOC_SETFLAGS, &with) != 0) {
      return;  // not on this file system
    }
    const Failure refused = scene.refused_write(scene.a_write("file", "new"));
    const Failure in_parts = scene.refused_write(scene.a_part("file", FilePiece::first, "new"));
    REQUIRE(::ioctl(file.get(), FS_IOC_SETFLAGS, &flags) == 0);
    CHECK(refused.says("Operation not permitted"));
    CHECK(refused.says("immutable"));
    CHECK(in_parts.says("Operation not permitted"));
    CHECK(slurp(scene.project / "file") == "old");
    CHECK(scene.left().empty());
  }
}

TEST_CASE("C7: a program that runs may be replaced, as mv may do that") {
  FilesScene scene;
  fs::copy_file("/bin/sleep", scene.project / "program");
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl((scene.project / "program").c_str(), "program", "60", nullptr);
    ::_exit(127);
  }
  CHECK(
      eventually([child] { return content_of("/proc/" + std::to_string(child) + "/comm") == "program\n"; }));
  scene.write("program", "new");
  CHECK(slurp(scene.project / "program") == "new");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("C6: owner and group stay where they may, in a setgid directory as well") {
  if (!is_root()) {
    return;
  }
  RightsScene scene;
  REQUIRE(::chown((scene.project / "sub").c_str(), kBob, kDev) == 0);
  REQUIRE(::chmod((scene.project / "sub").c_str(), 02775) == 0);
  scene.put("sub/private", kBob, kBob, 0640);
  scene.put("sub/large", kBob, kBob, 0660, ten_megabytes('x'));
  scene.put("sub/alices", kAlice, kDev, 0660);
  {
    const As bob(kBob, {kDev});
    for (const std::string name : {"sub/private", "sub/large"}) {
      CAPTURE(name);
      CHECK(scene.write(name, "new").notes.empty());
      CHECK(scene.info(name).st_gid == kBob);
    }
    run(scene.io, scene.files.write(scene.a_part("sub/private", FilePiece::first, "1")));
    run(scene.io, scene.files.write(scene.a_part("sub/private", FilePiece::last, "2")));
    CHECK(scene.info("sub/private").st_gid == kBob);
    CHECK(mode_in(scene.project / "sub/private") == 0640);
    const WrittenFile alices = scene.write("sub/alices", "new");
    REQUIRE(alices.notes.size() == 1);
    CHECK(alices.notes[0] == "its owner (uid) 4322 could not be kept: it is 4321 now");
    CHECK(scene.info("sub/alices").st_gid == kDev);
    CHECK(mode_in(scene.project / "sub/alices") == 0660);
    scene.write("sub/new", "x");
    CHECK(scene.info("sub/new").st_gid == kDev);  // as the shell's
  }
  scene.put("sub/alices", kAlice, kAlice, 0640);
  CHECK(scene.write("sub/alices", "by root").notes.empty());
  CHECK((scene.info("sub/alices").st_uid == kAlice && scene.info("sub/alices").st_gid == kAlice));
}

TEST_CASE("C6: where the group is lost no bit lets its new group, or others, in") {
  if (!is_root()) {
    return;
  }
  RightsScene scene;
  const As bob(kBob);
  for (const auto& [was, is] : std::vector<std::pair<mode_t, unsigned>>{
           {0666, 0666}, {0646, 0644}, {0606, 0600}, {0662, 0622}, {0467, 0444}}) {
    CAPTURE(was);
    REQUIRE(::seteuid(0) == 0);
    scene.put("sub/file", kAlice, kDev, was);
    REQUIRE(::seteuid(kBob) == 0);
    CHECK(scene.write("sub/file", "new").notes.size() == 2);
    CHECK(mode_in(scene.project / "sub/file") == is);
  }
}

TEST_CASE("C6: an ACL is kept; without one, that of the directory opens nothing") {
  FilesScene scene;
  const char* const access = "system.posix_acl_access";
  scene.write("sub/file", "old");
  const std::string acl = acl_with(kAlice, 6, 0, 6);  // the owning group has nothing, Alice reads and writes
  if (!set_acl_of(scene.project / "sub/file", access, acl)) {
    return;  // not on this file system
  }
  for (const std::size_t size : {std::size_t{3}, std::size_t{10'000'000}}) {
    CHECK(scene.write("sub/file", std::string(size, 'x')).notes.empty());
    CHECK(acl_in(scene.project / "sub/file") == acl);
  }
  run(scene.io, scene.files.write(scene.a_part("sub/file", FilePiece::first, "1")));
  run(scene.io, scene.files.write(scene.a_part("sub/file", FilePiece::last, "2")));
  CHECK(acl_in(scene.project / "sub/file") == acl);
  scene.write("sub/plain", "old");
  REQUIRE(set_acl_of(scene.project / "sub", "system.posix_acl_default", acl_with(kAlice, 7, 7, 7)));
  fs::permissions(scene.project / "sub/plain", fs::perms(0660));
  scene.write("sub/plain", "new");
  CHECK(acl_in(scene.project / "sub/plain").empty());
  CHECK(mode_in(scene.project / "sub/plain") == 0660);
  std::ofstream(scene.project / "sub/by_shell") << "x";
  scene.write("sub/new", "x");
  CHECK(acl_in(scene.project / "sub/new") == acl_in(scene.project / "sub/by_shell"));
}

TEST_CASE("C6: an ACL that cannot be kept gives others nothing, and is named") {
  if (!is_root()) {
    return;
  }
  RightsScene scene;
  if (!put_shared_with_bob(scene)) {
    return;
  }
  const As bob(kBob, {kDev});  // so the group is kept, to which the list gave nothing and the mode would give
  const WrittenFile written = scene.write("sub/file", "new");
  CHECK(written.notes.size() == 2);
  CHECK(written.notes.back() == "its access control list could not be kept");
  CHECK(mode_in(scene.project / "sub/file") == 0600);
}

TEST_CASE("C6: a mode that came with parts gives nobody back what the file gives to nobody") {
  if (!is_root()) {
    return;
  }
  RightsScene scene;
  if (!put_shared_with_bob(scene)) {
    return;
  }
  const As bob(kBob, {kDev});
  WriteFile first = scene.a_part("sub/file", FilePiece::first, "1");
  first.mode = 0771;  // as a copy gives it, which sees the mask as the rights of the group
  run(scene.io, scene.files.write(first));
  const WrittenFile written =
      run(scene.io, scene.files.write(scene.a_part("sub/file", FilePiece::last, "2")));
  CHECK(written.notes.back() ==
        "its mode is 0711 and not 0771: what comes in parts lets nobody read or write "
        "who could not before");
  CHECK(mode_in(scene.project / "sub/file") == 0711);
  WriteFile whole = scene.a_write("sub/file", "new");
  whole.mode = 0640;  // which is its caller's word
  CHECK(run(scene.io, scene.files.write(whole)).notes.empty());
  CHECK(mode_in(scene.project / "sub/file") == 0640);
}

TEST_CASE(
    "S15: in a sticky directory, and in one that is closed, a file is written in place, and that is said") {
  if (!is_root()) {
    return;
  }
  for (const mode_t directory : {01777U, 0755U}) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{10'000'000}}) {
      CAPTURE(directory);
      CAPTURE(size);
      RightsScene scene;
      REQUIRE(::chown((scene.project / "sub").c_str(), 0, 0) == 0);
      REQUIRE(::chmod((scene.project / "sub").c_str(), directory) == 0);
      scene.put("sub/file", kAlice, kDev, 0666, "what was there");
      const ino_t inode = scene.info("sub/file").st_ino;
      const As bob(kBob);
      WriteFile request = scene.a_write("sub/file", std::string(size, 'n'));
      request.expected_sha256 = sha256_hex("what was there");
      const WrittenFile written = run(scene.io, scene.files.write(request));
      REQUIRE(written.notes.size() == 1);
      CHECK(written.notes[0].find("written in place") == 0);
      CHECK(slurp(scene.project / "sub/file") == request.content);
      CHECK(scene.info("sub/file").st_ino == inode);
      CHECK((scene.info("sub/file").st_uid == kAlice && scene.info("sub/file").st_gid == kDev));
      CHECK(scene.left().empty());
      if (directory != 01777U) {
        CHECK(scene.refused("sub/file", true).find("a whole write in one call goes into the file itself") !=
              std::string::npos);
      } else {
        run(scene.io, scene.files.write(scene.a_part("sub/file", FilePiece::first, "par")));
        CHECK_FALSE(
            run(scene.io, scene.files.write(scene.a_part("sub/file", FilePiece::last, "ts"))).notes.empty());
        CHECK(slurp(scene.project / "sub/file") == "parts");
        CHECK(scene.left().empty());
      }
    }
  }
}

TEST_CASE("S15: what fails in the middle of a write in place is said to have left the file half written") {
  if (!is_root()) {
    return;
  }
  constexpr std::size_t kBytes = 3'000'000;
  for (const std::size_t limit : {std::size_t{0}, std::size_t{10}, std::size_t{1} << 20U, kBytes - 1}) {
    CAPTURE(limit);
    RightsScene scene;
    REQUIRE(::chown((scene.project / "sub").c_str(), 0, 0) == 0);
    scene.put("sub/file", kBob, kBob, 0666, std::string(kBytes + 5, 'o'));
    const As bob(kBob);
    // The new content is kept in memory, which the limit spares, and the file does not grow: no room is
    // missing.
    FreshFile fresh(FileRoots::of({scene.project}).find("sub/file"),
                    scene.a_write("sub/file", std::string(kBytes, 'n')));
    fresh.write();
    REQUIRE(fresh.try_lock() == FreshFile::Lock::held);
    const FullBehind full(limit);
    std::string said;
    try {
      static_cast<void>(fresh.put_in_place());
    } catch (const Error& error) {
      said = error.what();
    }
    CHECK(said.find("File too large") != std::string::npos);
    CHECK(said.find("half written: its first " + std::to_string(limit) + " bytes are new") !=
          std::string::npos);
    CHECK(slurp(scene.project / "sub/file") ==
          std::string(limit, 'n') + std::string(kBytes + 5 - limit, 'o'));
  }
}

TEST_CASE("S13: a file with NUL bytes is said to be binary") {
  FilesScene scene;
  for (const auto& [content, at] :
       std::vector<std::pair<std::string, std::string>>{{std::string("a\0b", 3), "byte 1 "},
                                                        {std::string(1, '\0'), "byte 0 "},
                                                        {std::string(65'535, 'x') + '\0', "byte 65535 "},
                                                        {ten_megabytes('\0'), "byte 0 "},
                                                        {std::string("\xff\0", 2), "byte 1 "}}) {
    scene.write("file", content);
    const Failure refused = scene.refused_read("file", true);
    CHECK(refused.says(at));
    CHECK(refused.says("is binary"));
    CHECK(scene.read("file").content == content.substr(0, 65'536));
  }
}

TEST_CASE("S14: a directory's path is no file's, and ~ is the home directory") {
  FilesScene scene;
  for (const std::string path : {"conf.d/", "conf.d/.", "sub/new/", "sub/new//", "a/b/c/"}) {
    CAPTURE(path);
    WriteFile request = scene.a_write(path, "x");
    request.create_parents = true;
    CHECK(scene.refused_write(request).says("ends as a directory's path does"));
    request.piece = FilePiece::first;
    CHECK(scene.refused_write(request).says("ends as a directory's path does"));
  }
  CHECK(std::distance(fs::recursive_directory_iterator(scene.project), {}) == 1);
  scene.write("file", "x");
  CHECK(scene.refused_read("file/").says("ends as a directory's path does"));
  CHECK(scene.refused_write(scene.a_write("file/", "y")).says("ends as a directory's path does"));
  const std::string before = ::getenv("HOME") == nullptr ? "" : ::getenv("HOME");
  ::setenv("HOME", scene.project.c_str(), 1);
  CHECK(scene.read("~/file").content == "x");
  scene.write("~/sub/made", "y");
  CHECK(slurp(scene.project / "sub" / "made") == "y");
  CHECK(run(scene.io, scene.files.list({"~", 10, ""})).entries.size() == 2);
  scene.write("./~", "of that name");
  CHECK(slurp(scene.project / "~") == "of that name");
  scene.write("~x", "no home");
  CHECK(slurp(scene.project / "~x") == "no home");
  ::setenv("HOME", scene.outside.c_str(), 1);
  CHECK(scene.refused_read("~/secret").says("outside the allowed roots"));
  ::setenv("HOME", before.c_str(), 1);
}

TEST_CASE("S12: entries that cannot be looked at are listed, page by page, as of no known type") {
  if (!is_root()) {
    return;
  }
  RightsScene scene;
  for (const char* name : {"a", "b", "c"}) {
    scene.put(std::string("sub/") + name, kBob, kBob, 0644);
  }
  REQUIRE(::chmod((scene.project / "sub").c_str(), 0600) == 0);
  const As bob(kBob);
  std::string seen;
  FileList page{"", {}, true, "", 0};
  while (page.truncated) {
    page = run(scene.io, scene.files.list({"sub", 2, page.last.empty() ? "" : list_cursor(page.last)}));
    CHECK(page.not_seen == EACCES);
    for (const FileEntry& entry : page.entries) {
      seen += entry.name + "=" + std::string(entry.type) + " ";
    }
  }
  CHECK(seen == "a=unknown b=unknown c=unknown ");
}

TEST_CASE("S12: a cursor is no name, leads on, and says when its entry is gone") {
  FilesScene scene;
  for (const char* name : {"a", "b", "c", "d"}) {
    scene.write(std::string("sub/") + name, "x");
  }
  const FileList after = run(scene.io, scene.files.list({"sub", 10, list_cursor("b")}));
  REQUIRE(after.entries.size() == 2);
  CHECK(after.entries[0].name == "c");
  fs::remove(scene.project / "sub" / "b");
  CHECK(failure_of(scene.io, scene.files.list({"sub", 10, list_cursor("b")})).says("is gone"));
  CHECK(run(scene.io, scene.files.list({"sub", 10, "b"})).entries.size() == 2);
  CHECK(run(scene.io, scene.files.list({"sub", 10, "sha256:abc"})).entries.empty());  // a name like any other
}

TEST_CASE("H9: lines from the beginning, from the end and from anywhere, of files of any size") {
  FilesScene scene;
  std::string text;
  for (int n = 1; n <= 300'000; ++n) {
    text += "line " + std::to_string(n) + "\n";
  }
  scene.write("large", text);
  scene.write("small", "1\n2\n3");
  scene.write("empty", "");
  scene.write("ends", "1\n\n");
  const auto lines = [&scene](const char* path, std::uint64_t first, std::uint64_t count) {
    return scene.read_lines(path, {first, count, false}).content;
  };
  const auto last = [&scene](const char* path, std::uint64_t count) {
    return scene.read_lines(path, {1, count, true}).content;
  };
  CHECK(lines("small", 1, 2) == "1\n2\n");
  CHECK(lines("small", 2, UINT64_MAX) == "2\n3");
  CHECK(lines("small", 3, 1) == "3");
  CHECK(lines("small", 4, 9).empty());
  CHECK(last("small", 1) == "3");
  CHECK(last("small", 2) == "2\n3");
  CHECK(last("small", 9) == "1\n2\n3");
  CHECK(last("ends", 1) == "\n");
  CHECK(last("ends", 2) == "1\n\n");
  CHECK((lines("empty", 1, 5).empty() && last("empty", 5).empty()));
  CHECK(lines("large", 1, 1) == "line 1\n");
  CHECK(lines("large", 250'000, 2) == "line 250000\nline 250001\n");
  CHECK(last("large", 2) == "line 299999\nline 300000\n");
  CHECK(scene.read_lines("large", {100'000, 80'000, false}, 1'048'576).content ==
        text.substr(text.find("line 100000\n"), text.find("line 180000\n") - text.find("line 100000\n")));
  const FilePart many = scene.read_lines("large", {1, 200'000, true}, 12);
  CHECK(many.content == "line 100001\n");
  CHECK((many.size == text.size() && !many.eof && many.next_offset == text.find("line 100002\n")));
  CHECK(scene.read_lines("large", {300'000, 1, false}).eof);
  for (const auto& [asked, most, left] :
       std::vector<std::tuple<LineRange, std::uint64_t, bool>>{{{1, 2, false}, 13, true},
                                                               {{1, 2, false}, 14, false},
                                                               {{1, 2, false}, 15, false},
                                                               {{300'000, 1, false}, 4, true},
                                                               {{1, UINT64_MAX, false}, 7, true},
                                                               {{299'999, UINT64_MAX, false}, 24, false},
                                                               {{1, 2, true}, 23, true},
                                                               {{1, 2, true}, 24, false}}) {
    CAPTURE(most);
    const FilePart part = scene.read_lines("large", asked, most);
    CHECK((part.next_offset < part.lines_end) == left);
  }
}

TEST_CASE("H9: lines of files whose size is not their length, as in /proc and /sys") {
  boost::asio::io_context io;
  FileAccess files(FileRoots::of({"/proc", "/sys"}));
  const auto lines = [&](const char* path, LineRange range) {
    return run(io, files.read({path, 0, 65'536, true, range}));
  };
  const std::string all = lines("/proc/filesystems", {1, UINT64_MAX, false}).content;
  CHECK(all.size() > 100);
  CHECK(all == lines("/proc/filesystems", {1, UINT64_MAX, true}).content);
  CHECK(all.ends_with(lines("/proc/filesystems", {1, 2, true}).content));
  CHECK(all == lines("/proc/filesystems", {1, 1, false}).content +
                   lines("/proc/filesystems", {2, UINT64_MAX, false}).content);
  if (const char* short_file = "/sys/devices/system/cpu/possible"; fs::exists(short_file)) {
    for (const bool from_end : {false, true}) {
      const FilePart part = lines(short_file, {1, UINT64_MAX, from_end});
      CHECK_FALSE(part.content.empty());
      CHECK(part.lines_end == part.content.size());
      CHECK(part.eof);
    }
  }
}

TEST_CASE("S14: a root that is not there is named, and so is a link on the way that leads nowhere") {
  FilesScene scene;
  FileAccess files(FileRoots::of({scene.project / "gone"}));
  const std::string root = (scene.project / "gone").string();
  CHECK(failure_of(scene.io, files.read({"x", 0, 10, false})).says("its root \"" + root + "\" is not there"));
  CHECK(failure_of(scene.io, files.list({".", 10, ""})).says("its root \"" + root + "\""));
  WriteFile request = scene.a_write("x", "y");
  request.create_parents = true;
  CHECK(failure_of(scene.io, files.write(request)).says("its root \"" + root + "\""));
  fs::create_symlink("nowhere/dir", scene.project / "dangling");
  request.path = "dangling/file";
  CHECK(scene.refused_write(request).says("a symbolic link on the way leads to nothing"));
  request.create_parents = false;
  CHECK(scene.refused_write(request).says("make it first (write_file: create_parents)"));
}

TEST_CASE("H9: of a file of any size no more is read than the lines that were asked for need") {
  FilesScene scene;
  std::ofstream(scene.project / "long") << "1\n2\n3\n";
  fs::resize_file(scene.project / "long", std::uint64_t{1} << 40U);  // to read all of it would take an hour
  for (const LineRange lines : {LineRange{1, UINT64_MAX, false}, LineRange{3, UINT64_MAX, false},
                                LineRange{4, 5, false}, LineRange{2, 9, false}}) {
    CAPTURE(lines.first);
    const FilePart part = run(scene.io, scene.files.read({"long", 0, 100, false, lines}));
    CHECK(part.offset == 2 * (lines.first - 1));
    CHECK(part.content.size() == 100);
    CHECK(part.next_offset < part.lines_end);
  }
}
