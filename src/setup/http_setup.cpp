// Finds out where `serve` is that a client is to reach.
#include "setup/http_setup.hpp"

#include <string_view>

#include "base/error.hpp"
#include "http/links.hpp"
#include "http/rules.hpp"
#include "instance/instance.hpp"

namespace terminally {
namespace {

/// "127.0.0.1:7332" of a URL; empty where it has no port: `serve` listens at a Unix socket then.
std::string authority_with_port(const std::string& url) {
  const std::string rest = url.substr(std::string_view("http://").size());
  const std::string authority = rest.substr(0, rest.find('/'));
  return authority.find(':') == std::string::npos ? "" : authority;
}

std::string running_authority(const std::filesystem::path& links) {
  const std::optional<Link> link = ask_for_link(links, Role::view);
  std::string authority = link ? authority_with_port(link->url) : "";
  if (link && authority.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "what serves listens at a Unix socket, which clients do not reach: name what leads there, "
                "--address 127.0.0.1:PORT");
  }
  return authority;
}

std::string named_authority(const std::string& address) {
  const ListenPlace place = parse_listen_place(address);
  if (!place.socket.empty() || place.port == 0) {
    throw Error(ErrorCode::invalid_argument,
                "\"" + address + "\" is no ADDRESS:PORT (127.0.0.1:7332), which is what clients reach");
  }
  return authority_with_port(to_string(place) + "/");
}

}  // namespace

HttpSetup http_setup(const Config& config, const std::filesystem::path& links, const HttpFlags& flags) {
  HttpSetup http;
  http.authority = flags.address.empty() ? running_authority(links) : named_authority(flags.address);
  if (!config.instance.empty()) {
    http.instance = Instance(config, config.instance).name();  // throws where none can have that name
  }
  if (!flags.role.empty()) {
    http.role = flags.role == "view" ? Role::view : Role::exec;
  }
  http.tokens = config.state_root;
  return http;
}

}  // namespace terminally
