#pragma once

#include <optional>

#include "tmux/manager.hpp"
#include "toolkit/args.hpp"

namespace terminally {

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

}  // namespace terminally
