// Reads and writes files on a host by calling its file tools, for `cp`.
#include "hosts/host_files.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/digests.hpp"
#include "base/error.hpp"
#include "base/utf8.hpp"
#include "files/file_uri.hpp"
#include "json/json_reader.hpp"
#include "toolkit/file_answers.hpp"

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// A path as JSON can carry it: one that is not UTF-8 becomes a file URI.
std::string path_as_text(const std::string& path) {
  if (is_valid_utf8(path)) {
    return path;
  }
  if (!path.starts_with('/')) {
    throw Error(ErrorCode::invalid_argument,
                "the path there has bytes that are no UTF-8; give an absolute path, starting with /: " +
                    to_valid_utf8(path));
  }
  return file_uri(path);
}

Error not_understood(const char* field) {
  return Error(ErrorCode::io, std::string("the host answered with a malformed result: field \"") + field +
                                  "\"; versions may differ (hosts check)");
}

std::uint64_t number_field(const ordered_json& answer, const char* field) {
  const auto found = answer.find(field);
  if (found == answer.end() || !found->is_number_unsigned()) {
    throw not_understood(field);
  }
  return found->get<std::uint64_t>();
}

std::optional<std::string> hash_in(const ordered_json& answer) {
  std::optional<std::string> hash = text_field(answer, "sha256");
  return hash && !hash->empty() ? hash : std::nullopt;
}

/// Of strings alone: what else may stand there is no reason to fail, as the file is written.
std::vector<std::string> notes_in(const ordered_json& answer) {
  std::vector<std::string> notes;
  for (const ordered_json& note : answer.value("notes", ordered_json::array())) {
    if (note.is_string()) {
      notes.push_back(note.get<std::string>());
    }
  }
  return notes;
}

FilePart part_of(const ordered_json& answer, const ReadFile& request) {
  std::optional<std::string> content = decode_base64(text_field(answer, "content").value_or("?"));
  if (!content || (request.max_bytes > 0 && content->size() > request.max_bytes)) {
    throw not_understood("content");
  }
  FilePart part;
  part.content = std::move(*content);
  part.size = number_field(answer, "size");
  part.mode = mode_of(text_field(answer, "mode").value_or("?"), 07777U);
  part.sha256 = hash_in(answer);
  if (!part.sha256 && request.max_bytes == 0) {  // what is asked for the hash alone
    throw not_understood("sha256");
  }
  part.next_offset = request.offset + part.content.size();
  part.eof = part.next_offset >= part.size;
  return part;
}

const char* name_of(FilePiece piece) {
  return piece == FilePiece::first ? "first" : piece == FilePiece::next ? "next" : "last";
}

json arguments_of(const WriteFile& request) {
  json arguments;
  arguments["path"] = path_as_text(request.path);
  arguments["content"] = encode_base64(request.content);
  arguments["encoding"] = "base64";
  if (request.mode) {
    arguments["mode"] = octal_mode(*request.mode);
  }
  if (!request.expected_sha256.empty()) {
    arguments["expected_sha256"] = request.expected_sha256;
  }
  if (!request.sha256.empty()) {
    arguments["sha256"] = request.sha256;
  }
  if (request.create_parents) {
    arguments["create_parents"] = true;
  }
  if (request.piece) {
    arguments["part"] = name_of(*request.piece);
  }
  return arguments;
}

}  // namespace

Awaitable<ordered_json> HostFiles::call(std::string tool, bool read_only, json arguments) {
  FarCall call;
  call.host = host_->entry().name;
  call.tool = std::move(tool);
  call.read_only = read_only;
  call.arguments = std::make_shared<const json>(std::move(arguments));
  try {
    co_return co_await host_->call(std::move(call));
  } catch (const Error& error) {
    throw Error(error.code(), host_->entry().name + ": " + error.what());
  }
}

Awaitable<bool> HostFiles::is_directory(std::string path) {
  json arguments;
  arguments["path"] = path_as_text(path);
  arguments["max_entries"] = 1;
  try {
    static_cast<void>(co_await call("list_files", true, std::move(arguments)));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::io && !host_->is_up()) {
      throw;  // whether it is a directory is unknown
    }
    co_return false;
  }
  co_return true;
}

Awaitable<FilePart> HostFiles::read(ReadFile request) {
  json arguments;
  arguments["path"] = path_as_text(request.path);
  arguments["offset"] = request.offset;
  arguments["max_bytes"] = request.max_bytes;
  arguments["encoding"] = "base64";
  const ordered_json answer = co_await call("read_file", true, std::move(arguments));
  co_return part_of(answer, request);
}

Awaitable<WrittenFile> HostFiles::write(WriteFile request) {
  json arguments = arguments_of(request);
  const std::string hash = request.sha256;
  const ordered_json answer = co_await call("write_file", false, std::move(arguments));
  WrittenFile written;
  written.bytes_written = number_field(answer, "bytes_written");
  written.sha256 = hash_in(answer);
  if (!hash.empty() && written.sha256 != hash) {
    throw not_understood("sha256");
  }
  written.part_path = text_field(answer, "part_path").value_or("");
  written.part_bytes = answer.contains("part_bytes") ? number_field(answer, "part_bytes") : 0;
  written.notes = notes_in(answer);
  co_return written;
}

}  // namespace terminally
