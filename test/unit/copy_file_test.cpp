#include "files/copy_file.hpp"

#include <doctest/doctest.h>

#include <array>
#include <boost/asio.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "base/digests.hpp"
#include "base/files.hpp"
#include "event_loop.hpp"
#include "files/file_access.hpp"
#include "temp_files.hpp"

using namespace terminally;
using namespace terminally::test;
namespace fs = std::filesystem;

namespace {

/// A place whose link breaks after so many calls, and that can be changed on the way.
class CutPlace final : public FilePlace {
 public:
  explicit CutPlace(FilePlace& behind) : behind_(behind) {}

  Awaitable<bool> is_directory(std::string path) override { return behind_.is_directory(std::move(path)); }
  Awaitable<FilePart> read(ReadFile request) override {
    step();
    bytes_read += request.path == "source" ? request.max_bytes : 0;
    return behind_.read(std::move(request));
  }
  Awaitable<WrittenFile> write(WriteFile request) override {
    step();
    return behind_.write(std::move(request));
  }

  int calls_left = 1'000;
  std::uint64_t bytes_read = 0;
  std::function<void()> on_step;

 private:
  void step() {
    if (calls_left-- == 0) {
      throw Error(ErrorCode::io, "the link is cut");
    }
    if (on_step) {
      on_step();
    }
  }
  FilePlace& behind_;
};

constexpr int kPieces = 3;  // of a mebibyte, the last one less
constexpr std::size_t kSize = (std::size_t{kPieces - 1} << 20U) + 12'345;
constexpr int kCalls = 5 + 2 * kPieces;  // of a copy: each piece is read and written

struct CopyScene {
  CopyScene() {
    fs::create_directories(dir / "to");
    for (std::size_t i = 0; i < kSize; ++i) {
      content += static_cast<char>(i * i >> 7U);
    }
    put("source", content);
  }
  void put(const std::string& name, const std::string& bytes) {
    std::ofstream(dir / name, std::ios::binary) << bytes;
  }
  std::string slurp(const std::string& name) { return read_file(dir / name).value_or(""); }
  CopyFile copy(FilePlace& from, FilePlace& to) { return {from, "source", to, "to/copy", nullptr}; }
  bool has_parts() {
    for (const auto& entry : fs::directory_iterator(dir / "to")) {
      if (entry.path().filename() != "copy") {
        return true;
      }
    }
    return false;
  }

  TempDir dir;
  std::string content;
  boost::asio::io_context io;
  FileAccess here{FileRoots::of({fs::canonical(dir.path())})};
};

}  // namespace

TEST_CASE("A6: a copy is the source, with its mode, also where it goes into a directory and is empty") {
  CopyScene scene;
  fs::permissions(scene.dir / "source", fs::perms(0640));
  std::uint64_t last = 0;
  CopyFile copy = scene.copy(scene.here, scene.here);
  copy.on_progress = [&last](std::uint64_t done, std::uint64_t) { last = done; };
  const CopiedFile copied = run(scene.io, copy_file(copy));
  CHECK((copied.bytes == kSize && copied.resumed_at == 0 && last == kSize));
  CHECK(scene.slurp("to/copy") == scene.content);
  CHECK((fs::status(scene.dir / "to" / "copy").permissions() & fs::perms::mask) == fs::perms(0640));
  scene.put("empty", "");
  run(scene.io, copy_file({scene.here, "empty", scene.here, "to", nullptr}));
  CHECK(fs::file_size(scene.dir / "to" / "empty") == 0);
  CHECK(failure_of(scene.io, copy_file({scene.here, "to", scene.here, "x", nullptr}))
            .says("is a directory, not a regular file"));
  CHECK(failure_of(scene.io, copy_file({scene.here, "source", scene.here, "no/x", nullptr}))
            .says("is not there"));
  CHECK(failure_of(scene.io, copy_file({scene.here, "source", scene.here, "no/", nullptr}))
            .says("there is no directory no/"));
  CHECK_FALSE(fs::exists(scene.dir / "no"));
}

TEST_CASE("C6: a copy over a file lets nobody read or write who could not before") {
  for (const auto& [source, there, becomes] : std::vector<std::array<unsigned, 3>>{{0644, 0600, 0600},
                                                                                   {0755, 0640, 0751},
                                                                                   {0666, 0644, 0644},
                                                                                   {0600, 0644, 0600},
                                                                                   {0640, 0604, 0600}}) {
    CAPTURE(there);
    CopyScene scene;
    scene.put("to/copy", "private");
    fs::permissions(scene.dir / "source", fs::perms(source));
    fs::permissions(scene.dir / "to" / "copy", fs::perms(there));
    run(scene.io, copy_file(scene.copy(scene.here, scene.here)));
    CHECK(static_cast<unsigned>(fs::status(scene.dir / "to" / "copy").permissions()) == becomes);
    CHECK(scene.slurp("to/copy") == scene.content);
  }
}

