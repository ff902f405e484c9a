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
  /// `only`: the one instance that is shown; empty: all are. Throws Error where the values to mask cannot be
  /// read.
  PageSite(boost::asio::any_io_executor executor, Config config, std::string only = "");
  ~PageSite() override;

  [[nodiscard]] Awaitable<Response> answer(Request request) override;
  [[nodiscard]] Awaitable<void> live(Socket& socket, Query query) override;

  /// What is masked for a visitor, as known by now; null: nothing is.
  [[nodiscard]] std::shared_ptr<const Secrets> hidden_from(const Visitor& visitor) const;
  /// The instance that a request means. Throws Error(not_found).
  [[nodiscard]] std::string instance_of(const Query& query);
  /// Whether nothing that a page began goes on.
  [[nodiscard]] bool is_idle() const;

 private:
  std::unique_ptr<PageHouse> house_;
};

}  // namespace terminally
