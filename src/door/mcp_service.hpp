#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/background.hpp"
#include "door/budget.hpp"
#include "door/call_book.hpp"
#include "door/endpoint.hpp"
#include "http/service.hpp"
#include "http/tokens.hpp"

namespace terminally {

/// MCP over HTTP at /mcp and /mcp/INSTANCE, in both eras: which one is decided for each request. At /metrics
/// it says how it is.
///
/// A request is answered by JSON where its reply is the first that there is to say and comes within a second,
/// else by a stream of events. A legacy client that drops its connection cancels nothing, and gets its events
/// when it comes back; a modern one that does cancels its request.
class McpService : public Service {
 public:
  /// Opens an instance; an empty name: the one that lives as long as this process. Called once for each name.
  /// Throws Error(invalid_argument) for a name that no instance can have.
  using Open = std::function<ServedInstance(const std::string& name)>;

  static constexpr std::uint64_t kMostAuditBytes = std::uint64_t{64} << 20U;

  /// `state_root`: where the tokens are, and the audit log, which is begun anew after so many bytes.
  McpService(const std::filesystem::path& state_root, Open open,
             std::uint64_t most_audit_bytes = kMostAuditBytes);
  ~McpService() override;

  [[nodiscard]] std::optional<Bearer> bearer_of(std::string_view token) override;
  [[nodiscard]] std::shared_ptr<const void> room_for(const Bearer& bearer, std::size_t bytes) override;
  [[nodiscard]] Awaitable<ServiceAnswer> answer(ServiceRequest request) override;

  /// Takes no further request, answers what ends by itself until then, and ends all streams.
  [[nodiscard]] Awaitable<void> finish(Clock::time_point by);

 private:
  [[nodiscard]] std::shared_ptr<Endpoint> open_endpoint(const std::string& name);
  [[nodiscard]] Awaitable<Response> metrics();
  /// Again and again: what is kept for nobody goes.
  [[nodiscard]] Awaitable<void> tidy();

  Tokens tokens_;
  Open open_;
  Budget budget_;
  std::shared_ptr<CallBook> book_;
  std::map<std::string, std::shared_ptr<Endpoint>> endpoints_;
  bool ends_ = false;
  std::optional<Background> tidying_;  ///< from the first instance on
};

}  // namespace terminally
