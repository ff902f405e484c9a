// read_file: reads a part of a file, exactly.
#include <charconv>

#include "base/digests.hpp"
#include "base/error.hpp"
#include "files/file_access.hpp"
#include "json/json_reader.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/file_answers.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {
namespace {

/// The most bytes of content as JSON, which an answer has twice. A control character takes six bytes there.
constexpr std::size_t kContentJsonBytes = std::size_t{2} << 20U;
/// The most bytes of a character: a smaller max_bytes might never get past one.
constexpr std::uint64_t kWholeCharacter = 4;

struct ReadPart {
  FilePart part;
  bool base64 = false;
  std::vector<std::string> notes;
};

void describe(ResultVisitor& v, const ReadPart& read) {
  const FilePart& part = read.part;
  v.text("path", path_or_uri(part.path), "Absolute.");
  v.log_text("content", part.content, "The text, or base64.");
  v.choice("encoding", read.base64 ? "base64" : "utf8", {"utf8", "base64"}, "Encoding of content.");
  v.in_text({.plain = "utf8"});
  v.count("size", part.size, "Bytes of the file.");
  v.text("mode", octal_mode(part.mode), "As chmod takes it.");
  v.text("mtime", iso_time(part.mtime_ms), "When it was last changed, UTC.");
  v.text("sha256", part.sha256.value_or(""), "SHA-256 of the whole file. Over 4 MiB only with max_bytes: 0.",
         show_if(part.sha256.has_value()));
  v.count("next_offset", part.next_offset, "Pass it as offset, without lines, to go on.");
  v.in_text({.unless = "eof"});
  v.flag("eof", part.eof, "The end of the file was reached.");
  v.in_text({.plain = InText::kNever});
  v.texts("notes", read.notes, "Remarks on this result.", show_if(!read.notes.empty()));
}

struct ReadFileArgs {
  ReadFile request;
  std::size_t encoding = 0;
  std::string lines;

  void describe(ArgsVisitor& v) {
    v.text("path", Need::required, request.path, kPathBytes, "See list_files.");
    v.text("lines", Need::optional, lines, kPathBytes, "7-9, 7-, the last 9: -9.");
    v.integer("offset", Need::optional, request.offset, kFileOffset, "First byte.");
    v.integer("max_bytes", Need::optional, request.max_bytes, {0, 1'048'576}, "0: facts only.");
    v.choice("encoding", encoding, {"utf8", "base64"}, "base64 for any bytes.");
  }
};

std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

/// "7", "7-9", "7-" or "-9".
LineRange lines_of(const std::string& text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const std::optional<std::uint64_t> first = whole_number(text.substr(0, dash));
  const std::optional<std::uint64_t> last = whole_number(text.substr(std::min(dash + 1, text.size())));
  const bool is_open = dash + 1 == text.size();
  if (dash == 0 && last > 0U) {
    return {.count = *last, .from_end = true};
  }
  if (first > 0U && dash == text.size()) {
    return {.first = *first, .count = 1};
  }
  if (first > 0U && (is_open || last >= first)) {
    return {.first = *first, .count = is_open ? UINT64_MAX : *last - *first + 1};
  }
  throw Error(
      ErrorCode::invalid_argument,
      "lines: \"" + text + "\" is no range; allowed: \"7\", \"7-9\", \"7-\", or \"-9\" for the last 9");
}

boost::asio::awaitable<ReadPart> read_file_of(ToolContext context, ReadFileArgs args) {
  ReadPart read;
  read.base64 = args.encoding == 1;
  args.request.text = !read.base64;
  if (!args.lines.empty() && args.request.offset != 0) {
    throw Error(
        ErrorCode::invalid_argument,
        "offset: is " + std::to_string(args.request.offset) +
            ", and lines are given, too; allowed: one of them. To go on where lines were cut: offset alone");
  }
  if (!args.lines.empty()) {
    args.request.lines = lines_of(args.lines);
  }
  if (args.request.text && args.request.max_bytes != 0) {
    args.request.max_bytes = std::max(args.request.max_bytes, kWholeCharacter);
  }
  const bool asks_content = args.request.max_bytes != 0;
  const Clock::time_point by = context.files->ends_by();
  read.part = co_await context.files->read(std::move(args.request));
  FilePart& part = read.part;
  if (!read.base64) {
    part.content.resize(json_prefix(part.content, kContentJsonBytes).size());
    part.next_offset = part.offset + part.content.size();
    part.eof = part.next_offset >= part.size;
  }
  read.notes = co_await notes_on_content(context, part.content, by);
  if (asks_content && part.next_offset < part.lines_end) {
    read.notes.push_back("max_bytes has cut these lines: this is their beginning, and at least " +
                         std::to_string(part.lines_end - part.next_offset) +
                         " bytes of them are left. To go on: offset " + std::to_string(part.next_offset) +
                         ", without lines");
  }
  if (read.base64) {
    part.content = encode_base64(part.content);
  }
  co_return read;
}

}  // namespace

Tool read_file_tool() {
  return make_tool<&read_file_of>("read_file", "Read a file or a part.",
                                  {.read_only = true, .idempotent = true},
                                  {.takes_host = true, .of_files = true, .exact_content = true});
}

}  // namespace terminally
