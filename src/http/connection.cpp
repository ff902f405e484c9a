// Reads requests, has them admitted, and writes the answers.
#include "http/connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "http/answers.hpp"
#include "http/gate.hpp"
#include "http/hang_up.hpp"
#include "http/page_socket.hpp"
#include "http/stream.hpp"
#include "json/json_reader.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable);
using Parser = http::request_parser<http::string_body>;

std::string_view view_of(beast::string_view text) {
  return {text.data(), text.size()};
}

std::vector<std::string_view> all_of(const http::fields& fields, http::field name) {
  std::vector<std::string_view> values;
  const auto [begin, end] = fields.equal_range(name);
  for (auto field = begin; field != end; ++field) {
    values.push_back(view_of(field->value()));
  }
  return values;
}

/// Empty where a header is missing, and where it is there twice.
std::string_view single(const http::fields& fields, std::string_view name) {
  const beast::string_view field(name.data(), name.size());
  return fields.count(field) == 1 ? view_of(fields[field]) : std::string_view();
}

RequestHead head_to_judge(const http::request<http::string_body>& request) {
  RequestHead head;
  head.method = view_of(request.method_string());
  head.target = view_of(request.target());
  head.hosts = all_of(request, http::field::host);
  head.origins = all_of(request, http::field::origin);
  head.fetch_site = single(request, "Sec-Fetch-Site");
  head.cookies = single(request, "Cookie");
  head.authorization = single(request, "Authorization");
  head.upgrades = beast::websocket::is_upgrade(request);
  return head;
}

/// Where the body ends must be certain, or its end would be taken for the next request (RFC 9112, 6.3).
std::optional<Response> refuse_length(const Parser& parser) {
  const auto codings = all_of(parser.get(), http::field::transfer_encoding);
  if (!codings.empty() && parser.get().version() < 11) {
    return error_response(400, "invalid_argument", "HTTP/1.0 has no Transfer-Encoding");
  }
  if (!codings.empty() && (codings.size() > 1 || !beast::iequals(codings.front(), "chunked"))) {
    return error_response(501, "invalid_argument", "Of all Transfer-Encodings, only chunked is known here");
  }
  if (parser.chunked() && parser.get().count(http::field::content_length) > 0) {
    return error_response(400, "invalid_argument", "The body has two lengths");
  }
  return std::nullopt;
}

Response too_long_body() {
  return error_response(413, "too_large", "The body is longer than 1 MiB, or 16 MiB at /mcp");
}

/// What is said of a request that cannot be read; nothing where nobody is there to read it.
std::optional<Response> complaint_about(const boost::system::error_code& error) {
  if (error == http::error::header_limit) {
    return error_response(431, "too_large", "The header is longer than 16 KiB");
  }
  if (error == http::error::body_limit) {
    return too_long_body();
  }
  const bool unreadable = error.category() == http::make_error_code(http::error::bad_method).category() &&
                          error != http::error::end_of_stream && error != http::error::partial_message;
  return unreadable ? std::optional(error_response(400, "invalid_argument", "This is no HTTP request"))
                    : std::nullopt;
}

/// Parses what has come already: that needs no turn of the event loop. `whole`: the body, too.
boost::system::error_code parse_buffered(beast::flat_buffer& buffer, Parser& parser, bool whole) {
  boost::system::error_code error;
  parser.eager(whole);
  if (buffer.size() > 0 && !parser.is_done()) {
    buffer.consume(parser.put(buffer.data(), error));
  }
  return error == http::error::need_more ? boost::system::error_code() : error;
}

