// write_file: writes a file, whole and at once.
#include <array>

#include "base/digests.hpp"
#include "base/error.hpp"
#include "files/file_access.hpp"
#include "toolkit/file_answers.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {
namespace {

constexpr std::uint64_t kMostContent = std::uint64_t{12} << 20U;  // fits a line of the transport
constexpr Range kChecked = {1, 4'096};  // for arguments whose form has a check of its own

struct WrittenAnswer {
  WrittenFile file;
  std::vector<std::string> notes;
};

void describe(ResultVisitor& v, const WrittenAnswer& written) {
  const WrittenFile& file = written.file;
  v.text("path", path_or_uri(file.path), "Absolute.");
  v.count("bytes_written", file.bytes_written, "Bytes of content.");
  v.in_text({.words = "# bytes written"});
  v.text("sha256", file.sha256.value_or(""), "SHA-256 of the written file.",
         show_if(file.sha256.has_value()));
  v.count("part_bytes", file.part_bytes, "Bytes of all parts so far.",
          show_if(file.part_bytes != 0 || !file.part_path.empty()));
  v.text("part_path", file.part_path, "Path of the parts.", show_if(!file.part_path.empty()));
  v.texts("notes", written.notes, "Remarks on this result.", show_if(!written.notes.empty()));
}

struct WriteFileArgs {
  WriteFile request;
  std::size_t encoding = 0;
  std::string mode;
  std::optional<std::size_t> part;

  void describe(ArgsVisitor& v) {
    v.text("path", Need::required, request.path, kPathBytes, "See list_files.");
    v.content("content", request.content, kMostContent, "The whole, or this part.");
    v.choice("encoding", encoding, {"utf8", "base64"}, "Of content.");
    v.text("mode", Need::optional, mode, kChecked, "Octal; default: kept.");
    v.text("expected_sha256", Need::optional, request.expected_sha256, kChecked,
           "Its hash now, or \"absent\".");
    v.flag("create_parents", request.create_parents, "Make directories.");
    v.choice("part", Need::optional, part, {"first", "next", "last"}, "last replaces the file.");
    v.text("sha256", Need::optional, request.sha256, kChecked, "Of the whole file.");
  }
};

void check_hash(const char* name, const std::string& hash, const char* or_else) {
  if (!hash.empty() && !is_sha256(hash)) {
    throw Error(
        ErrorCode::invalid_argument,
        std::string(name) + ": \"" + hash + "\" is no SHA-256; allowed: 64 lower-case hex digits" + or_else);
  }
}

std::string decoded_content(const std::string& text) {
  std::optional<std::string> bytes = decode_base64(text);
  if (!bytes) {
    throw Error(ErrorCode::invalid_argument,
                "content: is no base64; allowed with encoding \"base64\": RFC 4648 with padding, without "
                "line breaks");
  }
  return std::move(*bytes);
}

boost::asio::awaitable<WrittenAnswer> write_file_of(ToolContext context, WriteFileArgs args) {
  constexpr std::array kPieces = {FilePiece::first, FilePiece::next, FilePiece::last};
  WriteFile& request = args.request;
  if (request.expected_sha256 != kAbsent) {
    check_hash("expected_sha256", request.expected_sha256, ", or \"absent\"");
  }
  check_hash("sha256", request.sha256, "");
  if (!args.mode.empty()) {
    request.mode = mode_of(args.mode);
  }
  if (args.part) {
    request.piece = kPieces.at(*args.part);
  }
  if (args.encoding == 1) {
    request.content = decoded_content(request.content);
  }
  WrittenAnswer answer;
  const std::string content = request.content;
  const Clock::time_point by = context.files->ends_by();
  // Before anything that takes time: calls of one path are done in the order in which they came.
  answer.file = co_await context.files->write(std::move(request));
  answer.notes = co_await notes_on_content(context, content, by);
  answer.notes.insert(answer.notes.begin(), answer.file.notes.begin(), answer.file.notes.end());
  co_return answer;
}

}  // namespace

Tool write_file_tool() {
  return make_tool<&write_file_of>("write_file", "Write a file, atomically.", {.destructive = true},
                                   {.takes_host = true, .of_files = true});
}

}  // namespace terminally
