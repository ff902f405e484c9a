// Waits for output of a host's tab by one long call there, over and over.
#include "toolkit/far_output.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/timeout.hpp"

namespace terminally {
namespace {

using boost::asio::awaitable;

/// The bytes that the tab has printed so far; nullopt where the host cannot be asked now.
awaitable<std::optional<std::uint64_t>> printed_there(FarHosts& hosts, std::string host, WindowId window) {
  constexpr Milliseconds kWithin{500};
  const std::string id = host + ":" + to_string(window);
  const FarTabs tabs = co_await hosts.tabs(Clock::now() + kWithin);
  for (const auto& row : tabs.rows) {
    const auto bytes = row.find("log_bytes");
    if (row["window_id"] == id && bytes != row.end() && bytes->is_number_unsigned()) {
      co_return bytes->get<std::uint64_t>();
    }
  }
  co_return std::nullopt;
}

/// Whether the tab prints more than `so_far` within 50 s; returns as soon as it does. Throws on a lost link.
awaitable<bool> prints_more(FarHosts& hosts, std::string host, WindowId window, std::uint64_t so_far) {
  constexpr int kWaitMs = 50'000;
  nlohmann::json arguments;
  arguments["window_id"] = to_string(window);
  arguments["from_byte"] = so_far;
  arguments["max_bytes"] = 1;
  arguments["encoding"] = "base64";
  arguments["wait_ms"] = kWaitMs;
  FarCall call;
  call.host = std::move(host);
  call.tool = "stream_logs_from_tab";
  call.arguments = std::make_shared<const nlohmann::json>(std::move(arguments));
  const nlohmann::ordered_json chunk = co_await hosts.call(std::move(call));
  co_return chunk.value("chunk", nlohmann::ordered_json("")) != "";
}

}  // namespace

awaitable<std::optional<std::uint64_t>> next_output_there(std::shared_ptr<FarHosts> hosts, std::string host,
                                                          WindowId window,
                                                          std::optional<std::uint64_t> so_far) {
  constexpr Milliseconds kBetween{2'000};
  for (;;) {
    if (!so_far) {
      so_far = co_await printed_there(*hosts, host, window);
    }
    bool more = false;
    try {
      more = so_far && co_await prints_more(*hosts, host, window, *so_far);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): asked again
    }
    if (more) {
      co_return co_await printed_there(*hosts, host, window);
    }
    co_await sleep_for(kBetween);
  }
}

}  // namespace terminally