/// How much of it the kernel has taken, which needs no turn of the event loop either. What went wrong is
/// found by the write that waits.
std::size_t send_now(Stream& stream, std::string_view bytes) {
  const ssize_t sent =
      ::send(stream.socket().native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
}

Response no_room() {
  Response response = error_response(503, "busy", "Too much is under way: wait for answers");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

std::string code_in(const std::string& body) {
  nlohmann::json value;
  std::string detail;
  const bool read = read_json(body, value, detail) == JsonFault::none && value.is_object();
  return read ? text_field(value, "code").value_or("") : "";
}

Response enter(House& house, const Admitted& admitted, const std::string& body) {
  const auto entered = house.sessions.enter(code_in(body), admitted.port, Clock::now());
  if (!entered) {
    return error_response(403, "code_used",
                          "This link was used already. terminally-mcp open prints a new one.");
  }
  Response response;
  response.headers.emplace_back("Set-Cookie", cookie_name(admitted.port) + "=" + entered->cookie +
                                                  "; HttpOnly; SameSite=Strict; Path=/");
  response.body = entered->visitor.role == Role::exec ? "{\"role\":\"exec\"}\n" : "{\"role\":\"view\"}\n";
  return response;
}

/// What answers: a site's or a service's own answer, or its error as one.
template <class Answer>
Awaitable<Answer> answer_of(Awaitable<Answer> work) {
  std::optional<Response> failed;
  try {
    co_return co_await std::move(work);
  } catch (const Error& error) {
    failed = error_response(error);
  } catch (const std::exception& error) {
    failed = error_response(500, "internal", error.what());
  }
  Answer answer;
  if constexpr (std::is_same_v<Answer, ServiceAnswer>) {
    answer.response = std::move(*failed);
  } else {
    answer = std::move(*failed);
  }
  co_return answer;
}

/// Without its body, behind which more headers may come: those count for nothing.
ServiceRequest request_of_program(const http::request<http::string_body>& sent, Admitted admitted) {
  ServiceRequest request;
  request.method = view_of(sent.method_string());
  request.path = std::move(admitted.target.path);
  request.bearer = std::move(admitted.bearer);
  for (const auto& field : sent) {
    std::string name(view_of(field.name_string()));
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto [value, is_first] = request.headers.try_emplace(std::move(name));
    value->second.append(is_first ? "" : ", ").append(view_of(field.value()));
  }
  return request;
}

std::string chunk_of(const std::string& piece) {
  std::array<char, 20> size{};
  const int digits = std::snprintf(size.data(), size.size(), "%zx\r\n", piece.size());
  return std::string(size.data(), static_cast<std::size_t>(digits)) + piece + "\r\n";
}

}  // namespace

struct Connection::State {
  State(Stream over, House& of) : stream(std::move(over)), house(of) {}

  /// False: the connection is not to be used any more.
  Awaitable<bool> serve_one();
  Awaitable<bool> answer(Parser& parser, Admitted admitted);
  Awaitable<bool> answer_program(Parser& parser, ServiceRequest request);
  Awaitable<std::optional<std::string>> next_of(const BodySource& source);
  Awaitable<bool> write(Response response, const Parser* parser);
  Awaitable<bool> write_source(const BodySource& source, bool chunked, std::optional<std::uint64_t> length);
  Awaitable<bool> write_bytes(std::string_view bytes, Milliseconds within);
  Awaitable<bool> read_body(Parser& parser);
  Awaitable<void> take_leave();

  Stream stream;
  House& house;
  beast::flat_buffer buffer{std::size_t{64} << 10U};
  std::unique_ptr<PageSocket> socket;
  bool known = false;
  bool busy = false;
  bool watches = false;  ///< for the peer's hang-up, while a source waits
};

Awaitable<bool> Connection::State::write_bytes(std::string_view bytes, Milliseconds within) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPiece);
    stream.expires_after(within);
    const auto [error, size] = co_await asio::async_write(stream, asio::buffer(piece), kQuietly);
    if (error) {
      co_return false;
    }
    bytes.remove_prefix(piece.size());
  }
  co_return true;
}

Awaitable<bool> Connection::State::write_source(const BodySource& source, bool chunked,
                                                std::optional<std::uint64_t> length) {
  std::uint64_t written = 0;
  while (!length || written < *length) {
    stream.expires_never();
    const std::optional<std::string> piece = co_await next_of(source);
    if (!piece) {
      co_return false;
    }
    written += piece->size();
    if (piece->empty()) {
      break;
    }
    const std::string bytes = chunked ? chunk_of(*piece) : *piece;
    const bool taken = co_await write_bytes(bytes, kPausedFor);
    if (!taken) {
      co_return false;
    }
  }
  if (chunked) {
    co_return co_await write_bytes("0\r\n\r\n", kPieceWithin);
  }
  co_return length&& written == *length;  // else only the end of the connection tells the end of the body
}

