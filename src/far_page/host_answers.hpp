#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <memory>
#include <string>

#include "base/awaitable.hpp"
#include "far_page/far_lines.hpp"
#include "far_page/page_link.hpp"

namespace terminally {

class HostDesk;

/// What pages ask hosts for by HTTP. A link for each instance, host and role, which ends when it was not used
/// for 30 s.
class HostAnswers {
 public:
  explicit HostAnswers(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  /// Throws Error where there is no link, or no answer in time.
  [[nodiscard]] Awaitable<PipedAnswer> ask(FarView view, PipedRequest request);

 private:
  boost::asio::any_io_executor executor_;
  std::map<std::string, std::shared_ptr<HostDesk>> desks_;
};

}  // namespace terminally
