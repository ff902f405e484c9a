#pragma once

// Of this room's own sources only: a heavy header.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>

namespace terminally {

/// A connection over TCP or a Unix socket, with a deadline for each step.
using Stream =
    boost::beast::basic_stream<boost::asio::generic::stream_protocol, boost::asio::any_io_executor>;

}  // namespace terminally
