#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "mcp/core.hpp"

namespace terminally {

/// The core of a server with the router's tools and all methods, for any number of peers. Single-threaded:
/// all runs on `executor`.
[[nodiscard]] std::shared_ptr<const Core> make_core(const boost::asio::any_io_executor& executor,
                                                    std::shared_ptr<const Router> router,
                                                    Implementation info);

}  // namespace terminally
