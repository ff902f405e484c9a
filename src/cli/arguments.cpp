// Makes CLI11 validators that accept plain digits and known units, and nothing else.
// Finds the log that a command line names by a tab or a path.
// Reads the argument of the command line that names a tab by id or by name.

#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "hosts/hosts_file.hpp"
#include "instance/tab_ids.hpp"
#include "terminal/guest.hpp"
#include "toolkit/far_names.hpp"

namespace terminally {

namespace {

/// nullopt where `text` is no number from `least` to `most`.
std::optional<std::uint64_t> number_in(const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool fits = error == std::errc() && rest == end && number >= least && number <= most;
  return fits ? std::optional(number) : std::nullopt;
}

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto complaint_about = [least, most](const std::string& text) {
    return number_in(text, least, most) ? std::string()
                                        : "\"" + text + "\" is no whole number from " +
                                              std::to_string(least) + " to " + std::to_string(most);
  };
  return {complaint_about, ""};
}

CLI::Validator number_of_bytes(std::uint64_t least, std::uint64_t most) {
  const auto take = [least, most](std::string& text) {
    std::string bytes = text;
    std::string wrong;
    try {
      wrong = CLI::AsSizeValue(false)(bytes);
    } catch (const CLI::Error& error) {  // an unknown unit
      wrong = error.what();
    }
    if (!wrong.empty() || !number_in(bytes, least, most)) {
      return "\"" + text + "\" is no number of bytes from " + std::to_string(least) + " to " +
             std::to_string(most) + ", as in 65536, 64MiB or 2GiB";
    }
    text = bytes;
    return std::string();
  };
  return {take, ""};
}

CLI::Option* add_log_argument(CLI::App& command, std::string& which, const std::string& description) {
  return command.add_option("tab", which, description)->type_name(kLogType);
}

PaneLog log_of(const Config& config, WindowId tab) {
  const Instance instance = instance_to_read(config, tab);
  const auto generation = generation_of(instance, tab);
  if (!generation) {
    throw Error(ErrorCode::not_found, "there is no tab " + to_string(tab) + " in instance \"" +
                                          instance.name() + "\": no pane-" + to_string(tab) + ".log below " +
                                          instance.state().string() + "; `terminally-mcp ls` lists the tabs");
  }
  return PaneLog(log_path(instance.generation(*generation), to_string(tab)));
}

PaneLog log_named(const Config& config, const std::string& which) {
  if (const auto tab = parse_window_id(which)) {
    return log_of(config, *tab);
  }
  std::error_code error;
  if (std::filesystem::is_regular_file(which, error)) {
    return PaneLog(which);
  }
  try {
    return log_of(config, tab_of(config, which));
  } catch (const Error& none) {
    if (none.code() != ErrorCode::not_found) {
      throw;
    }
    throw Error(ErrorCode::not_found, "there is no log file \"" + which + "\"; as a tab: " + none.what());
  }
}

namespace {

/// Names are known to tmux alone, and so only those of open tabs.
std::string hint_at_closed_tabs(const Config& guest, const std::vector<TabInfo>& open) {
  constexpr std::size_t kMostNamed = 10;
  std::vector<WindowId> closed = tabs_with_logs(Instance(guest, guest.instance));
  std::erase_if(closed, [&open](WindowId tab) {
    return std::ranges::find(open, tab, &TabInfo::window_id) != open.end();
  });
  std::string ids;
  for (std::size_t i = closed.size() - std::min(closed.size(), kMostNamed); i < closed.size(); ++i) {
    ids += (ids.empty() ? "" : ", ") + to_string(closed[i]);
  }
  return ids.empty() ? "" : ". A closed tab has its id only: tail, grep and history still read " + ids;
}

}  // namespace

Error no_such_tab(const std::string& which) {
  const auto far = split_far_name(which);
  return Error(
      ErrorCode::not_found,
      "\"" + which + "\" is no tab: neither an id such as @0 nor the name of an open tab" +
          (far ? ", and \"" + far->host + "\" is an unknown host (`terminally-mcp hosts list`)" : "") +
          "; `terminally-mcp ls` lists them");
}

CLI::Option* add_tab_argument(CLI::App& command, std::string& tab, const std::string& description) {
  return command.add_option("tab", tab, description)->type_name(kTabType);
}

CLI::Option* add_tab_id_argument(CLI::App& command, std::optional<WindowId>& tab,
                                 const std::string& description) {
  const auto take = [&tab](const std::string& text) { tab = parse_window_id(text); };
  const auto complain = [](const std::string& text) {
    return parse_window_id(text) ? std::string() : std::string(no_such_tab(text).what());
  };
  return command.add_option_function<std::string>("tab", take, description)
      ->check(CLI::Validator(complain, ""))
      ->type_name(kTabType);
}

WindowId tab_of(const Config& config, const std::string& which) {
  if (const auto id = parse_window_id(which)) {
    return *id;
  }
  std::vector<WindowId> found;
  const Config guest = guest_config(config);
  const std::vector<TabInfo> open = tabs_of(guest);
  for (const TabInfo& tab : open) {
    if (tab.name == which) {
      found.push_back(tab.window_id);
    }
  }
  if (found.empty()) {
    const std::vector<HostEntry> hosts = read_hosts(config.hosts_file);
    const bool is_host = std::ranges::find(hosts, which, &HostEntry::name) != hosts.end();
    const std::string hint = is_host ? "; the host of that name is " + which +
                                           ":, with the colon, and a tab there " + which + ":@0"
                                     : hint_at_closed_tabs(guest, open);
    throw Error(ErrorCode::not_found, no_such_tab(which).what() + hint);
  }
  if (found.size() > 1) {
    throw Error(ErrorCode::invalid_argument, several_tabs_named(which, found[0], found[1]));
  }
  return found.front();
}

bool has_tab(const Config& guest, const std::string& which) {
  const auto id = parse_window_id(which);
  const std::vector<TabInfo> tabs = tabs_of(guest);
  return std::ranges::any_of(
      tabs, [&](const TabInfo& tab) { return id ? tab.window_id == *id : tab.name == which; });
}

std::string instance_with_tab(const Config& config, const std::string& name) {
  const std::vector<std::string> used = used_instances(config);
  if (!config.instance.empty() || used.size() < 2) {
    return "";
  }
  std::vector<std::string> found;
  std::ranges::copy_if(used, std::back_inserter(found), [&](const std::string& one) {
    return Instance(config, one).server_lives() && has_tab(guest_of(config, one), name);
  });
  if (const auto here = of_project_here(config, found); here.size() == 1) {
    return here.front();
  }
  if (found.size() > 1) {
    throw Error(ErrorCode::invalid_argument, "tab \"" + name + "\" is in several instances, " + found[0] +
                                                 " and " + found[1] + ": choose one with --instance");
  }
  return found.empty() ? "" : found.front();
}

std::optional<WindowId> tab_if_given(const Config& config, const std::string& which) {
  return which.empty() ? std::nullopt : std::optional(tab_of(config, which));
}

}  // namespace terminally
