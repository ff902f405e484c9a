// Holds the hosts of hosts.json, sends each call to its host, and asks all hosts side by side for tabs.
#include "hosts/hosts.hpp"

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/digests.hpp"
#include "base/error.hpp"
#include "base/spawned.hpp"
#include "base/utf8.hpp"
#include "hosts/gateway_id.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using nlohmann::ordered_json;

std::string_view name_of(View view) {
  return view == View::raw ? "raw" : view == View::plain ? "plain" : "rendered";
}

std::string_view name_of(Redact redact) {
  return redact == Redact::off ? "off" : redact == Redact::rules ? "rules" : "all";
}

/// The user's settings for answers and commands, which hold on the far side too. Settings of a machine
/// (directories, disk limits) stay with that machine, and values masked by name never travel.
/// Servers speak JSON among themselves: --answers stays here.
std::vector<std::string> flags_for_there(const Config& config) {
  std::vector<std::string> flags = {"--view",
                                    std::string(name_of(config.view)),
                                    "--redact",
                                    std::string(name_of(config.redact)),
                                    "--sync-window-ms",
                                    std::to_string(config.sync_window_ms),
                                    "--history-limit",
                                    std::to_string(config.history_limit),
                                    "--max-duration-ms",
                                    std::to_string(config.max_duration_ms)};
  const auto differs = [&flags](const char* flag, std::string value, bool is_default) {
    if (!is_default) {  // a build from before has no such flag
      flags.insert(flags.end(), {flag, std::move(value)});
    }
  };
  differs("--default-timeout-ms", std::to_string(config.default_timeout_ms),
          config.default_timeout_ms == Config().default_timeout_ms);
  differs("--size", std::to_string(config.cols) + "x" + std::to_string(config.rows),
          config.cols == Config().cols && config.rows == Config().rows);
  if (config.on_timeout) {
    const bool interrupts = *config.on_timeout == OnTimeout::interrupt;
    flags.insert(flags.end(), {"--on-timeout", interrupts ? "interrupt" : "background"});
  }
  if (config.plain_env) {
    flags.emplace_back("--plain-env");
  }
  return flags;
}

}  // namespace

std::filesystem::path control_path(const HostEntry& host, const Config& config) {
  constexpr std::size_t kLongest = 108 - 1 - 18;
  std::filesystem::path path =
      config.runtime_root / ".ssh" / fnv1a_hex(host.name + '\0' + host.ssh + '\0' + host.ssh_config);
  // ssh expands '%' and "${…}", and ends a word at a blank.
  const bool is_plain = path.native().find_first_of(" \t%$\"'\\") == std::string::npos;
  if (host.ssh.empty() || path.native().size() > kLongest || !is_plain) {
    return {};
  }
  return path;
}

