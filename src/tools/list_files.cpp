// list_files: lists the entries of a directory.
#include <cerrno>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "files/file_access.hpp"
#include "files/file_listing.hpp"
#include "files/file_uri.hpp"
#include "json/json_reader.hpp"
#include "toolkit/answers.hpp"
#include "toolkit/file_answers.hpp"
#include "toolkit/shared_args.hpp"
#include "toolkit/tool.hpp"

namespace terminally {
namespace {

/// The most bytes of all names as JSON: an answer holds them twice, and has at most 8 MiB.
constexpr std::size_t kListBytes = std::size_t{1} << 20U;

struct ListedFile {
  FileEntry entry;
  std::string uri;  ///< empty where the name can be used in a path
};

struct ListedFiles {
  std::string path;
  std::vector<ListedFile> entries;
  std::string next_after;  ///< empty: there are no more
  bool names_only = false;
  std::vector<std::string> names;  ///< in place of `entries`, where only they are asked for
  std::vector<std::string> notes;
};

void describe(ResultVisitor& v, const ListedFile& file) {
  v.text("name", to_valid_utf8(file.entry.name), "Its name.");
  v.choice("type", file.entry.type, kFileTypes, "What it is; a link is not followed.");
  const Show known = show_if(file.entry.type != kUnknownType);
  v.count("size", file.entry.size, "Bytes.", known);
  v.text("mode", octal_mode(file.entry.mode), "As chmod takes it.", known);
  v.text("mtime", iso_time(file.entry.mtime_ms), "When it was last changed, UTC.", known);
  v.text("uri", file.uri, "Give this as path: the name has bytes that are no UTF-8, or invisible characters.",
         show_if(!file.uri.empty()));
}

void describe(ResultVisitor& v, const ListedFiles& list) {
  v.text("path", path_or_uri(list.path), "The directory.");
  v.list("entries", list.entries, "By name, in the order of its bytes.", show_if(!list.names_only));
  v.texts("names", list.names, "With names_only.", show_if(list.names_only));
  v.text("next_after", list.next_after, "There are more entries: pass this as after.",
         show_if(!list.next_after.empty()));
  v.texts("notes", list.notes, "Remarks on this result.", show_if(!list.notes.empty()));
}

struct ListFilesArgs {
  ListFiles request;
  std::string path;  ///< empty: the project
  bool names_only = false;

  void describe(ArgsVisitor& v) {
    v.text("path", Need::optional, path, kPathBytes, "In the project, or absolute.");
    v.integer("max_entries", Need::optional, request.max_entries, {1, 10'000}, "");
    v.text("after", Need::optional, request.after, kPathBytes, "Its next_after.");
    v.flag("names_only", names_only, "Directories end in /.");
  }
};

boost::asio::awaitable<ListedFiles> list_files_of(ToolContext context, ListFilesArgs args) {
  if (args.request.after.find(kMaskBegins) != std::string::npos) {
    throw Error(ErrorCode::invalid_argument,
                "after: is a mask, and no name; give next_after of the last call");
  }
  args.request.path = args.path.empty() ? "." : args.path;
  FileList list = co_await context.files->list(std::move(args.request));
  ListedFiles listed{list.directory, {}, "", args.names_only, {}, {}};
  if (list.not_seen != 0) {
    listed.notes = {"entries of type \"unknown\" could not be looked at: " + system_reason(list.not_seen) +
                    (list.not_seen == EACCES
                         ? "; the directory may be read, but not entered (its mode has r without x)"
                         : "")};
  }
  std::size_t bytes = 0;
  std::string last = list.entries.empty() ? list.last : "";
  for (FileEntry& entry : list.entries) {
    ListedFile file{std::move(entry), ""};
    const std::string& name = file.entry.name;
    if (needs_uri(name)) {
      file.uri = file_uri(list.directory + "/" + name);
    }
    bytes += json_size(to_valid_utf8(name)) + file.uri.size();
    if (bytes > kListBytes) {
      list.truncated = true;
      break;
    }
    last = name;
    if (args.names_only) {
      const char* end = file.entry.type == "directory" ? "/" : "";
      listed.names.push_back((file.uri.empty() ? name : file.uri) + end);
    } else {
      listed.entries.push_back(std::move(file));
    }
  }
  if (list.truncated && !last.empty()) {
    listed.next_after = list_cursor(last);
  }
  co_return listed;
}

}  // namespace

Tool list_files_tool() {
  return make_tool<&list_files_of>("list_files", "List a directory.", {.read_only = true, .idempotent = true},
                                   {.takes_host = true, .of_files = true});
}

}  // namespace terminally
