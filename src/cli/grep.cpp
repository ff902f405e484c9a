// terminally-mcp grep: the lines of a tab's log that match a pattern, as text.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "log/log_search.hpp"
#include "log/output.hpp"
#include "terminal/print.hpp"
#include "text/pattern.hpp"

namespace terminally {
namespace {

/// As grep(1): 0 is "found".
constexpr int kFoundNothing = 1;
constexpr std::uint64_t kMostAtOnce = 1'000;

struct GrepOptions {
  std::string log;
  SearchLogs search;
  bool bytes = false;
};

/// One part of a search, and where the next one begins; none: this was the last.
struct FoundPart {
  FoundLines lines;
  std::optional<std::uint64_t> next;
};

FoundPart find_part(const PaneLog& log, Pattern& pattern, const SearchLogs& request, std::uint64_t end) {
  LogSearch search(log, pattern, request.from_byte);
  FoundLinesWriter writer(log, request);
  FoundPart part;
  for (auto step = LogSearch::Step::found; step != LogSearch::Step::at_end && !writer.full();) {
    step = search.next(end, Clock::time_point::max());
    if (step == LogSearch::Step::found && !writer.add(search.found())) {
      part.next = search.found().line_begin;
      break;
    }
  }
  if (writer.full()) {
    part.next = search.offset();
  }
  part.lines = writer.finish();
  return part;
}

/// A line that matches and one around it differ as in grep: by the sign behind the offset.
void print_found(const FoundLine& found, const GrepOptions& options) {
  const bool safe = ::isatty(STDOUT_FILENO) != 0;
  const auto shown = [safe](const std::string& line) { return safe ? on_one_line(line) : line; };
  const std::string around = options.bytes ? "-" : "";
  for (const std::string& line : found.before) {
    print(around + shown(line) + "\n");
  }
  print((options.bytes ? std::to_string(found.byte) + ":" : "") + shown(found.line) + "\n");
  for (const std::string& line : found.after) {
    print(around + shown(line) + "\n");
  }
}

int grep(const Config& config, GrepOptions options) {
  const PaneLog log = log_named(config, options.log);
  Pattern pattern(options.search.pattern, {.field = "pattern", .ignore_case = options.search.ignore_case});
  const std::uint64_t end = log.end();
  bool any = false;
  for (std::optional<std::uint64_t> from = 0; from && *from < end;) {
    options.search.from_byte = *from;
    const FoundPart part = find_part(log, pattern, options.search, end);
    for (const FoundLine& found : part.lines.matches) {
      print((any && options.search.context_lines > 0 ? "--\n" : ""));
      print_found(found, options);
      any = true;
    }
    from = part.next;
  }
  if (const auto note = gap_note(log.gap_between(0, end), "the log")) {
    complain(*note);
  }
  return any ? 0 : kFoundNothing;
}

}  // namespace

void add_grep(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<GrepOptions>();
  options->search.context_lines = 0;
  options->search.max_matches = kMostAtOnce;
  CLI::App* command =
      app.add_subcommand("grep", "The lines that match in all that a tab ever printed; closed tabs, too");
  add_log_argument(*command, options->log, "The tab, or the path of a log")->required();
  command->add_option("pattern", options->search.pattern, "A regular expression (PCRE2)")
      ->required()
      ->type_name("PATTERN");
  command->add_flag("-i,--ignore-case", options->search.ignore_case, "Large and small letters are the same");
  command->add_option("-C,--context", options->search.context_lines, "Lines around each match")
      ->check(whole_number(0, 20))
      ->capture_default_str();
  command->add_flag("-b,--byte-offset", options->bytes,
                    "Where each match is in the log, for tail --from-byte; lines around it begin with -");
  command->footer(
      "Lines are text, without colours and without what terminally-mcp typed itself; one of over 1000 bytes "
      "is cut\n"
      "around the match. Exit code: 0 where something was found, 1 where nothing was, 2 for trouble.\n"
      "Examples:\n"
      "  terminally-mcp grep @3 error\n"
      "  terminally-mcp grep build 'FAILED|undefined reference' -C 3\n"
      "  terminally-mcp grep @3 -bi warning");
  command->callback(
      [&config, &action, options] { action = [&config, options] { return grep(config, *options); }; });
}

}  // namespace terminally
