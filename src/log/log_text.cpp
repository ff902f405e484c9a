#include "log/log_text.hpp"

#include "base/utf8.hpp"
#include "log/own_lines.hpp"
#include "secrets/text_guard.hpp"
#include "text/ansi.hpp"
#include "text/render.hpp"
#include "text/visible_text.hpp"

namespace terminally {
namespace {

std::string without_cr_before_lf(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  std::size_t begin = 0;
  for (;;) {
    const std::size_t at = bytes.find("\r\n", begin);
    if (at == std::string_view::npos) {
      text += bytes.substr(begin);
      return text;
    }
    text += bytes.substr(begin, at - begin);
    begin = at + 1;
  }
}

}  // namespace

std::string log_text(std::string_view bytes, const TextView& view, int cols) {
  if (view.is_exact()) {
    return to_valid_utf8(bytes);
  }
  const std::string ours_named =
      with_command_named(without_spans(bytes, typed_echoes(bytes)), view.own_files);
  bytes = ours_named;
  std::string text = view.render ? render(bytes, cols) : strip_ansi(bytes);
  if (!view.guard) {
    return text;
  }
  // Masked again: what was drawn out of order has the form of a secret only once it is rendered.
  return view.render ? view.guard->text(text) : visible_text(text);
}

std::string output_text(std::string_view bytes, const TextView& view, int cols) {
  return view.is_exact() ? to_valid_utf8(without_cr_before_lf(bytes)) : log_text(bytes, view, cols);
}

}  // namespace terminally
