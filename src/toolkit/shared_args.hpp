#pragma once

#include <optional>
#include <string>

#include "tab/wait_terms.hpp"
#include "tmux/manager.hpp"
#include "toolkit/args.hpp"

namespace terminally {

// The limits and descriptions that several tools share.
inline constexpr Range kNameBytes = {0, 200};
inline constexpr Range kPathBytes = {1, 4'096};
inline constexpr Range kCommandBytes = {1, 8'388'608};  // half a line of the transport, as escapes take room
inline constexpr Range kCommandIdBytes = {1, 128};
inline constexpr std::size_t kMostKeys = 500;
inline constexpr Range kTimeoutMs = {1, 86'400'000};
inline constexpr Range kPatternBytes = {1, 4'096};
inline constexpr Range kLogOffset = {0, (std::uint64_t{1} << 53U) - 1};  // exact in every JSON reader
inline constexpr Range kMaxOutputBytes = {0, 1'048'576};

inline constexpr const char* kTabDescription = "Id/name.";
inline constexpr const char* kTabOrMainDescription = "Default: main (busy: a helper).";
inline constexpr const char* kMaxOutputDescription = "32768, rendered: 8192.";
inline constexpr const char* kVerboseDescription = "All fields.";

/// The view of a call that asks for none, and the guard that masks every view of the call.
struct DefaultView {
  View view = View::raw;
  std::shared_ptr<TextGuard> guard = nullptr;
};

/// The view of the bytes that a call asks for. Where it gives neither flag, the server's --view decides, so
/// the flags' schemas have no default.
struct ViewArgs {
  std::optional<bool> strip_ansi;
  std::optional<bool> render;

  void describe(ArgsVisitor& v);
  void describe_strip_only(ArgsVisitor& v);

  [[nodiscard]] TextView view(const DefaultView& fallback) const;
};

/// The most bytes of output for a call. The default is smaller for a rendered view, which models read.
[[nodiscard]] std::uint64_t output_limit(std::optional<std::uint64_t> asked, const TextView& view);

/// What a call waits for, and the view in which it returns the output of that time. All tools that wait have
/// these arguments; `until` is optional for a tool that need not wait.
struct WaitArgs {
  void describe(ArgsVisitor& v, Need until_need);

  /// nullopt without `until`. Throws Error(invalid_argument) for arguments that do not fit `until`.
  [[nodiscard]] std::optional<WaitTerms> waiting(const DefaultView& fallback) const;

  /// The same for a tool that acts before it waits: throws for a bad pattern as well, before the tool acts.
  [[nodiscard]] std::optional<WaitTerms> checked_waiting(const DefaultView& fallback) const;

  [[nodiscard]] std::uint64_t timeout_ms() const { return timeout_ms_.value_or(WaitTerms().timeout_ms); }
  [[nodiscard]] bool has_timeout() const { return timeout_ms_.has_value(); }

 private:
  std::optional<std::size_t> until_;
  std::string pattern_;
  std::uint64_t idle_ms_ = 500;
  std::optional<std::uint64_t> port_;
  std::optional<std::uint64_t> timeout_ms_;
  ViewArgs view_;
};

}  // namespace terminally