namespace {

using Work = std::function<awaitable<void>(std::shared_ptr<Host>)>;

/// Runs `work` for all hosts side by side, until `by` at the latest. Late work goes on; failures are dropped.
awaitable<void> for_each(std::vector<std::shared_ptr<Host>> hosts, Work work, Clock::time_point by) {
  const auto executor = co_await asio::this_coro::executor;
  std::vector<Spawned<>> of_hosts;
  of_hosts.reserve(hosts.size());
  for (const std::shared_ptr<Host>& host : hosts) {
    of_hosts.emplace_back(executor, work(host));
  }
  for (const Spawned<>& of_host : of_hosts) {
    co_await of_host.wait_by(by);
  }
}

/// The most bytes of all hosts' rows: an answer has room for them twice, and for the tabs of this side.
constexpr std::size_t kMostRowBytes = std::size_t{768} << 10U;

/// A row of another shape would make a client refuse the whole answer, with this side's tabs.
bool is_row(const ordered_json& row) {
  constexpr std::array kTexts = {"window_id", "name", "cwd", "foreground", "log_path"};
  constexpr std::array kFlags = {"active", "busy"};
  const auto is = [&row](const char* name, auto kind) {
    const auto field = row.find(name);
    return field != row.end() && kind(*field);
  };
  const auto text = [](const ordered_json& field) { return field.is_string(); };
  const auto flag = [](const ordered_json& field) { return field.is_boolean(); };
  const auto count = [](const ordered_json& field) { return field.is_number_unsigned(); };
  const auto count_or_null = [count](const ordered_json& field) { return count(field) || field.is_null(); };
  const auto object = [](const ordered_json& field) { return field.is_object(); };
  const auto may_be = [&row, is](const char* name, auto kind) {
    return !row.contains(name) || is(name, kind);
  };
  return row.is_object() && std::ranges::all_of(kTexts, [&](const char* name) { return is(name, text); }) &&
         std::ranges::all_of(kFlags, [&](const char* name) { return is(name, flag); }) &&
         is("log_bytes", count) && may_be("log_gap_bytes", count_or_null) && may_be("last_output_at", text) &&
         may_be("command", text) && may_be("state", text) && may_be("exit_code", count_or_null) &&
         may_be("started_at", text) && may_be("awaiting_input", object) &&
         parse_window_id(row["window_id"].get_ref<const std::string&>());
}

/// Adds the rows of a host's list_tabs with ids as this side names them, in at most `most` bytes.
void add_rows(const std::string& host, const ordered_json& listed, FarTabs& tabs, std::size_t most) {
  const auto rows = listed.find("tabs");
  if (rows == listed.end() || !rows->is_array()) {
    return;
  }
  std::size_t room = most;
  for (const ordered_json& row : *rows) {
    if (!is_row(row)) {
      continue;
    }
    const std::size_t size = row.dump().size();
    if (size > room) {
      tabs.notes.push_back(host + ": not all of its tabs are listed: its list is longer than " +
                           std::to_string(most >> 10U) + " KiB");
      return;
    }
    room -= size;
    ordered_json named = row;
    named["window_id"] = host + ":" + row["window_id"].get<std::string>();
    named["host"] = host;
    tabs.rows.push_back(std::move(named));
  }
}

awaitable<void> list_tabs_of(std::shared_ptr<Host> host, std::shared_ptr<FarTabs> tabs,
                             std::shared_ptr<std::vector<std::string>> missing, std::size_t room,
                             Clock::time_point by) {
  std::string problem;
  try {
    const ordered_json listed = co_await host->ask("list_tabs", by);
    add_rows(host->entry().name, listed, *tabs, room);
  } catch (const Error& error) {
    problem = error.what();
  }
  std::erase(*missing, host->entry().name);
  if (!problem.empty()) {
    tabs->notes.push_back(host->entry().name + ": its tabs are not listed: " + problem);
  }
}

awaitable<void> look_at(std::shared_ptr<Host> host, std::shared_ptr<std::vector<FarHostInfo>> infos,
                        std::size_t place, Clock::time_point by) {
  std::string problem;
  try {
    const std::shared_ptr<FarSession> session = co_await host->connected(by);
    co_await session->ping(by);
    const ordered_json listed = co_await host->ask("list_tabs", by);
    FarTabs tabs;
    add_rows(host->entry().name, listed, tabs, kMostRowBytes);
    (*infos)[place].tabs = static_cast<std::int64_t>(tabs.rows.size());
  } catch (const Error& error) {
    problem = error.what();
  }
  if (host->is_up()) {
    (*infos)[place].error = problem;
  }
}

}  // namespace

FarStart far_start(const HostEntry& host, const Config& config, const std::string& instance) {
  FarStart start;
  start.gateway = gateway_id(config, instance, host.name);
  constexpr std::size_t kLongestOfName = 20;
  start.instance = host.instance.empty()
                       ? instance.substr(0, kLongestOfName) + "-" + start.gateway.substr(0, 8)
                       : host.instance;
  start.temporary = config.instance.empty() && host.instance.empty();
  start.flags = flags_for_there(config);
  start.limits = {config.sync_window_ms, config.default_timeout_ms};
  return start;
}

