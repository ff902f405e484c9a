#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "tab/tab.hpp"

namespace terminally {

/// Takes the files of a command away a moment later, so that its answer does not wait for it; or with the
/// event loop, should that end before. `told`: by its shell, which has come to its END. That writes the exit
/// code behind it, into a file of its own, were this one gone by then: so it is waited for, for 2 s at most.
void tidy_later(const boost::asio::any_io_executor& executor, std::shared_ptr<Tab> tab, std::string nonce,
                bool told);

}  // namespace terminally
