// Says which instance on a host a page looks at, and as whom.
#include "far_page/far_view.hpp"

#include "hosts/hosts.hpp"

namespace terminally {

FarView far_view(const Config& config, const HostEntry& host, const std::string& instance,
                 const Visitor& visitor) {
  const FarStart start = far_start(host, config, instance);
  return {host, start.instance, start.flags, visitor};
}

}  // namespace terminally
