#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "config.hpp"
#include "http/site.hpp"
#include "page/log_answers.hpp"

namespace terminally {

class PageHouse;

/// The Site behind the browser page: every instance of this user on this machine, beside their servers and
/// without them. doc/page-wire.md is what it serves. It looks at nothing while no page is there.
class PageSite : public Site {
 public:
  /// `config` is that of the process: where instances are, and what is masked for pages that may only look.
  /// Throws Error where the values to mask cannot be read.
  PageSite(boost::asio::any_io_executor executor, Config config);
  ~PageSite() override;

  [[nodiscard]] Awaitable<Response> answer(Request request) override;
  [[nodiscard]] Awaitable<void> live(Socket& socket, Query query) override;

 private:
  std::unique_ptr<PageHouse> house_;
};

}  // namespace terminally
