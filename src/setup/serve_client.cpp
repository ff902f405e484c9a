// Speaks HTTP with `serve` on this machine, blocking, one connection for each request.
#include "setup/serve_client.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/descriptors.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "base/utf8.hpp"
#include "setup/http_entry.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;

constexpr Milliseconds kServeAnswersWithin{20'000};

struct ServeRequest {
  std::string method;
  const std::string& url;
  const std::string& token;
  const std::string& session;
  std::string body;
};

struct ServeReply {
  unsigned status = 0;
  std::string session;
  std::string body;
};

/// None: nothing listens there.
UniqueFd connect_to_serve(const ListenPlace& place) {
  const asio::ip::tcp::endpoint to(asio::ip::make_address(place.address), place.port);
  UniqueFd connection(::socket(to.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  timeval within{};
  within.tv_sec = kServeAnswersWithin.count() / 1'000;
  if (!connection || ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &within, sizeof within) != 0 ||
      ::setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &within, sizeof within) != 0) {
    throw io_error("cannot make a socket", errno);
  }
  if (::connect(connection.get(), to.data(), static_cast<socklen_t>(to.size())) != 0) {
    connection.reset();
  }
  return connection;
}

std::string text_of(const ServeRequest& request, const ServeUrl& url) {
  std::string text = request.method + " " + url.path + " HTTP/1.1\r\nHost: " + url.authority +
                     "\r\nAuthorization: Bearer " + request.token +
                     "\r\nConnection: close\r\nAccept: application/json\r\n";
  text += request.session.empty() ? "" : "Mcp-Session-Id: " + request.session + "\r\n";
  text += request.body.empty() ? "" : "Content-Type: application/json\r\n";
  return text + "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n" + request.body;
}

constexpr std::size_t kMostAnswer = std::size_t{16} << 20U;

/// Whether more has come, or the other side has closed, by then.
bool can_read_by(const UniqueFd& connection, Clock::time_point when) {
  for (;;) {
    const auto left = std::chrono::duration_cast<Milliseconds>(when - Clock::now()).count();
    pollfd input{connection.get(), POLLIN, 0};
    const int ready = left > 0 ? ::poll(&input, 1, static_cast<int>(left)) : 0;
    if (ready >= 0 || errno != EINTR) {
      return ready > 0;
    }
  }
}

/// All that comes until the other side closes.
std::string exchange(const UniqueFd& connection, const std::string& text, const std::string& url) {
  const auto until = Clock::now() + kServeAnswersWithin;
  const ssize_t sent = ::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL);
  std::string answer;
  std::array<char, 65'536> piece{};
  while (sent == static_cast<ssize_t>(text.size()) && can_read_by(connection, until)) {
    const ssize_t size = ::recv(connection.get(), piece.data(), piece.size(), 0);
    if (size == 0) {
      return answer;
    }
    if (size < 0 || answer.size() > kMostAnswer) {
      break;
    }
    answer.append(piece.data(), static_cast<std::size_t>(size));
  }
  throw Error(ErrorCode::io, url + " gave no answer that ends, of at most " +
                                 std::to_string(kMostAnswer >> 20U) + " MiB, within " +
                                 std::to_string(kServeAnswersWithin.count()) + " ms");
}

ServeReply parse_reply(const std::string& text) {
  beast_http::response_parser<beast_http::string_body> parser;
  parser.body_limit(kMostAnswer);
  parser.eager(true);
  boost::system::error_code error;
  parser.put(asio::buffer(text), error);
  ServeReply reply;
  if (error || !parser.is_header_done()) {
    return reply;  // no HTTP
  }
  reply.status = parser.get().result_int();
  reply.session = std::string(parser.get()["Mcp-Session-Id"]);
  reply.body = parser.get().body();
  return reply;
}

/// nullopt: nothing listens there.
std::optional<ServeReply> send_to_serve(const ServeRequest& request) {
  const std::optional<ServeUrl> url = parse_serve_url(request.url);
  if (!url) {
    throw Error(ErrorCode::invalid_argument,
                "\"" + request.url + "\" is no address of `terminally-mcp serve`");
  }
  const UniqueFd connection = connect_to_serve(url->place);
  return connection ? std::optional(parse_reply(exchange(connection, text_of(request, *url), request.url)))
                    : std::nullopt;
}

}  // namespace

/// DELETE without a session is refused to whoever is let in, and does nothing.
Reached reach_serve(const std::string& url, const std::string& token) {
  const auto reply = send_to_serve({"DELETE", url, token, "", ""});
  if (!reply) {
    return Reached::nobody;
  }
  return reply->status == 400 ? Reached::let_in : reply->status == 401 ? Reached::refused : Reached::other;
}

ServeClient::ServeClient(std::string url, std::string token)
    : url_(std::move(url)), token_(std::move(token)) {}

ServeClient::~ServeClient() {
  try {
    if (!session_.empty()) {
      static_cast<void>(send_to_serve({"DELETE", url_, token_, session_, ""}));
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): `serve` ends it by itself, too
  }
}

nlohmann::ordered_json ServeClient::request(const std::string& method, const nlohmann::ordered_json& params) {
  const nlohmann::ordered_json answer = nlohmann::ordered_json::parse(
      post({{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", params}}), nullptr, false);
  if (!answer.is_object() || !answer.contains("result")) {
    const std::string said = answer.is_object() ? answer.dump() : std::string("no JSON");
    throw Error(ErrorCode::internal, method + " was answered with " + shown_of(said));
  }
  return answer["result"];
}

void ServeClient::notify(const std::string& method) {
  static_cast<void>(post({{"jsonrpc", "2.0"}, {"method", method}}));
}

/// A stranger's words, which may repeat the token.
std::string ServeClient::shown_of(std::string said) const {
  constexpr std::size_t kMost = 1'000;
  for (std::size_t at = said.find(token_); !token_.empty() && at != std::string::npos;
       at = said.find(token_)) {
    said.replace(at, token_.size(), "…");
  }
  return shortened(said, kMost);
}

std::string ServeClient::post(const nlohmann::ordered_json& message) {
  const auto reply = send_to_serve({"POST", url_, token_, session_, message.dump()});
  if (!reply) {
    throw Error(ErrorCode::not_found,
                "nobody serves at " + url_ +
                    ": start `terminally-mcp serve --view rendered --answers text`, or "
                    "`terminally-mcp open`, and keep it running; doc/http.md says how it always runs");
  }
  if (reply->status == 401) {
    throw Error(ErrorCode::invalid_argument,
                "what serves at " + url_ +
                    " does not know this token: it was started with another --state-dir; start "
                    "`terminally-mcp serve` as this command was");
  }
  if (reply->status != 200 && reply->status != 202) {
    throw Error(ErrorCode::io, url_ + " answered with status " + std::to_string(reply->status) +
                                   ": it is no `terminally-mcp serve`, or a wrong instance; " +
                                   shown_of(reply->body));
  }
  session_ = reply->session.empty() ? session_ : reply->session;
  return reply->body;
}

}  // namespace terminally
