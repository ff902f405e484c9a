#pragma once

#include <optional>
#include <string>

#include "command/wait_terms.hpp"
#include "toolkit/args.hpp"
#include "toolkit/view_args.hpp"

namespace terminally {

/// What a call waits for, and the view in which it returns the output of that time. All tools that wait have
/// these arguments; `until` is optional for a tool that need not wait.
struct WaitArgs {
  void describe(ArgsVisitor& v, Need until_need);

  /// nullopt without `until`. Throws Error(invalid_argument) for arguments that do not fit `until`.
  [[nodiscard]] std::optional<WaitTerms> waiting(const DefaultView& fallback) const;

  /// The same for a tool that acts before it waits: throws for a bad pattern as well, before the tool acts.
  [[nodiscard]] std::optional<WaitTerms> checked_waiting(const DefaultView& fallback) const;

  [[nodiscard]] std::uint64_t timeout_ms() const { return timeout_ms_; }

 private:
  std::optional<std::size_t> until_;
  std::string pattern_;
  std::uint64_t idle_ms_ = 500;
  std::optional<std::uint64_t> port_;
  std::uint64_t timeout_ms_ = 10'000;
  ViewArgs view_;
};

}  // namespace terminally
