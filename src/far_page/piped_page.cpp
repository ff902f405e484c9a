// Serves a page of another machine over stdin and stdout.
#include "far_page/piped_page.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/spawned.hpp"
#include "base/until_signal.hpp"
#include "hosts/hello.hpp"
#include "http/answers.hpp"
#include "page/page_request.hpp"
#include "page/page_site.hpp"
#include "stdio/line_writer.hpp"
#include "system/this_build.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kSilentFor{20'000};
constexpr Milliseconds kLookForSilence{1'000};
constexpr std::size_t kReadAtOnce = std::size_t{64} << 10U;
/// What waits to be written: the bound on what a slow link costs.
constexpr std::size_t kMostWaiting = std::size_t{256} << 10U;
constexpr std::size_t kMostInInbox = 64;
constexpr int kMostAnswers = 16;
/// An end that a person began, of a command that minds no C-c, is gone through with when the link is cut.
constexpr Milliseconds kActsEndWithin{8'000};
constexpr Milliseconds kLookForEnd{50};

}  // namespace

struct PipedPage::Pipe {
  asio::posix::stream_descriptor in;
  LineWriter out;
};

PipedPage::PipedPage(const asio::any_io_executor& executor, StdioPair pair, Visitor visitor)
    : visitor_(std::move(visitor)),
      pipe_(new Pipe{asio::posix::stream_descriptor(executor, pair.in.release()),
                     LineWriter(executor, std::move(pair.out))}),
      crew_(executor),
      framer_(kLongestPipedLine),
      heard_(Clock::now()) {}

PipedPage::~PipedPage() = default;

Awaitable<void> PipedPage::serve(Site& site) {
  crew_.add(pipe_->out.run());
  crew_.add(read(site));
  crew_.add(end_at_silence());
  std::exception_ptr failure;
  try {
    co_await site.live(*this, {});
  } catch (const Error&) {
    failure = std::current_exception();
  }
  co_await crew_.end();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

void PipedPage::say_hello(const std::string& nonce) {
  std::string line = hello_line(nonce, this_build().version);
  line.pop_back();  // its newline is the writer's
  pipe_->out.send(line, Delivery::must);
}

void PipedPage::end() {
  over_ = true;
  moved_.notify();
}

Awaitable<void> PipedPage::read(Site& site) {
  std::string bytes(kReadAtOnce, '\0');
  while (!over_) {
    const auto [error, size] =
        co_await pipe_->in.async_read_some(asio::buffer(bytes), asio::as_tuple(asio::use_awaitable));
    if (error) {
      break;
    }
    heard_ = Clock::now();
    framer_.feed(std::string_view(bytes).substr(0, size));
    while (const auto line = framer_.next()) {
      if (!line->too_long) {
        take(line->text, site);
      }
    }
    while (!over_ && inbox_.size() > kMostInInbox) {
      co_await moved_.wait();
    }
  }
  end();
}

void PipedPage::take(std::string_view line, Site& site) {
  LineOfPage said = read_line_of_page(line);
  if (auto* const message = std::get_if<std::string>(&said)) {
    inbox_.push_back(std::move(*message));
    moved_.notify();
  } else if (const auto* const ping = std::get_if<PipedPing>(&said)) {
    pipe_->out.send(pong_line(ping->number), Delivery::must);
  } else if (auto* const request = std::get_if<PipedRequest>(&said)) {
    crew_.add(answer(site, std::move(*request)));
  }
}

Awaitable<void> PipedPage::answer(Site& site, PipedRequest request) {
  Response response;
  const std::uint64_t re = request.re;
  if (answering_ >= kMostAnswers) {
    response = error_response(Error(ErrorCode::busy, "too much is asked for at once"));
  } else {
    ++answering_;
    Request asked;
    asked.method = "GET";
    asked.path = std::move(request.path);
    asked.query = std::move(request.query);
    asked.visitor = visitor_;
    try {
      response = co_await site.answer(std::move(asked));
    } catch (const Error& error) {
      response = error_response(error);
    }
    --answering_;
  }
  if (response.source) {
    response = error_response(Error(ErrorCode::invalid_argument, "this is not answered in one piece"));
  }
  co_await send_line(answer_line(re, response));
}

Awaitable<void> PipedPage::end_at_silence() {
  while (Clock::now() - heard_ < kSilentFor) {
    co_await sleep_for(kLookForSilence);
  }
  end();
}

Awaitable<std::optional<std::string>> PipedPage::receive() {
  while (inbox_.empty() && !over_) {
    co_await moved_.wait();
  }
  if (over_) {
    co_return std::nullopt;
  }
  std::string message = std::move(inbox_.front());
  inbox_.pop_front();
  moved_.notify();
  co_return message;
}

Awaitable<bool> PipedPage::send_line(std::string line) {  // NOLINT(performance-unnecessary-value-param)
  if (over_) {
    co_return false;
  }
  pipe_->out.send(line, Delivery::must);
  co_await pipe_->out.drained(kMostWaiting);
  co_return !pipe_->out.broken();
}

/// A message that is too long for the other side (hundreds of commands, each as long as a file) is told of.
Awaitable<bool> PipedPage::send_text(std::string message) {
  if (message.size() > kLongestPipedLine) {
    message = error_text(nullptr, Error(ErrorCode::io, "the host has more to tell than a link takes"));
  }
  return send_line(std::move(message));
}

Awaitable<bool> PipedPage::send_binary(std::string message) {
  return send_line(frame_line(message));
}

void PipedPage::close(std::string /*why*/) {
  end();
}

namespace {

Awaitable<void> serve_to_its_end(PipedPage& page, PageSite& site) {
  co_await page.serve(site);
  const auto by = Clock::now() + kActsEndWithin;
  while (!site.is_idle() && Clock::now() < by) {
    co_await sleep_for(kLookForEnd);
  }
}

}  // namespace

std::string name_of(const Visitor& visitor) {
  return (visitor.role == Role::exec ? "exec-" : "view-") + visitor.session;
}

Visitor visitor_named(const std::string& name) {
  Visitor visitor;
  visitor.session = name.substr(std::min<std::size_t>(name.size(), 5));
  visitor.role = name.starts_with("exec-") ? Role::exec : Role::view;
  if (visitor.session.empty() || name_of(visitor) != name) {
    throw Error(ErrorCode::invalid_argument, "--page is for other terminally-mcp programs only");
  }
  return visitor;
}

int serve_piped_page(const Config& config, const std::string& nonce, const std::string& visitor) {
  const Visitor who = visitor_named(visitor);
  asio::io_context io(1);
  StdioPair pair = take_stdio();
  PageSite site(io.get_executor(), config, config.instance);
  PipedPage page(io.get_executor(), std::move(pair), who);
  page.say_hello(nonce);
  return run_until_signal(io, serve_to_its_end(page, site));
}

}  // namespace terminally