TEST_CASE("C6: whoever is shut out while a file is copied stays shut out") {
  for (const int at : {1, 5, kCalls}) {
    CAPTURE(at);
    CopyScene scene;
    scene.put("to/copy", "private");
    fs::permissions(scene.dir / "source", fs::perms(0755));
    fs::permissions(scene.dir / "to" / "copy", fs::perms(0644));
    CutPlace to(scene.here);
    int steps = 0;
    to.on_step = [&] {
      if (++steps == at) {
        fs::permissions(scene.dir / "to" / "copy", fs::perms(0600));
      }
    };
    const CopiedFile copied = run(scene.io, copy_file(scene.copy(to, to)));
    CHECK(steps >= at);
    CHECK((fs::status(scene.dir / "to" / "copy").permissions() & fs::perms(0066)) == fs::perms::none);
    CHECK(scene.slurp("to/copy") == scene.content);
    CHECK(copied.notes.size() == (at == 1 ? 0 : 1));  // then its mode was looked at before
  }
}

TEST_CASE("A6: a copy that is cut anywhere leaves what was there, and goes on where it was cut") {
  CopyScene scene;
  int cuts = 0;
  for (int calls = 0; calls < kCalls + 4; ++calls) {
    CAPTURE(calls);
    fs::remove_all(scene.dir / "to");
    fs::create_directories(scene.dir / "to");
    scene.put("to/copy", "what was there");
    CutPlace broken(scene.here);
    broken.calls_left = calls;
    if (failure_of(scene.io, copy_file(scene.copy(broken, broken))).says("cut")) {
      ++cuts;
      CHECK(scene.slurp("to/copy") == "what was there");
    }
    CutPlace whole(scene.here);
    const CopiedFile copied = run(scene.io, copy_file(scene.copy(whole, whole)));
    CHECK(scene.slurp("to/copy") == scene.content);
    CHECK_FALSE(scene.has_parts());
    CHECK(whole.bytes_read == kSize - copied.resumed_at);
    CHECK((copied.resumed_at > 0) ==
          (calls >= 6 && calls < kCalls));  // one mebibyte was written, and not yet all in place
  }
  CHECK(cuts == kCalls);
}

TEST_CASE("A6: parts of another content are found out, and all is copied anew") {
  CopyScene scene;
  CutPlace broken(scene.here);
  broken.calls_left = 10;
  CHECK(failure_of(scene.io, copy_file(scene.copy(broken, broken))).says("cut"));
  std::string other = scene.content;
  other[7] = 'x';
  scene.put("source", other);
  const CopiedFile copied = run(scene.io, copy_file(scene.copy(scene.here, scene.here)));
  CHECK(copied.resumed_at == 0);
  CHECK(scene.slurp("to/copy") == other);
  scene.put("source", "short");  // and parts that are longer than all of it
  WriteFile left;
  left.path = "to/copy";
  left.piece = FilePiece::first;
  left.content = "much longer than that";
  run(scene.io, scene.here.write(left));
  run(scene.io, copy_file(scene.copy(scene.here, scene.here)));
  CHECK(scene.slurp("to/copy") == "short");
}

TEST_CASE("A6: a source that changes while it is copied takes no place") {
  CopyScene scene;
  scene.put("to/copy", "what was there");
  CutPlace changing(scene.here);
  int calls = 0;
  changing.on_step = [&] {
    if (++calls == 4) {
      std::string changed = scene.content;
      changed.back() = static_cast<char>(changed.back() + 1);
      scene.put("source", changed);
    }
  };
  CHECK(
      failure_of(scene.io, copy_file(scene.copy(changing, scene.here))).says("its source changed meanwhile"));
  CHECK(scene.slurp("to/copy") == "what was there");
  fs::remove_all(scene.dir / "to");
  fs::create_directories(scene.dir / "to");
  calls = 0;
  CutPlace shrinking(scene.here);
  shrinking.on_step = [&] {
    if (++calls == 4) {
      fs::resize_file(scene.dir / "source", 10);
    }
  };
  CHECK(failure_of(scene.io, copy_file(scene.copy(shrinking, scene.here))).says("became shorter"));
}

TEST_CASE("A6: where another copy puts its parts to the same place, nothing mixed takes it") {
  CopyScene scene;
  boost::asio::io_context others;
  WriteFile theirs;
  theirs.path = "to/copy";
  theirs.content = "a piece of another file";
  for (int at = 1; at < kCalls + 2; ++at) {
    CAPTURE(at);
    FileAccess other(FileRoots::of({fs::canonical(scene.dir.path())}));
    theirs.piece = at < 5 ? FilePiece::first : FilePiece::next;
    scene.put("to/copy", "what was there");
    CutPlace mine(scene.here);
    int steps = 0;
    mine.on_step = [&] {
      if (++steps == at) {
        WriteFile asks = theirs;
        asks.piece = FilePiece::next;
        asks.content.clear();
        run(others, other.write(asks));
        run(others, other.write(theirs));
      }
    };
    const bool failed =
        failure_of(scene.io, copy_file(scene.copy(mine, mine))).says("somebody else wrote parts");
    CHECK(failed == (at >= 5 && at <= kCalls));  // before that, they were there already, and are replaced
    CHECK((!failed || steps <= at + 2));         // and it is found out with the next piece
    CHECK(scene.slurp("to/copy") == (failed ? "what was there" : scene.content));
    run(scene.io, copy_file(scene.copy(scene.here, scene.here)));
    CHECK(scene.slurp("to/copy") == scene.content);
  }
}
