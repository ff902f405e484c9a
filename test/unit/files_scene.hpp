#pragma once

#include <sys/resource.h>

#include <boost/asio.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "event_loop.hpp"
#include "files/file_access.hpp"
#include "temp_files.hpp"

namespace terminally::test {

inline std::string slurp(const std::filesystem::path& path) {
  return read_file(path).value_or("");
}

/// A project with something outside of it.
struct FilesScene {
  FilesScene() {
    std::filesystem::create_directories(project / "sub");
    std::filesystem::create_directories(outside);
    std::ofstream(outside / "secret") << "not for you";
  }

  FilePart read(const std::string& path, std::uint64_t offset = 0, std::uint64_t most = 65'536,
                bool text = false) {
    return run(io, files.read({path, offset, most, text}));
  }
  FilePart read_lines(const std::string& path, LineRange lines, std::uint64_t most = 65'536) {
    return run(io, files.read({path, 0, most, true, lines}));
  }
  Failure refused_read(const std::string& path, bool text = false) {
    return failure_of(io, files.read({path, 0, 65'536, text}));
  }
  WriteFile a_write(const std::string& path, const std::string& content) {
    WriteFile request;
    request.path = path;
    request.content = content;
    return request;
  }
  WriteFile a_part(const std::string& path, FilePiece piece, const std::string& content) {
    WriteFile request = a_write(path, content);
    request.piece = piece;
    return request;
  }
  WrittenFile write(const std::string& path, const std::string& content) {
    return run(io, files.write(a_write(path, content)));
  }
  Failure refused_write(WriteFile request) { return failure_of(io, files.write(std::move(request))); }
  std::vector<std::string> left() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(project)) {
      if (entry.path().filename().string().starts_with(".terminally-")) {
        names.push_back(entry.path().string());
      }
    }
    return names;
  }

  TempDir dir;
  std::filesystem::path project = std::filesystem::canonical(dir.path()) / "project";
  std::filesystem::path outside = std::filesystem::canonical(dir.path()) / "outside";
  boost::asio::io_context io;
  FileAccess files{FileRoots::of({project})};
};

/// A limit of what this process may write to a file, as a full disk that fills in the middle of a write.
class FullBehind {
 public:
  explicit FullBehind(std::size_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit{bytes, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  FullBehind(const FullBehind&) = delete;
  FullBehind& operator=(const FullBehind&) = delete;
  ~FullBehind() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

inline unsigned mode_in(const std::filesystem::path& path) {
  return static_cast<unsigned>(std::filesystem::status(path).permissions());
}

}  // namespace terminally::test
