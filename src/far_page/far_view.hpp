#pragma once

#include <string>

#include "config.hpp"
#include "far_page/page_link.hpp"

namespace terminally {

/// How a page looks at what `instance` of this machine has on a host: the instance there is the one that a
/// server of `instance` uses. `config` is that of the process.
[[nodiscard]] FarView far_view(const Config& config, const HostEntry& host, const std::string& instance,
                               const Visitor& visitor);

}  // namespace terminally