/// Nothing: the peer has hung up, where that is watched.
Awaitable<std::optional<std::string>> Connection::State::next_of(const BodySource& source) {
  if (watches) {
    co_return co_await unless_hung_up(stream, source());
  }
  std::string piece = co_await source();
  co_return std::optional<std::string>(std::move(piece));
}

/// `parser`: of the request; null where that could not be read.
Awaitable<bool> Connection::State::write(Response response, const Parser* parser) {
  const bool http11 = parser != nullptr && parser->get().version() >= 11;
  const bool chunked = response.source && !response.length && http11;
  const bool keeps_alive = parser != nullptr && parser->is_done() && parser->keep_alive() && !house.ends &&
                           (!response.source || response.length || chunked);
  std::string out = head_of(response, keeps_alive, chunked);
  const bool head_only = parser != nullptr && parser->get().method() == http::verb::head;
  if (!head_only && !response.source) {
    out += response.body;
  }
  const std::size_t sent = send_now(stream, out);
  const bool written = co_await write_bytes(std::string_view(out).substr(sent), kPieceWithin);
  if (!written || head_only || !response.source) {
    co_return written&& keeps_alive;
  }
  const bool whole = co_await write_source(response.source, chunked, response.length);
  co_return whole&& keeps_alive;
}

Awaitable<bool> Connection::State::read_body(Parser& parser) {
  stream.expires_after(house.body_within);
  if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
    const bool told = co_await write_bytes("HTTP/1.1 100 Continue\r\n\r\n", house.body_within);
    if (!told) {
      co_return false;
    }
  }
  boost::system::error_code error = parse_buffered(buffer, parser, true);
  if (!error && !parser.is_done()) {
    const auto [failed, size] = co_await http::async_read(stream, buffer, parser, kQuietly);
    error = failed;
  }
  if (!error) {
    co_return true;
  }
  if (auto complaint = complaint_about(error)) {
    co_await write(std::move(*complaint), nullptr);
  }
  co_return false;
}

Awaitable<bool> Connection::State::answer_program(Parser& parser, ServiceRequest request) {
  const auto length = static_cast<std::size_t>(parser.content_length().value_or(kMostProgramBody));
  const bool has_body = parser.chunked() || parser.content_length().value_or(0) > 0;
  request.body_share = has_body ? house.service->room_for(request.bearer, length) : nullptr;
  if (has_body && !request.body_share) {
    co_return co_await write(no_room(), &parser);
  }
  const bool read = co_await read_body(parser);
  if (!read) {
    co_return false;
  }
  request.body = std::move(parser.get().body());
  stream.expires_never();
  ServiceAnswer answer = co_await answer_of(house.service->answer(std::move(request)));
  watches = true;
  if (answer.later) {
    std::optional<Response> there = co_await unless_hung_up(stream, answer_of(answer.later()));
    answer.later = nullptr;
    if (!there) {
      co_return false;
    }
    answer.response = std::move(*there);
  }
  const bool goes_on = co_await write(std::move(answer.response), &parser);
  watches = false;
  co_return goes_on;
}

Awaitable<bool> Connection::State::answer(Parser& parser, Admitted admitted) {
  if (admitted.door == Door::live) {
    stream.expires_never();
    socket = std::make_unique<PageSocket>(std::move(stream), std::move(admitted.visitor));
    co_await socket->serve(parser.release(), std::move(admitted.target.query), house.site);
    co_return false;
  }
  if (admitted.door == Door::service) {
    ServiceRequest request = request_of_program(parser.get(), std::move(admitted));
    co_return co_await answer_program(parser, std::move(request));
  }
  const bool read = co_await read_body(parser);
  if (!read) {
    co_return false;
  }
  if (admitted.door == Door::file) {
    Response file = file_response(house.files, admitted.target.path);
    co_return co_await write(std::move(file), &parser);
  }
  if (admitted.door == Door::enter) {
    Response entered = enter(house, admitted, parser.get().body());
    co_return co_await write(std::move(entered), &parser);
  }
  Request request;
  request.method = parser.get().method() == http::verb::post ? "POST" : "GET";
  request.path = std::move(admitted.target.path);
  request.query = std::move(admitted.target.query);
  request.body = std::move(parser.get().body());
  request.visitor = std::move(admitted.visitor);
  stream.expires_never();
  Response response = co_await answer_of(house.site.answer(std::move(request)));
  co_return co_await write(std::move(response), &parser);
}

