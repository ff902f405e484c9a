// Formats file modes and names for answers, and finds secrets and masks in a file's content.
#include "toolkit/file_answers.hpp"

#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "files/file_access.hpp"
#include "files/file_uri.hpp"
#include "secrets/text_guard.hpp"
#include "text/visible_text.hpp"

namespace terminally {
namespace {

/// On the secrets of the kinds from `first` on.
std::string note_on_secrets(const Secrets& secrets, std::string_view content, std::uint16_t first = 0) {
  std::map<std::string, std::size_t> kinds;
  std::size_t all = 0;
  for (const SecretSpan& span : secrets.find(content)) {
    if (span.kind < first) {
      continue;
    }
    kinds[std::string(secrets.name(span.kind))] += span.goes_on ? 0 : 1;
    all += span.goes_on ? 0 : 1;
  }
  std::string named;
  for (const auto& [kind, count] : kinds) {
    named += (named.empty() ? "" : ", ") + kind + " " + std::to_string(count);
  }
  return all == 0 ? ""
                  : "the content has " + std::to_string(all) + (all == 1 ? " secret" : " secrets") + " (" +
                        named + "), not masked, as a file's content is exact; do not repeat it";
}

std::string note_on_masks(std::string_view content) {
  std::size_t count = 0;
  for (std::size_t at = content.find(kMaskBegins); at != std::string_view::npos;
       at = content.find(kMaskBegins, at + 1)) {
    ++count;
  }
  return count == 0 ? ""
                    : "the content has " + std::to_string(count) + " of " + std::string(kMaskBegins) +
                          "…\u00BB: text of the file itself, or a mask from another tool's answer; do not "
                          "write a mask back in place of the secret";
}

}  // namespace

unsigned mode_of(const std::string& text, unsigned most) {
  unsigned mode = 0;
  for (const char c : text) {
    mode = c >= '0' && c <= '7' && mode <= most ? mode * 8 + static_cast<unsigned>(c - '0') : most + 1;
  }
  if (mode > most) {
    throw Error(
        ErrorCode::invalid_argument,
        "mode: \"" + text + "\" is no mode; allowed: octal digits, \"0000\" to \"" + octal_mode(most) + "\"");
  }
  return mode;
}

bool needs_uri(std::string_view name) {
  return !is_valid_utf8(name) || visible_text(name) != name;
}

std::string note_on_named_values(const Secrets& secrets, std::string_view content) {
  return note_on_secrets(secrets, content, SecretRules::kCount);
}

std::string path_or_uri(const std::string& absolute) {
  return needs_uri(absolute) ? file_uri(absolute) : absolute;
}

boost::asio::awaitable<std::vector<std::string>> notes_on_content(const ToolContext& context,
                                                                  std::string_view content,
                                                                  Clock::time_point by) {
  const auto notes = std::make_shared<std::vector<std::string>>();
  const auto secrets = context.default_view.guard ? context.default_view.guard->shared_secrets() : nullptr;
  std::function<void()> look = [notes, secrets, content = std::string(content)] {
    for (std::string note : {secrets ? note_on_secrets(*secrets, content) : "", note_on_masks(content)}) {
      if (!note.empty()) {
        notes->push_back(std::move(note));
      }
    }
  };
  const bool in_time = co_await context.files->beside(by, content.size(), std::move(look));
  if (!in_time) {  // the thread may still write to `notes`
    co_return std::vector<std::string>{"there was no time to look for secrets in the content"};
  }
  co_return std::move(*notes);
}

}  // namespace terminally
