// stream_logs_from_tab: reads a tab's log from a byte offset, to follow it without gaps.
#include "base/digests.hpp"
#include "base/error.hpp"
#include "tmux/manager.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

static void describe(ResultVisitor& v, const LogChunk& chunk) {
  v.log_text("chunk", chunk.chunk, "The text, or base64.");
  v.count("next_byte", chunk.next_byte, "Pass it as from_byte to go on.");
  v.flag("eof", chunk.eof, "The current end of the log was reached.");
  v.in_text({.plain = "true", .if_false = "more follows"});
  const auto gap = static_cast<std::int64_t>(chunk.gap_bytes.value_or(0));
  v.integer_or_null("gap_bytes", chunk.gap_unknown ? std::nullopt : std::optional(gap),
                    "Bytes between from_byte and the chunk that are gone; null when the number is unknown.",
                    show_if(chunk.gap_bytes.has_value() || chunk.gap_unknown));
  v.in_text({.plain = InText::kAlways});
  v.texts("notes", chunk.notes, "Remarks on this result.", show_if(!chunk.notes.empty()));
}

namespace {

struct StreamLogsFromTabArgs {
  ReadLogChunk request;
  ViewArgs view;
  std::size_t encoding = 0;

  void describe(ArgsVisitor& v) {
    v.tab("window_id", request.window_id, kTabDescription);
    v.integer("from_byte", Need::optional, request.from_byte, {0, kMaxOffset}, "Log offset.");
    v.integer("max_bytes", Need::optional, request.max_bytes, {1, 1'048'576}, "Raw bytes.");
    view.describe_strip_only(v);
    v.choice("encoding", encoding, {"utf8", "base64"}, "base64 is byte-exact.");
    v.integer("wait_ms", Need::optional, request.wait_ms, {0, 50'000}, "Wait at the end.");
  }

  static constexpr std::uint64_t kMaxOffset = (std::uint64_t{1} << 53U) - 1;  // exact in every JSON reader
};

boost::asio::awaitable<LogChunk> stream_logs(ToolContext context, StreamLogsFromTabArgs args) {
  const bool base64 = args.encoding == 1;
  if (base64 && args.view.strip_ansi.value_or(false)) {
    throw Error(
        ErrorCode::invalid_argument,
        "strip_ansi: true with encoding \"base64\"; allowed: one of the two, since base64 is byte-exact");
  }
  args.request.exact = base64;
  args.request.view = base64 ? TextView{} : args.view.view(context.default_view);
  LogChunk chunk = co_await context.manager->output().read_chunk(args.request);
  if (base64) {
    chunk.chunk = encode_base64(chunk.chunk);
  }
  co_return chunk;
}

}  // namespace

Tool stream_logs_from_tab_tool() {
  return make_tool<&stream_logs>("stream_logs_from_tab",
                                 "Read a tab's log from a byte offset; go on with next_byte.",
                                 {.read_only = true, .idempotent = true});
}

}  // namespace terminally
