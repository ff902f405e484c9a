#include "files/file_access.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/digests.hpp"
#include "event_loop.hpp"
#include "files/file_write.hpp"
#include "files_scene.hpp"

using namespace terminally;
using namespace terminally::test;
namespace fs = std::filesystem;

TEST_CASE("A6: every byte value is written and read exactly, whole and in ranges") {
  FilesScene scene;
  std::string every;
  for (int i = 0; i < 5'000; ++i) {
    every += static_cast<char>(i * 37 % 256);
  }
  const WrittenFile written = scene.write("sub/every", every);
  CHECK(written.bytes_written == every.size());
  CHECK(written.sha256 == sha256_hex(every));
  CHECK(slurp(scene.project / "sub" / "every") == every);
  const FilePart whole = scene.read("sub/every");
  CHECK(whole.content == every);
  CHECK(whole.sha256 == written.sha256);
  CHECK(whole.eof);
  std::string in_ranges;
  for (bool more = true; more;) {
    const FilePart part = scene.read((scene.project / "sub" / "every").string(), in_ranges.size(), 777);
    CHECK(part.size == every.size());
    CHECK(part.sha256 == written.sha256);
    in_ranges += part.content;
    CHECK(part.next_offset == in_ranges.size());
    more = !part.eof;
  }
  CHECK(in_ranges == every);
  const FilePart behind = scene.read("sub/every", 99'999);
  CHECK((behind.content.empty() && behind.eof && behind.next_offset == 99'999));
  CHECK(scene.left().empty());
}

TEST_CASE("A6: a large file is read by ranges, and hashed where it is asked for") {
  FilesScene scene;
  const std::uint64_t size = (std::uint64_t{5} << 30U) + 3;
  std::ofstream(scene.project / "large") << "";
  fs::resize_file(scene.project / "large", size);
  {
    std::fstream file(scene.project / "large", std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(size - 3));
    file << "end";
  }
  const FilePart end = scene.read("large", size - 3);
  CHECK(end.content == "end");
  CHECK(end.size == size);
  CHECK_FALSE(end.sha256);
  CHECK(scene.read("large", size - 5, 4).content == std::string_view("\0\0en", 4));
  fs::resize_file(scene.project / "large", kHashedAtEachRead + 1);
  CHECK_FALSE(scene.read("large", 0, 1).sha256);
  const FilePart known = scene.read("large", 0, 0);
  CHECK(known.sha256 == sha256_hex(std::string(kHashedAtEachRead + 1, '\0')));
  CHECK(known.content.empty());
}

TEST_CASE("A6: text is cut between characters, and what is none is refused") {
  FilesScene scene;
  scene.write("text", "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z");
  std::string all;
  for (std::uint64_t at = 0; at < 11;) {
    const FilePart part = scene.read("text", at, 4, true);
    CHECK((!part.content.empty() && part.next_offset > at));
    all += part.content;
    at = part.next_offset;
  }
  CHECK(all == "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z");
  CHECK(scene.read("text", 0, 2, true).content == "a");
  scene.write("latin", "abc\xe4 def");
  CHECK(scene.refused_read("latin", true).says("byte 3 of the file is no UTF-8; encoding: \"base64\""));
  scene.write("cut", "ab\xc3");
  CHECK(scene.refused_read("cut", true).says("byte 2"));
  CHECK(scene.refused_read("text", true).text.empty());
}

TEST_CASE("T11 (threat): nothing leads out of the directory") {
  FilesScene scene;
  fs::create_symlink(scene.outside / "secret", scene.project / "absolute");
  fs::create_symlink("../outside/secret", scene.project / "relative");
  fs::create_directory_symlink(scene.outside, scene.project / "dir");
  fs::create_symlink("/proc/self/cwd", scene.project / "magic");
  fs::create_symlink((scene.project / "sub").string(), scene.project / "within");
  for (const char* path : {"../outside/secret", "sub/../../outside/secret", "absolute", "relative",
                           "dir/secret", "magic/x", "within/x", "/proc/self/root/etc/passwd"}) {
    CAPTURE(path);
    const Failure read = scene.refused_read(path);
    CHECK(read.code == ErrorCode::invalid_argument);
    CHECK(read.says("path: "));
    CHECK_FALSE(read.says("not for you"));
  }
  for (const char* path : {"../outside/new", "dir/new", "dir/secret", "sub/../../outside/secret", "../new"}) {
    CAPTURE(path);
    for (const bool parents : {false, true}) {
      WriteFile request = scene.a_write(path, "x");
      request.create_parents = parents;
      CHECK(scene.refused_write(request).code == ErrorCode::invalid_argument);
    }
  }
  WriteFile deep = scene.a_write("dir/made/new", "x");
  deep.create_parents = true;
  CHECK(scene.refused_write(deep).says("leads out of its directory"));
  CHECK(failure_of(scene.io, scene.files.list({"dir", 10, ""})).says("leads out of its directory"));
  CHECK(slurp(scene.outside / "secret") == "not for you");
  CHECK(std::distance(fs::directory_iterator(scene.outside), {}) == 1);
  // A link itself is not written over; one that stays within is read.
  CHECK(scene.refused_write(scene.a_write("absolute", "x")).says("is a symlink, not a regular file"));
  scene.write("sub/real", "here");
  fs::create_symlink("sub/real", scene.project / "good");
  CHECK(scene.read("good").content == "here");
  CHECK(scene.read("sub/../sub/real").content == "here");
}

TEST_CASE("T11 (threat): a directory whose path has a link by now is not followed") {
  FilesScene scene;
  scene.write("a", "1");
  fs::rename(scene.project, scene.dir / "moved");
  fs::create_directory_symlink(scene.outside, scene.project);
  CHECK(scene.refused_read("secret").says("not followed"));
  CHECK(scene.refused_write(scene.a_write("new", "x")).code == ErrorCode::invalid_argument);
}

TEST_CASE("T11 (threat): what is no regular file is refused at once") {
  FilesScene scene;
  REQUIRE(::mkfifo((scene.project / "fifo").c_str(), 0600) == 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (scene.project / "socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  ::close(socket);
  FileAccess devices{FileRoots::of({"/dev"})};
  for (const auto& [path, type] : std::vector<std::pair<std::string, std::string>>{
           {"fifo", "fifo"}, {"socket", "socket"}, {"sub", "directory"}}) {
    CAPTURE(path);
    CHECK(scene.refused_read(path).says("is a " + type + ", not a regular file"));
    CHECK(scene.refused_write(scene.a_write(path, "x")).says("is a " + type + ", not a regular file"));
  }
  CHECK(failure_of(scene.io, devices.read({"null", 0, 10, false})).says("is a device, not a regular file"));
  WriteFile to_device = scene.a_write("null", "x");
  CHECK(failure_of(scene.io, devices.write(to_device)).says("is a device, not a regular file"));
  CHECK(scene.left().empty());
}

TEST_CASE("A6: a file keeps its mode, a new one has the usual, and what is asked for counts") {
  FilesScene scene;
  const mode_t before = ::umask(027);
  scene.write("new", "1");
  ::umask(before);
  CHECK(mode_in(scene.project / "new") == 0640);
  fs::permissions(scene.project / "new", fs::perms(0751));
  scene.write("new", "2");
  CHECK(mode_in(scene.project / "new") == 0751);
  fs::permissions(scene.project / "new", fs::perms(06751));  // as write(2) takes these away
  const std::vector<std::string> notes = scene.write("new", "2").notes;
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == "its mode was 6751: setuid and setgid are dropped, as by any write");
  CHECK(mode_in(scene.project / "new") == 0751);
  WriteFile request = scene.a_write("new", "3");
  request.mode = 0604;
  run(scene.io, scene.files.write(request));
  CHECK(mode_in(scene.project / "new") == 0604);
  request.path = "deep/er/file";
  CHECK(scene.refused_write(request).says("make it first"));
  CHECK_FALSE(fs::exists(scene.project / "deep"));
  request.create_parents = true;
  run(scene.io, scene.files.write(request));
  CHECK(slurp(scene.project / "deep" / "er" / "file") == "3");
  CHECK(scene.refused_write(scene.a_write("sub/", "x")).says("is a directory, not a regular file"));
  CHECK(scene.refused_write(scene.a_write("sub/..", "x")).says("is a directory"));
  CHECK(scene.refused_write(scene.a_write("new/x", "x")).code == ErrorCode::io);
}

TEST_CASE("A6: what is expected is compared, and what is not so is left as it is") {
  FilesScene scene;
  WriteFile request = scene.a_write("file", "one");
  request.expected_sha256 = kAbsent;
  run(scene.io, scene.files.write(request));
  CHECK(scene.refused_write(request).says("exists already; nothing was written"));
  request.content = "two";
  request.expected_sha256 = sha256_hex("one");
  run(scene.io, scene.files.write(request));
  const Failure again = scene.refused_write(request);
  CHECK(again.says("has SHA-256 " + sha256_hex("two") + ", not " + sha256_hex("one") +
                   "; nothing was written"));
  CHECK(again.says("It already has the content of this call"));
  request.content = "three";
  CHECK(scene.refused_write(request).says("read it again"));
  CHECK(slurp(scene.project / "file") == "two");
  request.path = "nowhere";
  CHECK(scene.refused_write(request).says("does not exist; nothing was written"));
  CHECK_FALSE(fs::exists(scene.project / "nowhere"));
  CHECK(scene.left().empty());
}

TEST_CASE("A6: of many who expect the same at once one wins") {
  FilesScene scene;
  FileAccess other{FileRoots::of({scene.project})};
  scene.write("file", "0");
  std::string now = "0";
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<UnderWay<WrittenFile>>> calls;
    for (int i = 0; i < 6; ++i) {
      WriteFile request = scene.a_write("file", std::to_string(round) + "-" + std::to_string(i));
      request.expected_sha256 = sha256_hex(now);
      FileAccess& by = i % 2 == 0 ? scene.files : other;
      calls.push_back(std::make_unique<UnderWay<WrittenFile>>(scene.io, by.write(request)));
    }
    int won = 0;
    for (const auto& call : calls) {
      try {
        static_cast<void>(call->result());
        ++won;
      } catch (const Error& error) {
        CHECK(std::string(error.what()).find(", not " + sha256_hex(now)) != std::string::npos);
      }
    }
    REQUIRE(won == 1);
    now = slurp(scene.project / "file");
  }
  CHECK(scene.left().empty());
}

TEST_CASE("A6: who expects nothing does not wait long for a lock that another program holds") {
  FilesScene scene;
  scene.write("file", "1");
  const auto lock_it = [&scene] {
    UniqueFd file(::open((scene.project / "file").c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(::flock(file.get(), LOCK_EX | LOCK_NB) == 0);
    return file;
  };
  const UniqueFd first = lock_it();
  scene.write("file", "2");
  CHECK(slurp(scene.project / "file") == "2");
  const UniqueFd held = lock_it();  // of the new file
  WriteFile expects = scene.a_write("file", "3");
  expects.expected_sha256 = sha256_hex("2");
  UnderWay<WrittenFile> waits(scene.io, scene.files.write(expects));
  CHECK(scene.read("file").content == "2");  // meanwhile others are served
  CHECK_FALSE(waits.is_done());
  ::flock(held.get(), LOCK_UN);
  static_cast<void>(waits.result());
  CHECK(slurp(scene.project / "file") == "3");
}

TEST_CASE("A6: what was not there when it was compared, and is now, is not replaced") {
  FilesScene scene;
  WriteFile request = scene.a_write("file", "ours");
  request.expected_sha256 = kAbsent;
  {
    FreshFile fresh(FileRoots::of({scene.project}).find("file"), request);
    fresh.write();
    REQUIRE(fresh.try_lock() == FreshFile::Lock::held);
    CHECK_FALSE(fresh.replaced());
    fresh.compare("");
    std::ofstream(scene.project / "file") << "of one who takes no lock";
    CHECK_THROWS_WITH_AS(static_cast<void>(fresh.put_in_place()), doctest::Contains("exists already"), Error);
  }
  CHECK(slurp(scene.project / "file") == "of one who takes no lock");
  CHECK(scene.left().empty());
}

TEST_CASE("A6: parts that are not ours alone are not gone on with") {
  FilesScene scene;
  WriteFile request = scene.a_write("file", "begun ");
  request.piece = FilePiece::first;
  run(scene.io, scene.files.write(request));
  REQUIRE(scene.left().size() == 1);
  const fs::path part = scene.left().front();
  CHECK(mode_in(part) == 0600);
  request.piece = FilePiece::next;
  {
    const UniqueFd theirs(::open(part.c_str(), O_RDWR | O_CLOEXEC));
    REQUIRE(::flock(theirs.get(), LOCK_EX | LOCK_NB) == 0);
    CHECK(scene.refused_write(request).says("another call is writing it in parts"));
  }
  fs::permissions(part, fs::perms(0620));
  CHECK(scene.refused_write(request).says("belongs to another user, has other links or is open to others"));
  fs::permissions(part, fs::perms(0600));
  fs::create_hard_link(part, scene.project / "theirs");
  CHECK(scene.refused_write(request).says("belongs to another user, has other links or is open to others"));
  fs::remove(scene.project / "theirs");
  CHECK(slurp(part) == "begun ");
  CHECK(run(scene.io, scene.files.write(request)).part_bytes == 12);
}

TEST_CASE("A6: a file in parts takes its place with the last one") {
  FilesScene scene;
  scene.write("file", "old");
  const std::string zeros(100'000, '\0');
  const std::vector<std::pair<FilePiece, std::string>> pieces = {{FilePiece::first, "of an earlier try"},
                                                                 {FilePiece::first, "one "},
                                                                 {FilePiece::next, zeros},
                                                                 {FilePiece::next, ""}};
  WrittenFile written;
  for (const auto& [piece, content] : pieces) {
    WriteFile request = scene.a_write("file", content);
    request.piece = piece;
    written = run(scene.io, scene.files.write(request));
    CHECK_FALSE(written.sha256);
  }
  CHECK(written.part_bytes == 100'004);
  CHECK(slurp(scene.project / "file") == "old");
  CHECK(scene.read(written.part_path, 0, 0).sha256 == sha256_hex("one " + zeros));
  WriteFile last = scene.a_write("file", " end");
  last.piece = FilePiece::last;
  last.expected_sha256 = sha256_hex("else");
  CHECK(scene.refused_write(last).says(", not " + sha256_hex("else")));
  last.expected_sha256 = sha256_hex("old");
  last.sha256 = sha256_hex("of something else");
  CHECK(scene.refused_write(last).says("nothing was replaced"));
  CHECK(slurp(scene.project / "file") == "old");
  last.sha256 = sha256_hex("one " + zeros + " end");
  written = run(scene.io, scene.files.write(last));
  CHECK(slurp(scene.project / "file") == "one " + zeros + " end");
  CHECK(written.sha256 == sha256_hex("one " + zeros + " end"));
  CHECK(scene.left().empty());
  WriteFile whole = scene.a_write("file", "cut on its w");
  whole.sha256 = sha256_hex("cut on its way");
  CHECK(scene.refused_write(whole).says("nothing was replaced"));
  CHECK(scene.left().empty());
}

TEST_CASE("A6: a directory is listed in the order of bytes, as much as is asked for, and further") {
  FilesScene scene;
  const std::vector<std::string> names = {"A", "a", "b c", "\xc3\xa4", "\xff"};
  for (const std::string& name : names) {
    std::ofstream(scene.project / "sub" / name) << "12345";
  }
  fs::create_symlink("nowhere", scene.project / "sub" / "link");
  REQUIRE(::mkfifo((scene.project / "sub" / "queue").c_str(), 0600) == 0);
  const FileList all = run(scene.io, scene.files.list({"sub", 1'000, ""}));
  CHECK(all.directory == (scene.project / "sub").string());
  CHECK_FALSE(all.truncated);
  std::string seen;
  for (const FileEntry& entry : all.entries) {
    seen += entry.name + "=" + std::string(entry.type) + "/" + std::to_string(entry.size) + " ";
  }
  CHECK(seen == "A=file/5 a=file/5 b c=file/5 link=symlink/7 queue=fifo/0 \xc3\xa4=file/5 \xff=file/5 ");
  ListFiles request{"sub", 3, ""};
  std::vector<std::string> paged;
  for (bool more = true; more;) {
    const FileList page = run(scene.io, scene.files.list(request));
    for (const FileEntry& entry : page.entries) {
      paged.push_back(entry.name);
    }
    CHECK(page.entries.size() <= 3);
    more = page.truncated;
    request.after = paged.back();
  }
  CHECK(paged.size() == 7);
  std::ofstream(scene.project / "sub.y") << "";
  const FileList behind =
      run(scene.io, scene.files.list({".", 3, "sub/"}));  // as names_only writes a directory
  REQUIRE(behind.entries.size() == 1);
  CHECK(behind.entries[0].name == "sub.y");
  CHECK(paged.back() == "\xff");
  CHECK(failure_of(scene.io, scene.files.list({"nowhere", 3, ""})).code == ErrorCode::not_found);
  CHECK(failure_of(scene.io, scene.files.list({"sub/a", 3, ""})).says("is no directory"));
}

TEST_CASE("V3: what holds of a small file holds of one over many slices: ranges, hashes, parts") {
  FilesScene scene;
  for (const std::size_t size : {std::size_t{10}, std::size_t{10'000'000}}) {
    CAPTURE(size);
    std::string content;
    while (content.size() < size) {
      content += std::to_string(content.size()) + ' ';
    }
    WriteFile whole = scene.a_part("file", FilePiece::last, content.substr(content.size() / 2));
    whole.sha256 = sha256_hex(content);
    run(scene.io,
        scene.files.write(scene.a_part("file", FilePiece::first, content.substr(0, content.size() / 2))));
    CHECK(run(scene.io, scene.files.write(whole)).sha256 == whole.sha256);
    CHECK(slurp(scene.project / "file") == content);
    for (const std::uint64_t from : {std::uint64_t{0}, std::uint64_t{3}, (std::uint64_t{1} << 20U) - 2}) {
      CHECK(scene.read("file", from, 1'048'576).content ==
            (from < content.size() ? content.substr(from, 1'048'576) : ""));
    }
    CHECK(scene.read("file", 0, 0).sha256 == whole.sha256);
  }
}

TEST_CASE("V3: a range over the border of two slices has both, with the hash of the whole") {
  FilesScene scene;
  std::string content((std::size_t{3} << 20U) + 7, 'a');
  content.replace((std::size_t{1} << 20U) - 3, 6, "border");
  scene.write("file", content);
  const FilePart part = scene.read("file", (std::uint64_t{1} << 20U) - 4, 8);
  CHECK(part.content == "abordera");
  CHECK(part.sha256 == sha256_hex(content));
  CHECK(part.next_offset == (std::uint64_t{1} << 20U) + 4);
}

TEST_CASE("V1: what came in parts has the hash that it has whole") {
  FilesScene scene;
  run(scene.io, scene.files.write(scene.a_part("parts", FilePiece::first, "one ")));
  const WrittenFile in_parts =
      run(scene.io, scene.files.write(scene.a_part("parts", FilePiece::last, "file")));
  const WrittenFile whole = scene.write("whole", "one file");
  CHECK(in_parts.sha256 == whole.sha256);
  CHECK(in_parts.sha256 == sha256_hex("one file"));
  CHECK(in_parts.part_path.empty());
  CHECK(mode_in(scene.project / "parts") == mode_in(scene.project / "whole"));
  CHECK(scene.left().empty());
}

TEST_CASE("V3: where a part begins does not change which byte is named") {
  FilesScene scene;
  scene.write("file", "text\n\xff");
  CHECK(
      failure_of(scene.io, scene.files.read({"file", 3, 100, true})).says("byte 5 of the file is no UTF-8"));
  scene.write("file", std::string("text\n\0", 6));
  CHECK(failure_of(scene.io, scene.files.read({"file", 3, 100, true})).says("byte 5 of the file is NUL"));
}
