// terminally-mcp cp: copies a file here, from a host or to one, and resumes a copy that was cut short.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <boost/asio.hpp>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/until_signal.hpp"
#include "cli/arguments.hpp"
#include "cli/subcommands.hpp"
#include "files/copy_file.hpp"
#include "files/file_access.hpp"
#include "hosts/host_files.hpp"
#include "hosts/hosts.hpp"
#include "system/account.hpp"
#include "terminal/print.hpp"

namespace terminally {
namespace {

struct CpOptions {
  std::string from;
  std::string to;
  std::vector<std::string> more;  ///< if any: `to` is a source, too, and the last of these the destination
  bool recursive = false;
};

constexpr std::uint64_t kADayMs = 86'400'000;
constexpr Milliseconds kForPeople{std::chrono::hours(24 * 365)};  ///< no limit: a person ends it by C-c

/// A path, and the machine that has it.
struct Place {
  std::shared_ptr<FilePlace> files;
  std::shared_ptr<Host> host;  ///< null: this machine
  std::string path;
};

/// A connection with an instance of its own that ends with the copy. A person copies, so file roots are all
/// that the account there can reach, and nothing is masked.
std::shared_ptr<Host> way_to(HostEntry entry, Config config, boost::asio::io_context& io) {
  entry.instance.clear();
  entry.file_roots = {"/"};
  config.instance.clear();
  config.redact = Redact::off;
  config.sync_window_ms = kADayMs;  // the hash of a large file takes long
  const FarStart start = far_start(entry, config, "cp-" + random_hex(8));
  return std::make_shared<Host>(io.get_executor(), std::move(entry), start, std::filesystem::path());
}

/// A path on a host as the tools there take it. As for scp, a relative one is below the home directory there.
std::string path_there(const std::string& path, const std::string& host) {
  if (path.starts_with('~') && path != "~" && !path.starts_with("~/")) {
    throw Error(ErrorCode::invalid_argument,
                "\"" + path + "\": of home directories only one's own is known there, as in " + host +
                    ":~/x; a name "
                    "that begins with ~ is " +
                    host + ":./" + path);
  }
  return path.starts_with('/') || path.starts_with('~') ? path : path.empty() ? "~" : "~/" + path;
}

/// A host's path has a colon before any slash, as for scp.
Place place_of(const std::string& given, const Config& config, boost::asio::io_context& io) {
  const std::size_t colon = given.find(':');
  if (colon == std::string::npos || colon > given.find('/')) {
    return {std::make_shared<FileAccess>(FileRoots::all(), kForPeople), nullptr,
            std::filesystem::absolute(with_home(given)).string()};
  }
  const std::string name = given.substr(0, colon);
  for (HostEntry& entry : read_hosts(config.hosts_file)) {
    if (entry.name == name) {
      std::string path = path_there(given.substr(colon + 1), name);
      auto host = way_to(std::move(entry), config, io);
      auto files = std::make_shared<HostFiles>(host);
      return {std::move(files), std::move(host), std::move(path)};
    }
  }
  throw Error(ErrorCode::invalid_argument,
              "\"" + name +
                  "\" is an unknown host (see: hosts list); a file here whose name has a colon is ./" +
                  given);
}

/// A line of progress on stderr where that is a terminal; nothing elsewhere.
class CopyProgress {
 public:
  /// Whether the copy is in its place.
  bool is_done = false;

  /// To be called before another message goes to stderr.
  void end_line() {
    if (on_terminal_ && shown_ < 100) {
      static_cast<void>(::write(STDERR_FILENO, "\n", 1) < 0);
    }
  }
  void show(std::uint64_t done, std::uint64_t size) {
    const auto percent = size == 0 ? 100 : done * 100 / size;
    if (on_terminal_ && percent != shown_) {
      shown_ = percent;
      const std::string line = "\r" + std::to_string(percent) + " % of " + std::to_string(size) + " bytes" +
                               (done == size ? "\n" : "");
      static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()) < 0);
    }
  }

 private:
  bool on_terminal_ = ::isatty(STDERR_FILENO) != 0;
  std::uint64_t shown_ = 101;
};

/// What the tools for files say, here or on a host, without the names of tools.
std::string without_advice_to_agents(std::string text) {
  constexpr std::array<std::string_view, 3> kAdvice = {" (write_file: create_parents)",
                                                       " (list_files names them)", "; read_file reads files"};
  for (const std::string_view advice : kAdvice) {
    if (const std::size_t at = text.find(advice); at != std::string::npos) {
      text.erase(at, advice.size());
    }
  }
  return text;
}

