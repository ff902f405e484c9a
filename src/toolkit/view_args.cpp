// Reads which view of a log's bytes a call asks for.
#include "toolkit/view_args.hpp"

namespace terminally {

void ViewArgs::describe_strip_only(ArgsVisitor& v) {
  v.flag("strip_ansi", strip_ansi, "No escape sequences.");
}

void ViewArgs::describe(ArgsVisitor& v) {
  describe_strip_only(v);
  v.flag("render", render, "Text as finally drawn.");
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

}  // namespace terminally
