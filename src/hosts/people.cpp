// Runs people's commands on the tabs of a host: finds the host in the words, and execs the way there.
#include "hosts/people.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <cerrno>
#include <exception>
#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/process.hpp"
#include "base/spawned.hpp"
#include "hosts/pipe_command.hpp"
#include "hosts/pipe_errors.hpp"
#include "json/json_reader.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {
std::optional<FarWords> far_words(std::vector<std::string> words, std::size_t tab,
                                  const std::vector<HostEntry>& hosts) {
  const auto name = split_far_name(words.at(tab));
  const auto host =
      std::ranges::find_if(hosts, [&](const HostEntry& one) { return name && one.name == name->host; });
  if (host == hosts.end()) {
    return std::nullopt;
  }
  FarWords far;
  far.host = *host;
  far.draws = words.front() == "attach";
  words[tab] = name->rest;
  if (name->rest.empty()) {  // "build1:" alone: the command runs there without a tab
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(tab));
  }
  far.words = std::move(words);
  return far;
}

void run_there(const FarWords& far, const std::string& instance) {
  std::vector<std::string> words = {"--instance", instance};
  words.insert(words.end(), far.words.begin(), far.words.end());
  const bool at_terminal = ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
  if (far.draws && !at_terminal) {
    throw Error(ErrorCode::invalid_argument, "attach needs a terminal as its standard input and output");
  }
  const bool has_way = !far.host.ssh.empty() || !far.host.terminal.empty();
  const bool terminal = far.draws || (at_terminal && has_way);
  const bool passes_input = far.reads && ::isatty(STDIN_FILENO) == 0;
  if (far.reads && !passes_input && !terminal) {    // what it reads is the tab's keyboard, and not at its end
    words.insert(words.begin() + 3, "--no-stdin");  // behind "exec"
  }
  const Argv argv = relay_argv(far.host, words, terminal);
  if (!terminal && !passes_input) {  // a start-up file there must not read this side's input
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || ::dup2(null, STDIN_FILENO) < 0) {
      throw io_error("cannot open /dev/null", errno);
    }
  }
  become(argv);
}

namespace {

namespace asio = boost::asio;

/// The JSON list in the output of `ls --json`, without what a start-up file printed before it; null: none.
nlohmann::ordered_json rows_in(const std::string& printed) {
  const std::size_t begin = printed.starts_with('[') ? 0 : printed.find("\n[");
  if (begin == std::string::npos) {
    return nullptr;
  }
  nlohmann::ordered_json rows;
  std::string detail;
  const JsonFault fault = read_json(std::string_view(printed).substr(begin), rows, detail);
  return fault == JsonFault::none ? rows : nullptr;
}

asio::awaitable<void> list_one(FarPlace place, Milliseconds within, std::shared_ptr<FarListing> listing) {
  const std::string& name = place.host.name;
  std::vector<std::string> words = {"--instance", place.instance, "ls", "--json"};
  ProcessResult result;
  std::string problem;
  try {
    Argv argv = relay_argv(place.host, words, false);
    result = co_await run_process(std::move(argv), within);
  } catch (const Error& error) {
    problem = error.what();
  }
  nlohmann::ordered_json rows = rows_in(result.out);
  if (result.timed_out) {
    problem = "no answer within " + std::to_string(within.count()) + " ms; `terminally-mcp hosts check " +
              name + "` waits longer, and says what is wrong";
  } else if (result.exit_code != 0 && result.err.find("no instance") == std::string::npos) {
    PipeEnd end;
    end.exit_code = result.exit_code;
    end.complained = result.err;
    problem = explain_pipe(place.host, end);
  }
  if (!problem.empty()) {
    listing->problems.emplace(name, problem);
  }
  if (!rows.is_array()) {
    co_return;
  }
  for (nlohmann::ordered_json& row : rows) {
    const std::string id = row.is_object() ? text_field(row, "window_id").value_or("") : "";
    if (parse_window_id(id)) {
      row["window_id"] = name + ":" + id;
      row["host"] = name;
      listing->rows.push_back(std::move(row));
    }
  }
}

}  // namespace

asio::awaitable<FarListing> list_there(std::vector<FarPlace> places, Milliseconds within) {
  const auto executor = co_await asio::this_coro::executor;
  const auto listing = std::make_shared<FarListing>();
  std::vector<Spawned<>> of_places;
  of_places.reserve(places.size());
  for (const FarPlace& place : places) {
    of_places.emplace_back(executor, list_one(place, within, listing));
  }
  for (const Spawned<>& of_place : of_places) {
    co_await of_place.wait_by(Clock::time_point::max());
  }
  co_return std::move(*listing);
}

}  // namespace terminally