Awaitable<bool> Connection::State::serve_one() {
  if (buffer.size() == 0) {
    constexpr std::size_t kFirstRead = 8'192;
    stream.expires_after(kIdle);
    busy = false;
    const auto [error, size] = co_await stream.async_read_some(buffer.prepare(kFirstRead), kQuietly);
    if (error) {
      co_return false;
    }
    buffer.commit(size);
  }
  busy = true;
  Parser parser;
  parser.header_limit(kMostHeader);
  parser.body_limit(kMostProgramBody);
  boost::system::error_code error = parse_buffered(buffer, parser, false);
  if (!error && !parser.is_header_done()) {
    stream.expires_after(kHeaderWithin);
    const auto [failed, size] = co_await http::async_read_header(stream, buffer, parser, kQuietly);
    error = failed;
  }
  if (error) {
    if (auto complaint = complaint_about(error)) {
      co_await write(std::move(*complaint), nullptr);
    }
    co_return false;
  }
  if (auto refused = refuse_length(parser)) {
    co_return co_await write(std::move(*refused), nullptr);
  }
  auto judged = admit(head_to_judge(parser.get()), house);
  if (auto* refusal = std::get_if<Response>(&judged)) {
    co_return co_await write(std::move(*refusal), &parser);
  }
  auto& admitted = std::get<Admitted>(judged);
  known =
      known || admitted.door == Door::api || admitted.door == Door::live || admitted.door == Door::service;
  if (admitted.door != Door::service) {
    parser.body_limit(
        kMostBody);  // of a body in chunks; a length was judged with the header, by the other limit
    if (parser.content_length().value_or(0) > kMostBody) {
      co_return co_await write(too_long_body(), nullptr);
    }
  }
  co_return co_await answer(parser, std::move(admitted));
}

/// A connection that is closed with bytes unread is reset, and the answer may be lost with it (RFC
/// 9112, 9.6).
Awaitable<void> Connection::State::take_leave() {
  busy = false;
  boost::system::error_code gone;
  stream.socket().shutdown(asio::socket_base::shutdown_send, gone);
  stream.expires_after(kLeaveWithin);
  const auto last = Clock::now() + kLeaveWithin;  // the timer is not seen while each read is done at once
  std::array<char, 8'192> rest{};
  while (!gone && Clock::now() < last) {
    const auto [error, size] = co_await stream.async_read_some(asio::buffer(rest), kQuietly);
    gone = error;
  }
}

Connection::Connection(const asio::any_io_executor& executor, UniqueFd socket, int family, House& house) {
  asio::generic::stream_protocol::socket opened(executor, asio::generic::stream_protocol(family, 0),
                                                socket.get());
  static_cast<void>(socket.release());
  state_ = std::make_unique<State>(Stream(std::move(opened)), house);
}

Connection::~Connection() = default;

Awaitable<void> Connection::serve() {
  try {
    bool goes_on = true;
    while (goes_on && !state_->house.ends) {
      goes_on = co_await state_->serve_one();
    }
    if (!state_->socket && !state_->house.ends) {
      co_await state_->take_leave();
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the connection is over, whatever it was
  }
  cut();
}

bool Connection::is_known() const {
  return state_->known;
}

void Connection::finish() {
  if (state_->socket) {
    state_->socket->finish();
  } else if (!state_->busy) {
    cut();
  }
}

void Connection::cut() {
  if (state_->socket) {
    state_->socket->cut();
  } else {
    state_->stream.close();
  }
}

}  // namespace terminally
