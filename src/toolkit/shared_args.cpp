// Reads which view of a log's bytes a call asks for.
// Reads what a call waits for.

#include "toolkit/shared_args.hpp"

#include <array>

#include "base/error.hpp"
#include "text/pattern.hpp"

namespace terminally {

void ViewArgs::describe_strip_only(ArgsVisitor& v) {
  v.flag("strip_ansi", strip_ansi, "Plain text.");
}

void ViewArgs::describe(ArgsVisitor& v) {
  describe_strip_only(v);
  v.flag("render", render, "As drawn.");
}

TextView ViewArgs::view(const DefaultView& fallback) const {
  if (!strip_ansi && !render) {
    return {.strip_ansi = fallback.view == View::plain,
            .render = fallback.view == View::rendered,
            .guard = fallback.guard};
  }
  return {
      .strip_ansi = strip_ansi.value_or(false), .render = render.value_or(false), .guard = fallback.guard};
}

std::uint64_t output_limit(std::optional<std::uint64_t> asked, const TextView& view) {
  return asked.value_or(view.render ? 8'192 : 32'768);
}

namespace {

constexpr Range kPort = {1, 65'535};
constexpr Range kIdleMs = {1, 3'600'000};
constexpr std::array<Until, 5> kKinds = {Until::exit, Until::pattern, Until::idle, Until::input, Until::port};

/// Throws unless the argument `name` and until: "`kind`" are given together or not at all.
void check_pair(bool given, bool wanted, const std::string& name, const std::string& kind) {
  if (wanted && !given) {
    throw Error(ErrorCode::invalid_argument, name + ": missing; until: \"" + kind + "\" needs it");
  }
  if (given && !wanted) {
    throw Error(ErrorCode::invalid_argument,
                name + ": needs until: \"" + kind + "\"; leave it out otherwise");
  }
}

}  // namespace

void WaitArgs::describe(ArgsVisitor& v, Need until_need) {
  v.choice("until", until_need, until_, {"exit", "pattern", "idle", "input", "port"},
           until_need == Need::required ? "For what." : "See wait_for.");
  v.text("pattern", Need::optional, pattern_, kPatternBytes, "PCRE2.");
  v.integer("idle_ms", Need::optional, idle_ms_, kIdleMs, "Silence.");
  v.integer("port", port_, kPort, "TCP.");
  v.integer("timeout_ms", timeout_ms_, kTimeoutMs,
            until_need == Need::required ? "Default: the longest." : "Default: 10000.");
  view_.describe(v);
}

std::optional<WaitTerms> WaitArgs::waiting(const DefaultView& fallback) const {
  const Until until = kKinds.at(until_.value_or(0));
  check_pair(!pattern_.empty(), until_ && until == Until::pattern, "pattern", "pattern");
  check_pair(port_.has_value(), until_ && until == Until::port, "port", "port");
  if (!until_) {
    return std::nullopt;
  }
  WaitTerms waiting;
  waiting.until = until;
  waiting.pattern = pattern_;
  waiting.idle_ms = idle_ms_;
  waiting.port = static_cast<std::uint16_t>(port_.value_or(0));
  waiting.timeout_ms = timeout_ms();
  waiting.view = view_.view(fallback);
  waiting.max_output_bytes = output_limit(std::nullopt, waiting.view);
  return waiting;
}

std::optional<WaitTerms> WaitArgs::checked_waiting(const DefaultView& fallback) const {
  if (!pattern_.empty()) {
    static_cast<void>(Pattern(pattern_));
  }
  return waiting(fallback);
}

}  // namespace terminally