Hosts::Hosts(const asio::any_io_executor& executor, const std::vector<HostEntry>& entries,
             const Config& config, const std::string& instance, const Host::Before& before) {
  hosts_.reserve(entries.size());
  for (const HostEntry& entry : entries) {
    hosts_.push_back(std::make_shared<Host>(executor, entry, far_start(entry, config, instance),
                                            control_path(entry, config), before));
  }
}

std::vector<std::string> Hosts::names() const {
  std::vector<std::string> names;
  names.reserve(hosts_.size());
  for (const std::shared_ptr<Host>& host : hosts_) {
    names.push_back(host->entry().name);
  }
  return names;
}

std::shared_ptr<Host> Hosts::find(const std::string& name) const {
  const auto found = std::ranges::find_if(
      hosts_, [&](const std::shared_ptr<Host>& host) { return host->entry().name == name; });
  return found == hosts_.end() ? nullptr : *found;
}

std::shared_ptr<Host> Hosts::need(const std::string& name) const {
  std::shared_ptr<Host> host = find(name);
  if (!host) {
    throw Error(ErrorCode::invalid_argument,
                "host: \"" + shortened(name, 80) + "\" is unknown; list_hosts lists the hosts");
  }
  return host;
}

awaitable<ordered_json> Hosts::call(FarCall call) {
  const std::shared_ptr<Host> host = need(call.host);
  co_return co_await host->call(std::move(call));
}

awaitable<void> Hosts::end_command(std::string host, std::string key) {
  const std::shared_ptr<Host> there = need(host);
  co_await there->end_command(std::move(key));
}

awaitable<FarTabs> Hosts::tabs(Clock::time_point by) {
  std::vector<std::shared_ptr<Host>> up;
  const auto missing = std::make_shared<std::vector<std::string>>();
  for (const std::shared_ptr<Host>& host : hosts_) {
    if (host->is_up()) {
      up.push_back(host);
      missing->push_back(host->entry().name);
    }
  }
  const auto tabs = std::make_shared<FarTabs>();
  for (const std::shared_ptr<Host>& host : hosts_) {
    if (const FarHostInfo info = host->info(); info.state == "down") {
      tabs->notes.push_back(info.name + ": its tabs are not listed: " + info.error);
    }
  }
  const std::size_t room = kMostRowBytes / std::max<std::size_t>(up.size(), 1);
  Work work = [tabs, missing, room, by](std::shared_ptr<Host> host) {
    return list_tabs_of(std::move(host), tabs, missing, room, by);
  };
  co_await for_each(std::move(up), std::move(work), by + Milliseconds(20));
  FarTabs found = *tabs;
  for (const std::string& name : *missing) {
    found.notes.push_back(name + ": its tabs are not listed: it has not answered in time");
  }
  co_return found;
}

awaitable<std::vector<FarHostInfo>> Hosts::look(Clock::time_point by) {
  const auto looked = std::make_shared<std::vector<FarHostInfo>>(hosts_.size());
  Work work = [this, looked, by](std::shared_ptr<Host> host) {
    const auto place = static_cast<std::size_t>(std::ranges::find(hosts_, host) - hosts_.begin());
    return look_at(std::move(host), looked, place, by);
  };
  co_await for_each(hosts_, std::move(work), by);
  std::vector<FarHostInfo> infos;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    FarHostInfo info = hosts_[i]->info();
    info.tabs = (*looked)[i].tabs;
    if (!(*looked)[i].error.empty()) {
      info.error = (*looked)[i].error;
    }
    infos.push_back(std::move(info));
  }
  co_return infos;
}

awaitable<void> Hosts::say_goodbye(Clock::time_point by) {
  Work work = [by](const std::shared_ptr<Host>& host) { return host->say_goodbye(by); };
  co_await for_each(hosts_, std::move(work), by);
}

}  // namespace terminally
