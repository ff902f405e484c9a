#pragma once

#include <boost/asio/awaitable.hpp>

namespace boost::asio {
class io_context;
}

namespace terminally {

/// Runs `work` on `io` until it is done, or until SIGINT, SIGTERM or SIGHUP comes. Returns 0, or 128 and the
/// signal's number. Throws what `work` throws.
[[nodiscard]] int run_until_signal(boost::asio::io_context& io, boost::asio::awaitable<void> work);

}  // namespace terminally
