// The order of calls on one file, the lock between writers, and parts that fail.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>

#include <boost/system/system_error.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "base/digests.hpp"
#include "files/file_write.hpp"
#include "files_scene.hpp"

using namespace terminally;
using namespace terminally::test;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kOneMegabyte = std::size_t{1} << 20U;

using Calls = std::vector<std::unique_ptr<UnderWay<WrittenFile>>>;

/// Sends one call behind the other without waiting.
Calls sent(FilesScene& scene, const std::vector<WriteFile>& requests) {
  Calls calls;
  for (const WriteFile& request : requests) {
    calls.push_back(std::make_unique<UnderWay<WrittenFile>>(scene.io, scene.files.write(request)));
  }
  return calls;
}

}  // namespace

TEST_CASE("C3: parts that are sent one behind the other arrive in that order, whatever they cost") {
  for (const std::vector<std::size_t>& sizes :
       std::vector<std::vector<std::size_t>>{{3 * kOneMegabyte, 2 * kOneMegabyte, 10},
                                             {10, 9, 8},
                                             {10 * kOneMegabyte, 1, 0},
                                             {1, 5 * kOneMegabyte, 1}}) {
    CAPTURE(sizes[0]);
    FilesScene scene;
    const std::string all =
        std::string(sizes[0], 'a') + std::string(sizes[1], 'b') + std::string(sizes[2], 'c');
    Calls calls =
        sent(scene,
             {scene.a_part("file", FilePiece::first, std::string(sizes[0], 'a')),
              scene.a_part("./file", FilePiece::next, std::string(sizes[1], 'b')),
              scene.a_part((scene.project / "file").string(), FilePiece::last, std::string(sizes[2], 'c'))});
    for (const auto& call : calls) {
      static_cast<void>(call->result());
    }
    CHECK(slurp(scene.project / "file") == all);
    CHECK(scene.left().empty());
  }
}

