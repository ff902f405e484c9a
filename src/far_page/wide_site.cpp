// Answers a page's requests for tabs of hosts, and leaves all others to PageSite.
#include "far_page/wide_site.hpp"

#include <algorithm>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "base/error.hpp"
#include "far_page/far_responses.hpp"
#include "far_page/far_view.hpp"
#include "far_page/wide_socket.hpp"
#include "hosts/hosts_file.hpp"

namespace terminally {

WideSite::WideSite(boost::asio::any_io_executor executor, Config config)
    : executor_(executor),
      config_(config),
      site_(executor, std::move(config)),
      answers_(std::make_shared<HostAnswers>(std::move(executor))) {}

FarView WideSite::view_of(const std::string& host, const Request& request) {
  const std::vector<HostEntry> hosts = read_hosts(config_.hosts_file);
  const auto found = std::ranges::find(hosts, host, &HostEntry::name);
  if (found == hosts.end()) {
    throw Error(ErrorCode::not_found, "there is no host " + host);
  }
  Visitor visitor = request.visitor;
  visitor.session = "http";
  return far_view(config_, *found, site_.instance_of(request.query), visitor);
}

Awaitable<Response> WideSite::answer(Request request) {
  const auto place = far_place_in(request.path);
  if (!place) {
    co_return co_await site_.answer(std::move(request));
  }
  const std::string& what = place->what;
  if (request.method != "GET") {
    throw Error(ErrorCode::invalid_argument, "only GET is served here");
  }
  if (what != "log" && what != "commands" && what != "times" && what != "download") {
    throw Error(ErrorCode::not_found, "nothing is at " + request.path);
  }
  FarView view = view_of(place->host, request);
  const std::shared_ptr<const Secrets> hidden = site_.hidden_from(request.visitor);
  request.query.erase("instance");
  if (what == "download") {
    AskHost ask = [answers = answers_, view](PipedRequest one) { return answers->ask(view, std::move(one)); };
    co_return co_await download_from_host(*place, std::move(request.query), std::move(ask), hidden);
  }
  PipedRequest asked;
  asked.path = "/api/" + what + "/" + place->tab;
  asked.query = std::move(request.query);
  PipedAnswer answer = co_await answers_->ask(std::move(view), std::move(asked));
  co_return response_of_host(*place, std::move(answer), hidden);
}

Awaitable<void> WideSite::live(Socket& socket, Query query) {
  WideSocket::Hidden hidden = [this, visitor = socket.visitor()] { return site_.hidden_from(visitor); };
  WideSocket wide(executor_, config_, socket, std::move(hidden));
  std::exception_ptr failure;
  try {
    co_await site_.live(wide, std::move(query));
  } catch (...) {
    failure = std::current_exception();
  }
  // A page that is cancelled is put away like any other.
  co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
  co_await wide.end();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace terminally
