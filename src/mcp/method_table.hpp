#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string_view>

#include "mcp/core.hpp"

namespace terminally {

/// As Core has it.
[[nodiscard]] const Method& find_method(std::string_view name, Revision revision);

/// The core of a server with the router's tools and all methods, for any number of peers. Single-threaded:
/// all runs on `executor`.
[[nodiscard]] std::shared_ptr<const Core> make_core(const boost::asio::any_io_executor& executor,
                                                    std::shared_ptr<const Router> router,
                                                    Implementation info);

}  // namespace terminally