TEST_CASE("C3: of two whole writes the later call wins, and a read sees the writes before it") {
  FilesScene scene;
  for (const auto& [first, second] : std::vector<std::pair<std::size_t, std::size_t>>{
           {2 * kOneMegabyte, 10}, {10, 2 * kOneMegabyte}, {10, 9}, {kOneMegabyte, 0}}) {
    CAPTURE(first);
    const std::string wanted(second, 'b');
    Calls calls =
        sent(scene, {scene.a_write("file", std::string(first, 'a')), scene.a_write("file", wanted)});
    const FilePart read = scene.read("sub/../file", 0, 10);
    CHECK(read.size == second);
    for (const auto& call : calls) {
      static_cast<void>(call->result());
    }
    CHECK(slurp(scene.project / "file") == wanted);
  }
  std::vector<WriteFile> many;
  many.reserve(20);
  for (std::size_t n = 0; n < 20; ++n) {
    many.push_back(scene.a_write("file", std::string((20 - n) * 10'000, static_cast<char>('a' + n))));
  }
  const Calls calls = sent(scene, many);
  static_cast<void>(calls.back()->result());
  CHECK(slurp(scene.project / "file") == std::string(10'000, 't'));
}

TEST_CASE("C3: a part that is given up while it waits for its turn is missed as one that failed") {
  for (const FilePiece piece : {FilePiece::first, FilePiece::next}) {
    FilesScene scene;
    run(scene.io, scene.files.write(scene.a_part("file", FilePiece::first, "stale")));
    const WriteFile given_up = scene.a_part("file", piece, "b");
    const WriteFile last = scene.a_part("file", FilePiece::last, "d");
    Calls calls = sent(scene, {scene.a_write("file", std::string(10 * kOneMegabyte, 'a')), given_up, last});
    calls[1]->cancel();
    CHECK_THROWS_AS(static_cast<void>(calls[1]->result()), boost::system::system_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(calls[2]->result()), doctest::Contains("an earlier part failed"),
                         Error);
    CHECK(scene.refused_write(last).says("an earlier part failed"));
    run(scene.io, scene.files.write(given_up));
    run(scene.io, scene.files.write(last));
    CHECK(slurp(scene.project / "file") == (piece == FilePiece::first ? "bd" : "stalebd"));
  }
}

TEST_CASE("C1: what is given with parts, and which are missing, holds by whichever path the file is named") {
  FilesScene scene;
  fs::create_directory(scene.project / "real");
  fs::create_directory_symlink("real", scene.project / "link");
  std::ofstream(scene.project / "real" / "file") << "somebody else's";
  WriteFile first = scene.a_part("link/file", FilePiece::first, "a");
  first.expected_sha256 = sha256_hex("what was read");
  run(scene.io, scene.files.write(first));
  const WriteFile last = scene.a_part("real/file", FilePiece::last, "b");
  static_cast<void>(scene.refused_write(last));
  CHECK(slurp(scene.project / "real" / "file") == "somebody else's");
  std::ofstream(scene.project / "real" / "file") << "what was read";
  run(scene.io, scene.files.write(last));
  CHECK(slurp(scene.project / "real" / "file") == "ab");
  WriteFile makes = scene.a_part("new/file", FilePiece::first, "a");
  makes.create_parents = true;
  makes.sha256 = sha256_hex("something else");
  run(scene.io, scene.files.write(makes));
  CHECK(scene.refused_write(scene.a_part("new/file", FilePiece::last, "b")).says("sha256: what was written"));
}

TEST_CASE("C3: it is one file by whichever path it is named, also in a directory that is yet to be made") {
  FilesScene scene;
  fs::create_directories(scene.project / "real" / "deep");
  fs::create_directory_symlink("real", scene.project / "link");
  fs::create_directory_symlink("real/deep", scene.project / "deep");
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {"real/file", "link/file"}, {"link/file", "real/file"}, {"real/file", "deep/../file"}}) {
    CAPTURE(other);
    const Calls calls = sent(scene, {scene.a_write(one, std::string(kOneMegabyte, 'a')),
                                     scene.a_write(one, std::string(kOneMegabyte, 'b')),
                                     scene.a_write(other, std::string(10, 'c'))});
    const FilePart read = scene.read(one, 0, 10);
    CHECK(read.content == std::string(10, 'c'));
    for (const auto& call : calls) {
      static_cast<void>(call->result());
    }
    CHECK(slurp(scene.project / "real" / "file") == std::string(10, 'c'));
  }
  WriteFile makes = scene.a_write("new/dir/file", std::string(kOneMegabyte, 'a'));
  makes.create_parents = true;
  WriteFile small = makes;
  small.content = "b";
  const Calls calls = sent(scene, {makes, small});
  CHECK(scene.read("new/dir/file", 0, 10).content == "b");
  static_cast<void>(calls.back()->result());
  CHECK(slurp(scene.project / "new" / "dir" / "file") == "b");
}

TEST_CASE("C3: a part without those before it is refused, and replaces nothing") {
  FilesScene scene;
  scene.write("file", "whole");
  CHECK(scene.refused_write(scene.a_part("file", FilePiece::last, "tail")).says("begin with part \"first\""));
  CHECK(scene.refused_write(scene.a_part("file", FilePiece::next, "middle")).says("there are no parts"));
  CHECK(run(scene.io, scene.files.write(scene.a_part("file", FilePiece::next, ""))).part_bytes == 0);
  CHECK(scene.left().empty());
  run(scene.io, scene.files.write(scene.a_part("file", FilePiece::first, "new ")));
  const WriteFile last = scene.a_part("file", FilePiece::last, "tail");
  run(scene.io, scene.files.write(last));
  CHECK(scene.refused_write(last).says("there are no parts"));  // as who has not seen the answer repeats it
  CHECK(slurp(scene.project / "file") == "new tail");
  CHECK(scene.refused_write(scene.a_part("new", FilePiece::last, "x")).says("there are no parts"));
  CHECK_FALSE(fs::exists(scene.project / "new"));
}

TEST_CASE("C3: a part that fails leaves the parts as they were, and what was sent behind it is refused") {
  FilesScene scene;
  scene.write("file", "old");
  const WriteFile first = scene.a_part("file", FilePiece::first, std::string(kOneMegabyte, 'a'));
  const WriteFile next = scene.a_part("file", FilePiece::next, std::string(kOneMegabyte, 'b'));
  const WriteFile last = scene.a_part("file", FilePiece::last, "c");
  run(scene.io, scene.files.write(first));
  const std::string part = fs::path(scene.left().at(0)).filename();
  {
    const FullBehind full(kOneMegabyte + kOneMegabyte / 2);
    Calls calls = sent(scene, {next, last});
    CHECK_THROWS_WITH_AS(static_cast<void>(calls[0]->result()),
                         doctest::Contains(("The parts before it stay beside the file, in " + part).c_str()),
                         Error);
    CHECK_THROWS_WITH_AS(static_cast<void>(calls[1]->result()),
                         doctest::Contains("an earlier part failed and is missing"), Error);
    CHECK(run(scene.io, scene.files.write(scene.a_part("file", FilePiece::next, ""))).part_bytes ==
          kOneMegabyte);
  }
  CHECK(slurp(scene.project / "file") == "old");
  CHECK(scene.refused_write(last).says(
      "an earlier part failed"));  // sent after the failure, by who looks at none
  CHECK(scene.refused_write(scene.a_part("file", FilePiece::last, "")).says("an earlier part failed"));
  run(scene.io, scene.files.write(next));
  run(scene.io, scene.files.write(last));
  CHECK(slurp(scene.project / "file") == first.content + next.content + "c");
  {
    const FullBehind full(kOneMegabyte / 2);
    Calls calls = sent(scene, {first, next, last});
    for (const auto& call : calls) {
      CHECK_THROWS_AS(static_cast<void>(call->result()), Error);
    }
    CHECK(scene.refused_write(scene.a_write("whole", first.content)).says("File too large"));
  }
  CHECK(scene.left().empty());  // neither of the first part nor of the whole
  CHECK(slurp(scene.project / "file") == first.content + next.content + "c");
}

TEST_CASE("C3: a part whose caller waits no longer is cut off, and one that is kept stays") {
  FilesScene scene;
  const FilePlaceInRoot place = FileRoots::of({scene.project}).find("file");
  std::optional<PartFile> known;
  {
    FreshFile first(place, scene.a_part("file", FilePiece::first, "AAAA"));
    first.write();
    known = first.part();
  }
  {
    FreshFile late(place, scene.a_part("file", FilePiece::next, "BBBB"), known);
    CHECK(late.abandon());
    late.write();
    CHECK(late.abandon());
  }
  CHECK(slurp(scene.left().at(0)) == "AAAA");
  {
    FreshFile in_time(place, scene.a_part("file", FilePiece::next, "BBBB"), known);
    in_time.write();
    CHECK_FALSE(in_time.abandon());
  }
  CHECK(slurp(scene.left().at(0)) == "AAAABBBB");
  {
    FreshFile late(place, scene.a_part("file", FilePiece::first, "CCCC"));
    CHECK(late.abandon());
    late.write();
  }
  CHECK(scene.left().empty());
  {
    FreshFile whole(place, scene.a_write("file", "whole"));
    whole.write();
    REQUIRE(whole.try_lock() == FreshFile::Lock::held);
    CHECK(whole.put_in_place());
    CHECK_FALSE(whole.abandon());
  }
  CHECK(slurp(scene.project / "file") == "whole");
}

TEST_CASE(
    "C3: parts whose time is over in any moment are each there once, when they were sent until they were "
    "taken") {
  bool whole = false;
  for (std::int64_t patience = 1; patience < 10'000 && !whole; patience *= 2) {
    FilesScene scene;
    FileAccess files{FileRoots::of({scene.project}), Milliseconds(patience)};
    const auto is_taken = [&](FilePiece piece, const std::string& content) {
      for (int tries = 0; tries < 5; ++tries) {
        const Failure failure = failure_of(scene.io, files.write(scene.a_part("file", piece, content)));
        if (failure.text.empty()) {
          return true;
        }
        REQUIRE((failure.says("nothing of this part is kept: send it again") ||
                 failure.says("the write may still")));
      }
      return false;
    };
    std::string all;
    whole = true;
    for (char letter = 'a'; letter < 'i' && whole; ++letter) {
      const std::string part(2 * kOneMegabyte, letter);
      all += part;
      whole = is_taken(letter == 'a' ? FilePiece::first : FilePiece::next, part);
    }
    if (whole) {
      CHECK(slurp(scene.left().at(0)) == all);
    }
  }
  CHECK(whole);
}

TEST_CASE("C3: of two servers that write one file in parts, each finds out that the other did") {
  FilesScene scene;
  FileAccess other{FileRoots::of({scene.project})};
  const auto part_of = [&scene](FilePiece piece, const std::string& content) {
    return scene.a_part("file", piece, content);
  };
  const auto says_other = [&](FileAccess& files, FilePiece piece, const std::string& content) {
    return failure_of(scene.io, files.write(part_of(piece, content)))
        .says("somebody else wrote parts of \"file\"");
  };
  run(scene.io, scene.files.write(part_of(FilePiece::first, "A1A1")));
  run(scene.io, other.write(part_of(FilePiece::first, "B1B1")));  // as long as the first one's
  CHECK(says_other(scene.files, FilePiece::next, "A2A2"));
  CHECK(says_other(scene.files, FilePiece::last, ""));
  CHECK(run(scene.io, scene.files.write(part_of(FilePiece::next, ""))).part_bytes == 4);
  CHECK(says_other(scene.files, FilePiece::last, "A3A3"));  // asking makes them no parts of ours
  run(scene.io, other.write(part_of(FilePiece::next, "B2B2")));
  run(scene.io,
      other.write(part_of(FilePiece::first, "B1B1")));  // once more: the number of the first file may be free
  CHECK(says_other(scene.files, FilePiece::next, "A2A2"));
  run(scene.io, other.write(part_of(FilePiece::last, "B3B3")));
  CHECK(slurp(scene.project / "file") == "B1B1B3B3");
  CHECK(scene.refused_write(part_of(FilePiece::last, "A3A3")).says("there are no parts"));
  run(scene.io, scene.files.write(part_of(FilePiece::first, "A")));
  run(scene.io, scene.files.write(part_of(FilePiece::last, "")));
  CHECK(slurp(scene.project / "file") == "A");
}

TEST_CASE("C3: who was started anew goes on with parts that it has asked for") {
  FilesScene scene;
  run(scene.io, scene.files.write(scene.a_part("file", FilePiece::first, "begun ")));
  FileAccess anew{FileRoots::of({scene.project})};
  for (const FilePiece piece : {FilePiece::next, FilePiece::last}) {
    const Failure refused = failure_of(scene.io, anew.write(scene.a_part("file", piece, "before")));
    CHECK(refused.says("were not begun by this server"));
    CHECK(refused.says("ask by a \"next\" without content"));
  }
  CHECK(run(scene.io, anew.write(scene.a_part("file", FilePiece::next, ""))).part_bytes == 6);
  run(scene.io, anew.write(scene.a_part("file", FilePiece::last, "and ended")));
  CHECK(slurp(scene.project / "file") == "begun and ended");
}

TEST_CASE(
    "A6: what looks through a content holds up no file, and is not waited for longer than the call has") {
  FilesScene scene;
  std::binary_semaphore may_end(0);
  UnderWay<bool> looks(scene.io, scene.files.beside(Clock::now() + std::chrono::hours(1), 1,
                                                    [&may_end] { may_end.acquire(); }));
  scene.write("file", "x");
  CHECK(scene.read("file").content == "x");
  CHECK_FALSE(run(scene.io, scene.files.beside(Clock::now() + Milliseconds(1), 1, [] {})));
  may_end.release();
  CHECK(looks.result());
}

TEST_CASE("C4: a writer of ours that compares is waited for, however long it takes") {
  for (const bool in_parts : {false, true}) {
    FilesScene scene;
    scene.write("file", "old");
    WriteFile compares = scene.a_write("file", "compared");
    compares.expected_sha256 = sha256_hex("old");
    FreshFile fresh(FileRoots::of({scene.project}).find("file"), compares);
    fresh.write();
    REQUIRE(fresh.try_lock() == FreshFile::Lock::held);
    if (in_parts) {
      run(scene.io, scene.files.write(scene.a_part("file", FilePiece::first, "plain")));
    }
    UnderWay<WrittenFile> plain(scene.io,
                                scene.files.write(in_parts ? scene.a_part("file", FilePiece::last, "")
                                                           : scene.a_write("file", "plain")));
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1'500);
    CHECK(comes_true(scene.io, [until] { return std::chrono::steady_clock::now() > until; }));
    CHECK_FALSE(plain.is_done());
    CHECK(slurp(scene.project / "file") == "old");
    fresh.compare(sha256_hex("old"));
    CHECK(fresh.put_in_place());
    static_cast<void>(plain.result());
    CHECK(slurp(scene.project / "file") == "plain");
  }
}

TEST_CASE("C4: of a compare of any size and a plain write beside it, none is lost") {
  for (const std::size_t size : {std::size_t{10}, 10 * kOneMegabyte, 64 * kOneMegabyte}) {
    CAPTURE(size);
    FilesScene scene;
    FileAccess other{FileRoots::of({scene.project})};
    const std::string old(size, 'o');
    std::ofstream(scene.project / "file") << old;
    WriteFile compares = scene.a_write("file", "compared");
    compares.expected_sha256 = sha256_hex(old);
    UnderWay<WrittenFile> first(scene.io, scene.files.write(compares));
    UnderWay<WrittenFile> second(scene.io, other.write(scene.a_write("file", "plain")));
    static_cast<void>(second.result());
    try {
      static_cast<void>(first.result());
    } catch (const Error&) {
    }
    CHECK(slurp(scene.project / "file") == "plain");
  }
}

TEST_CASE("C4: a name that was free and is taken meanwhile is replaced under the lock of who has it now") {
  FilesScene scene;
  FreshFile fresh(FileRoots::of({scene.project}).find("file"), scene.a_write("file", "ours"));
  fresh.write();
  REQUIRE(fresh.try_lock() == FreshFile::Lock::held);
  scene.write("file", "theirs");
  CHECK_FALSE(fresh.put_in_place());
  CHECK(slurp(scene.project / "file") == "theirs");
  REQUIRE(fresh.try_lock() == FreshFile::Lock::held);
  CHECK(fresh.put_in_place());
  CHECK(slurp(scene.project / "file") == "ours");
}

TEST_CASE("V5: parts whose last call could not take the name are as they were, and nobody else's to read") {
  FilesScene scene;
  run(scene.io, scene.files.write(scene.a_part("file", FilePiece::first, "par")));
  const std::string part = scene.left().at(0);
  WriteFile last = scene.a_part("file", FilePiece::last, "ts");
  last.mode = 0644;
  last.expected_sha256 = kAbsent;
  {
    const auto begun = [&scene] {
      FreshFile asks(FileRoots::of({scene.project}).find("file"), scene.a_part("file", FilePiece::next, ""));
      asks.write();
      return asks.part();
    }();
    FreshFile fresh(FileRoots::of({scene.project}).find("file"), last, begun);
    fresh.write();
    REQUIRE(fresh.try_lock() == FreshFile::Lock::held);
    std::ofstream(scene.project / "file") << "of another program";
    CHECK_THROWS_WITH_AS(static_cast<void>(fresh.put_in_place()), doctest::Contains("exists already"), Error);
  }
  CHECK(slurp(part) == "par");
  CHECK(mode_in(part) == 0600);
  fs::remove(scene.project / "file");
  run(scene.io, scene.files.write(last));
  CHECK(slurp(scene.project / "file") == "parts");
  CHECK(mode_in(scene.project / "file") == 0644);
}

TEST_CASE("C6: mode and hashes that come with the first part hold for the whole") {
  FilesScene scene;
  const fs::path file = scene.project / "private";
  WriteFile first = scene.a_part("private", FilePiece::first, "a");
  first.mode = 0600;
  first.expected_sha256 = kAbsent;
  const WriteFile last = scene.a_part("private", FilePiece::last, "b");
  run(scene.io, scene.files.write(first));
  std::ofstream(file) << "somebody else's";
  CHECK(scene.refused_write(last).says("exists already"));
  CHECK(slurp(file) == "somebody else's");
  fs::remove(file);
  run(scene.io, scene.files.write(last));
  CHECK(slurp(file) == "ab");
  CHECK((fs::status(file).permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
  WriteFile replaces = scene.a_part("private", FilePiece::first, "c");
  replaces.sha256 = sha256_hex("something else");
  run(scene.io, scene.files.write(replaces));
  CHECK(scene.refused_write(last).says("sha256: what was written"));
  run(scene.io, scene.files.write(scene.a_part("private", FilePiece::first, "d")));  // begins anew
  run(scene.io, scene.files.write(last));
  CHECK(slurp(file) == "db");
}

TEST_CASE(
    "V5, V7: of parts that were sent one behind the other, one that failed is missed by its like, until it "
    "is sent again") {
  FilesScene scene;
  const WriteFile same = scene.a_part("file", FilePiece::next, std::string(kOneMegabyte, 'a'));
  run(scene.io, scene.files.write(scene.a_part("file", FilePiece::first, "begin")));
  {
    const FullBehind full(kOneMegabyte / 2);
    Calls calls = sent(scene, {same, same});
    CHECK_THROWS_WITH_AS(static_cast<void>(calls[0]->result()), doctest::Contains("File too large"), Error);
    CHECK_THROWS_WITH_AS(static_cast<void>(calls[1]->result()), doctest::Contains("an earlier part failed"),
                         Error);
  }
  run(scene.io, scene.files.write(same));
  run(scene.io, scene.files.write(scene.a_part("file", FilePiece::next, "another")));
  run(scene.io, scene.files.write(scene.a_part("file", FilePiece::last, "")));
  CHECK(slurp(scene.project / "file") == "begin" + same.content + "another");
}
