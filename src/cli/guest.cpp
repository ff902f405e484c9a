#include "cli/guest.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <exception>

#include "base/error.hpp"
#include "base/files.hpp"
#include "instance/instance.hpp"

namespace terminally {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

std::string running_instance(const Config& config) {
  std::error_code error;
  if (std::filesystem::symlink_status(config.runtime_root, error).type() !=
      std::filesystem::file_type::not_found) {
    make_private_directory(
        config.runtime_root);  // a socket that somebody else left there is not ours to talk to
  }
  const std::vector<std::string> running = running_instances(config);
  const std::string name =
      config.instance.empty() ? "" : " \"" + Instance(config, config.instance).name() + "\"";
  const std::string nothing =
      "no instance" + name + " runs in " + config.runtime_root.string() +
      ": it begins with the first tab that an agent opens. Another place: --runtime-dir. What has ended: "
      "terminally-mcp replay PATH, of a log below " +
      config.state_root.string();
  if (!config.instance.empty()) {
    const Instance named(config, config.instance);
    if (std::find(running.begin(), running.end(), named.name()) == running.end()) {
      throw Error(ErrorCode::not_found, running.empty() ? nothing
                                                        : "no instance \"" + named.name() +
                                                              "\" runs; there is: " + listed(running));
    }
    return named.name();
  }
  if (running.empty()) {
    throw Error(ErrorCode::not_found, nothing);
  }
  if (running.size() > 1) {
    throw Error(ErrorCode::not_found,
                "several instances run, choose one with --instance: " + listed(running));
  }
  return running.front();
}

Instance instance_to_read(const Config& config) {
  const bool named = !config.instance.empty() && Instance(config, config.instance).newest_generation() > 0;
  return Instance(config, named ? config.instance : running_instance(config));
}

Config guest_of(Config config, const std::string& instance) {
  config.instance = instance;
  config.guest = true;
  return config;
}

Config guest_config(const Config& config) {
  return guest_of(config, running_instance(config));
}

std::vector<TabInfo> tabs_of(const Config& config) {
  boost::asio::io_context io(1);
  TmuxManager manager(io.get_executor(), config);
  std::vector<TabInfo> tabs;
  std::exception_ptr failure;
  boost::asio::co_spawn(io, manager.list_tabs(),
                        [&](const std::exception_ptr& error, std::vector<TabInfo> answer) {
                          failure = error;
                          tabs = std::move(answer);
                        });
  io.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
  return tabs;
}

}  // namespace terminally
