#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace terminally::test {

/// Where a test that has the writer wait for the disk a thousand times does not wait for a real one.
inline std::filesystem::path in_memory() {
  const char* const shared = "/dev/shm";
  return ::access(shared, W_OK) == 0 ? shared : std::filesystem::temp_directory_path();
}

/// Where a shell that was just killed may still make a file.
inline void remove_with_all(const std::filesystem::path& directory) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  std::error_code error;
  do {
    std::filesystem::remove_all(directory, error);
  } while (error && std::chrono::steady_clock::now() < give_up);
}

/// A directory of its own for a test, gone with all it holds at the end.
class TempDir {
 public:
  explicit TempDir(const std::filesystem::path& where = std::filesystem::temp_directory_path()) {
    std::string name = (where / "terminally-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("cannot make a temporary directory " + name);
    }
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void append_to(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content;
  std::string block(std::size_t{64} * 1024, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    content.append(block, 0, static_cast<std::size_t>(file.gcount()));
  }
  return content;
}

/// Looks until `condition` holds; false when it does not within 10 s.
template <typename Condition>
bool eventually(Condition condition) {
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up_at) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace terminally::test
