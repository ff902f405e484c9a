#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "base/descriptors.hpp"

namespace terminally {

/// The queue for the turn in one tab, among all processes of ours. It is a file: each place is a lock on the
/// byte of its number (an OFD lock, which the kernel gives up when its process dies), and the file's length
/// is the next number. Whoever finds no byte locked before its own is first. The file has no blocks, so that
/// a full disk stops nobody. All calls are made by one thread.
///
/// Places of one process do not see each other: who holds several serves them in the order it joined.
class TabQueue {
 public:
  explicit TabQueue(std::filesystem::path path) : path_(std::move(path)) {}

  /// Is in the queue as long as it lives.
  class Place {
   public:
    Place() = default;
    Place(std::shared_ptr<const UniqueFd> file, off_t number) : file_(std::move(file)), number_(number) {}
    Place(Place&&) noexcept = default;
    Place& operator=(Place&& other) noexcept;
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { leave(); }

    /// Whether no other process stands before it. One that is in no queue waits for nobody.
    [[nodiscard]] bool is_first() const;
    /// Changes the times of the file where others wait behind it.
    void leave() noexcept;

   private:
    std::shared_ptr<const UniqueFd> file_;
    off_t number_ = 0;
  };

  /// At the end of the queue. None: another process is just joining. Throws Error(io).
  [[nodiscard]] std::optional<Place> join();

  /// Whether anybody stands in the queue of this file.
  [[nodiscard]] static bool is_taken(const std::filesystem::path& path);

 private:
  [[nodiscard]] std::shared_ptr<const UniqueFd> open_file();

  std::filesystem::path path_;
  std::weak_ptr<const UniqueFd> file_;  ///< shared by all places: they cost one descriptor
};

}  // namespace terminally
