// Copies the program to a host through a shell script, with a hash check and a rename.
#include "hosts/push.hpp"

#include <sys/utsname.h>

#include <boost/asio.hpp>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/timeout.hpp"
#include "hosts/far_pipe.hpp"
#include "hosts/pipe_command.hpp"
#include "hosts/pipe_errors.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

constexpr Milliseconds kAnswersWithin{20'000};
constexpr Milliseconds kTakesWithin{600'000};
/// The script's line before it reads. The shell computes the number, so an echo of the script does not match.
constexpr std::string_view kReady = "terminally-push 8675309 ";
constexpr std::string_view kDone = "terminally-push done ";

/// The rest of the first line with `begin`; "" where the output ends first. Output before that line (of a
/// start-up file) is dropped.
awaitable<std::string> read_line_of(ChildProcess& process, std::string_view begin) {
  std::string read;
  for (;;) {
    const std::size_t at = read.find(begin);
    const std::size_t newline = at == std::string::npos ? at : read.find('\n', at);
    if (newline != std::string::npos) {
      co_return read.substr(at + begin.size(), newline - at - begin.size());
    }
    const std::string bytes = co_await read_while_it_lives(process);
    if (bytes.empty()) {
      co_return "";
    }
    read += bytes;
    constexpr std::size_t kMost = std::size_t{1} << 20U;
    if (read.size() > kMost) {
      throw Error(ErrorCode::io, "it printed more than 1 MiB instead of an answer");
    }
  }
}

awaitable<void> read_into(ChildProcess& process, std::string_view begin, std::string& line) {
  line = co_await read_line_of(process, begin);
}

awaitable<void> read_errors_into(ChildProcess& process, std::string& text) {
  text = co_await process.read_some_errors();
}

/// Why the shell there failed. `otherwise` is the reason of one that does not end, or ends without a message:
/// after its answer that is a wrong hash.
awaitable<std::string> explain(ChildProcess& process, HostEntry host, bool answered, std::string otherwise) {
  PipeEnd end;
  co_await run_until(Clock::now() + Milliseconds(500), process.ended());
  if (process.has_ended()) {
    co_await run_until(Clock::now() + Milliseconds(500), read_errors_into(process, end.complained));
    end.exit_code = process.exit_code();
    const bool says_nothing = end.exit_code == 0 || (answered && end.complained.empty());
    co_return says_nothing ? otherwise : explain_pipe(host, end);
  }
  co_return otherwise;
}

awaitable<std::string> push_file(HostEntry host, std::string directory, std::string name, std::string content,
                                 std::string hash, bool runs) {
  const auto executor = co_await asio::this_coro::executor;
  const Argv argv = script_argv(host, push_script(directory, name, hash, content.size(), runs));
  ChildProcess process(executor, argv);
  std::string machine;
  const bool ready = co_await run_until(Clock::now() + kAnswersWithin, read_into(process, kReady, machine));
  if (!ready || machine.empty()) {
    std::string why = co_await explain(process, host, false, "no shell there answered: nothing was sent");
    throw Error(ErrorCode::io, why);
  }
  utsname ours{};
  ::uname(&ours);
  if (machine != ours.machine) {
    throw Error(ErrorCode::io, "the host is " + machine + ", this program " + ours.machine +
                                   ": push one that was built for the host (--from)");
  }
  const bool taken = co_await process.write(std::move(content));
  std::string place;
  const bool done =
      taken && co_await run_until(Clock::now() + kTakesWithin, read_into(process, kDone, place));
  if (!done || place.empty()) {
    std::string why = co_await explain(process, host, true,
                                       "the copy did not arrive whole; nothing was replaced. Try again");
    throw Error(ErrorCode::io, why);
  }
  co_return place;
}

/// Uses sha256sum, as the far side does.
awaitable<std::string> sha256_of(std::filesystem::path file) {
  Argv argv = {"sha256sum", "--", file.string()};
  const ProcessResult result = co_await run_process(std::move(argv), Milliseconds(60'000));
  constexpr std::size_t kHashDigits = 64;
  if (result.exit_code != 0 || result.out.size() < kHashDigits) {
    throw Error(ErrorCode::io, "cannot hash " + file.string() + " with sha256sum: " + result.err);
  }
  co_return result.out.substr(0, kHashDigits);
}

}  // namespace

std::string push_script(const std::string& directory, const std::string& name, const std::string& hash,
                        std::size_t size, bool runs) {
  return "d=\"" + std::string(directory.starts_with('/') ? "" : "$HOME/") + directory +
         "\"; umask 077; mkdir -p \"$d\" && cd \"$d\" || exit 1; t=.new.$$; "
         "echo terminally-push $((8675300+9)) $(uname -m); head -c " +
         std::to_string(size) +
         " >\"$t\" && "
         "[ \"$(sha256sum <\"$t\" | cut -c1-64)\" = " +
         hash + " ] && chmod 700 \"$t\" && " + (runs ? "\"./$t\" --version >/dev/null && " : "") +
         "mv -f \"$t\" " + name + " && echo terminally-push done \"$d/" + name +
         "\" || { c=$?; rm -f \"$t\"; exit $c; }";
}

void check_push_directory(const std::string& to) {
  HostEntry host;  // its state_dir has the same rule: nothing in it is special to a shell
  host.name = "host";
  host.ssh = "host";
  host.state_dir = to;
  check_host(host);
}

awaitable<std::string> push_program(HostEntry host, std::vector<std::filesystem::path> files,
                                    std::string version, std::string to) {
  std::string program;
  std::string directory;
  for (const std::filesystem::path& file : files) {
    std::string hash = co_await sha256_of(file);
    if (directory.empty()) {
      directory =
          (to.empty() ? ".local/share/terminally-mcp" : to) + "/" + version + "-" + hash.substr(0, 12);
    }
    std::optional<std::string> content = read_file(file);
    if (!content) {
      throw Error(ErrorCode::io, "cannot read " + file.string());
    }
    const std::string name = program.empty() ? "terminally-mcp" : file.filename().string();
    std::string place;
    try {
      place =
          co_await push_file(host, directory, name, *std::move(content), std::move(hash), program.empty());
    } catch (const Error& error) {
      throw Error(error.code(), host.name + ": " + error.what());
    }
    program = program.empty() ? std::move(place) : program;
  }
  co_return program;
}

}  // namespace terminally
