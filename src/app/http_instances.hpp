#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "config.hpp"
#include "door/endpoint.hpp"

namespace terminally {

/// The instances that this process serves to programs over HTTP, beside other servers of the same instances.
/// They stay open until its end.
class HttpInstances {
 public:
  /// `config`: of the process; its own instance has the empty name.
  HttpInstances(boost::asio::any_io_executor executor, Config config);
  ~HttpInstances();
  HttpInstances(const HttpInstances&) = delete;
  HttpInstances& operator=(const HttpInstances&) = delete;

  /// Touches nothing on disk before a tool is called, but looks after what runs in a named instance. Throws
  /// Error: invalid_argument for a name that no instance can have; io where a file of ours cannot be read.
  [[nodiscard]] ServedInstance open(const std::string& name);

  /// Ends what must not outlive this process.
  [[nodiscard]] Awaitable<void> shut_down();

 private:
  struct Opened;

  boost::asio::any_io_executor executor_;
  Config config_;
  std::vector<std::unique_ptr<Opened>> opened_;
};

}  // namespace terminally
