// list_hosts: lists the machines and containers that tabs can be opened on.
#include "toolkit/far_hosts.hpp"
#include "toolkit/tool.hpp"

namespace terminally {

static void describe(ResultVisitor& v, const FarHostInfo& host) {
  const ResultVisitor::Names states(kFarHostStates.begin(), kFarHostStates.end());
  v.text("name", host.name, "For the argument host, and before a tab's id: \"build1:@3\".");
  v.choice("state", host.state, states, "up: connected. A call connects first if needed.");
  v.integer_or_null("rtt_ms", host.rtt_ms, "Round trip.", show_if(host.rtt_ms.has_value()));
  v.text("version", host.version, "Version of terminally-mcp there.", show_if(!host.version.empty()));
  v.integer_or_null("tabs", host.tabs, "How many are open there.", show_if(host.tabs.has_value()));
  v.text("error", host.error, "What is wrong, and what to do.", show_if(!host.error.empty()));
}

namespace {

constexpr Milliseconds kLooksFor{2'000};

struct ListedHosts {
  std::vector<FarHostInfo> hosts;
};

void describe(ResultVisitor& v, const ListedHosts& listed) {
  v.list("hosts", listed.hosts, "Those that a person has allowed.");
}

struct ListHostsArgs {
  void describe(ArgsVisitor& /*v*/) {}
};

boost::asio::awaitable<ListedHosts> list_hosts(ToolContext context, ListHostsArgs /*args*/) {
  ListedHosts listed;
  if (context.hosts) {
    listed.hosts = co_await context.hosts->look(Clock::now() + kLooksFor);
  }
  co_return listed;
}

}  // namespace

/// The router leaves the tool out where no hosts are configured (router.cpp).
Tool list_hosts_tool() {
  return make_tool<&list_hosts>("list_hosts", "List machines and containers for host.",
                                {.read_only = true, .idempotent = true, .open_world = true},
                                {.describes_hosts = true});
}

}  // namespace terminally
