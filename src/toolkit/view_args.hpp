#pragma once

#include <optional>

#include "tmux/manager.hpp"
#include "toolkit/args.hpp"

namespace terminally {

/// What a call gets that asks for no view, and who guards every view of it.
struct DefaultView {
  View view = View::raw;
  std::shared_ptr<TextGuard> guard = nullptr;
};

/// Which view of the bytes a call asks for. When it names neither flag, the server's --view decides; their
/// schemas have no default therefore.
struct ViewArgs {
  std::optional<bool> strip_ansi;
  std::optional<bool> render;

  void describe(ArgsVisitor& v);
  void describe_strip_only(ArgsVisitor& v);

  [[nodiscard]] TextView view(const DefaultView& fallback) const;
};

/// How much output a call gets that does not say: what a model reads is shorter than what a program reads.
[[nodiscard]] std::uint64_t output_limit(std::optional<std::uint64_t> asked, const TextView& view);

}  // namespace terminally
