#pragma once

#include <optional>

#include "base/descriptors.hpp"
#include "instance/instance.hpp"

namespace terminally {

/// A tmux server is started by one process at a time, with a number for its first tab that no other tab has.
/// So who starts one, or clears up after one, holds this lock alone; who opens a tab shares it until the
/// tab's number is noted. It ends with the object, or with its process.
class StartingLock {
 public:
  StartingLock() = default;
  StartingLock(StartingLock&&) noexcept = default;
  StartingLock& operator=(StartingLock&& other) noexcept;
  StartingLock(const StartingLock&) = delete;
  StartingLock& operator=(const StartingLock&) = delete;
  ~StartingLock() { release(); }

  /// nullopt: another process has it. Throws Error(io).
  [[nodiscard]] static std::optional<StartingLock> try_alone(const Instance& instance);
  [[nodiscard]] static std::optional<StartingLock> try_shared(const Instance& instance);
  /// Who has it: one of them; 0: nobody, or that cannot be told.
  [[nodiscard]] static int holder(const Instance& instance);

  void release() noexcept;

 private:
  [[nodiscard]] static std::optional<StartingLock> try_as(const Instance& instance, int kind);

  UniqueFd file_;
};

}  // namespace terminally
