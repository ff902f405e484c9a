// list_tabs: lists the tabs of the instance. It is the first of all tools: read-only, harmless with {}.
#include "tools/list_tabs.hpp"

#include "base/utf8.hpp"
#include "json/json_reader.hpp"
#include "secrets/text_guard.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

static std::optional<std::int64_t> known_gap(std::uint64_t bytes, bool unknown) {
  return unknown ? std::nullopt : std::optional(static_cast<std::int64_t>(bytes));
}

static void describe_command(ResultVisitor& v, const std::optional<LastCommand>& known) {
  const LastCommand command = known.value_or(LastCommand());
  const bool runs = command.state == CommandState::running;
  v.text("command", command.text, "The last command that was run in it; shortened.",
         show_if(known.has_value()));
  v.choice("state", to_string(command.state), command_state_names(), "Of that command.",
           show_if(known.has_value()));
  v.integer_or_null("exit_code", command.exit_code, "Of that command, where it has ended; null: not known.",
                    show_if(known && !runs));
  v.text("started_at", iso_time(command.started_at_ms), "Since when it runs: ISO 8601, UTC.",
         show_if(known && runs));
  describe_awaiting(v, command.awaiting_input, show_if(command.awaiting_input.has_value()));
  v.in_text({});
}

void describe(ResultVisitor& v, const TabInfo& tab) {
  v.text("window_id", to_string(tab.window_id), "Tab id, for every other tool.");
  v.text("name", tab.name, "Tab name.");
  v.flag("active", tab.active, "The tab that a person watching sees.");
  v.in_text({.plain = InText::kNever});
  v.text("cwd", tab.cwd,
         "Working directory of the foreground process, or of the shell where that has just ended.");
  v.text("foreground", tab.foreground, "Name of the foreground process.");
  v.flag("busy", tab.busy, "A command or a program runs.");
  describe_command(v, tab.command);
  v.text("log_path", tab.log_path, "File with every byte the tab printed.");
  v.in_text({.plain = InText::kNever});
  v.count("log_bytes", tab.log_bytes, "Bytes logged so far.");
  v.integer_or_null("log_gap_bytes", known_gap(tab.log_gap_bytes, tab.log_gap_unknown),
                    "How many of them are gone; null when the number is unknown.",
                    show_if(tab.log_gap_bytes > 0 || tab.log_gap_unknown));
  v.in_text({.plain = InText::kAlways});
  v.text("last_output_at", iso_time(tab.last_output_at_ms), "When it last printed: ISO 8601, UTC.",
         show_if(tab.last_output_at_ms > 0));
  v.in_text({.plain = InText::kNever});
}

void describe(ResultVisitor& v, const ListedTabs& result) {
  v.list("tabs", result.tabs, "Open tabs.");
  v.texts("notes", result.notes, "Remarks on this result.", show_if(!result.notes.empty()));
}

namespace {

/// What is masked is not cut before.
void shorten(std::string& text, std::size_t most_bytes, TextGuard* guard) {
  if (text.size() > most_bytes) {
    text = shortened(guard != nullptr ? guard->text(text) : text, most_bytes);
  }
}

}  // namespace

void shorten(ListedTabs& result, TextGuard* guard) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
  constexpr std::size_t kMostNameBytes = 1'000;
  constexpr std::size_t kMostCommandBytes = 200;
  std::size_t bytes = 0;
  std::size_t without = 0;
  for (TabInfo& tab : result.tabs) {
    shorten(tab.name, kMostNameBytes, guard);
    if (tab.command) {
      shorten(tab.command->text, kMostCommandBytes, guard);
    }
    if (bytes + json_size(tab.cwd) > kMostBytes) {
      tab.cwd.clear();
      ++without;
    }
    bytes += json_size(tab.cwd);
  }
  if (without > 0) {
    result.notes.push_back("cwd is left out for " + std::to_string(without) +
                           " tabs: all directories together exceed 1 MiB; close tabs");
  }
}

namespace {

struct ListTabsArgs {
  void describe(ArgsVisitor& /*v*/) {}
};

boost::asio::awaitable<ListedTabs> list_tabs(ToolContext context, ListTabsArgs /*args*/) {
  ListedTabs result;
  result.tabs = co_await context.manager->tabs().list();
  shorten(result, context.default_view.guard.get());
  co_return result;
}

}  // namespace

Tool list_tabs_tool() {
  return make_tool<&list_tabs>("list_tabs", "List the tabs: id, name, directory, what runs, log file.",
                               {.read_only = true, .idempotent = true}, {.lists_tabs = true});
}

}  // namespace terminally