boost::asio::awaitable<void> copy_between(Place from, Place to, std::shared_ptr<CopyProgress> progress) {
  std::function<void(std::uint64_t, std::uint64_t)> show =
      [progress](std::uint64_t done, std::uint64_t size) { progress->show(done, size); };
  CopyFile copy{*from.files, from.path, *to.files, to.path, std::move(show), to.host ? 0 : current_umask()};
  CopiedFile copied;
  try {
    copied = co_await copy_file(std::move(copy));
  } catch (const Error& error) {
    throw Error(error.code(), without_advice_to_agents(error.what()));
  }
  progress->is_done = true;
  if (copied.resumed_at != 0) {
    complain("resumed at byte " + std::to_string(copied.resumed_at));
  }
  for (const std::string& note : copied.notes) {
    complain(copied.path + ": " + note);
  }
  for (const std::shared_ptr<Host>& host : {from.host, to.host}) {
    if (host) {
      co_await host->say_goodbye(Clock::now() + kForGoodbye);
    }
  }
}

int copy_one(const std::string& source, const std::string& destination, const Config& config) {
  boost::asio::io_context io(1);
  Place from = place_of(source, config, io);
  Place to = place_of(destination, config, io);
  const auto progress = std::make_shared<CopyProgress>();
  const int exit_code = run_until_signal(io, copy_between(std::move(from), std::move(to), progress));
  if (exit_code != 0 && !progress->is_done) {
    progress->end_line();
    complain("interrupted; run the same cp again to resume");
  }
  return exit_code;
}

/// What makes a path one of a directory, which several go into: copy_file refuses it where it is none. The
/// home directory of a host is "build1:", and "build1:/" another.
std::string as_directory(const std::string& path) {
  return path.ends_with(':') && path.find('/') == std::string::npos ? "./" : "/";
}

int copy_by_hand(const CpOptions& options, const Config& config) {
  if (options.recursive) {
    throw Error(ErrorCode::invalid_argument,
                "cp copies files, no directories: pack one (tar -czf DIR.tar.gz DIR), and copy that");
  }
  std::vector<std::string> paths = {options.from, options.to};
  paths.insert(paths.end(), options.more.begin(), options.more.end());
  const std::string destination = paths.back() + (options.more.empty() ? "" : as_directory(paths.back()));
  paths.pop_back();
  int exit_code = 0;
  for (std::size_t i = 0; i < paths.size() && exit_code == 0; ++i) {
    exit_code = copy_one(paths[i], destination, config);
  }
  return exit_code;
}

}  // namespace

void add_cp(CLI::App& app, Config& config, Action& action) {
  const auto options = std::make_shared<CpOptions>();
  CLI::App* command = app.add_subcommand("cp",
                                         "Copy a file, here or from and to hosts: whole and at once or not "
                                         "at all, resumed where it was cut short");
  command->add_option("source", options->from, "The file")->required()->type_name(kFileType);
  command->add_option("destination", options->to, "A file, or the directory that it goes into")
      ->required()
      ->type_name(kFileType);
  command->add_option("more", options->more, "With several sources: the last is the directory they go into")
      ->type_name(kFileType);
  command->add_flag("-r,--recursive", options->recursive, "Refused: a directory is packed first, by tar");
  command->footer(
      "What is there is replaced once the copy is whole and has the source's SHA-256; it gets the source's "
      "mode (here, a new one\n"
      "less the umask), and lets nobody "
      "read or write who could not before. What was copied\n"
      "before C-c or a crash stays beside the destination (.terminally-….part), and the same cp goes on from "
      "there.\n"
      "Examples:\n"
      "  terminally-mcp cp build/app.tar.gz /srv/releases/\n"
      "  terminally-mcp cp build1:/var/log/app.log .   from a host\n"
      "  terminally-mcp cp notes.txt build1:           into the home directory there\n"
      "  terminally-mcp cp app.tar.gz web:/srv/        to a container\n"
      "  terminally-mcp cp a.log b.log build1:/tmp/    several, into a directory\n"
      "  terminally-mcp cp ./a:b.txt copy.txt       a name with a colon");
  command->callback([&config, &action, options] {
    action = [&config, options] { return copy_by_hand(*options, config); };
  });
}

}  // namespace terminally
