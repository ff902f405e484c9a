#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "config.hpp"
#include "far_page/host_answers.hpp"
#include "http/site.hpp"
#include "page/page_site.hpp"

namespace terminally {

/// The Site behind the browser page, with the tabs of hosts: PageSite, and what names a tab "build1:@3".
class WideSite final : public Site {
 public:
  /// As PageSite. `config` is also where hosts.json is.
  WideSite(boost::asio::any_io_executor executor, Config config);

  [[nodiscard]] Awaitable<Response> answer(Request request) override;
  [[nodiscard]] Awaitable<void> live(Socket& socket, Query query) override;

 private:
  [[nodiscard]] FarView view_of(const std::string& host, const Request& request);

  boost::asio::any_io_executor executor_;
  Config config_;
  PageSite site_;
  std::shared_ptr<HostAnswers> answers_;
};

}  // namespace terminally
