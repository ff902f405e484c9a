#pragma once

#include <boost/asio/awaitable.hpp>

namespace terminally {

template <typename T>
using Awaitable = boost::asio::awaitable<T>;

}  // namespace terminally
