#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "calls/ended_call.hpp"

namespace terminally {

class TextGuard;

/// What the texts of one call may take in the audit log, names included.
inline constexpr std::size_t kMostAuditedBytes = 2'048;

/// The arguments of a tool, or the params of another method, as the audit log has them: masked (`guard` may
/// be null) and shortened. Of what is typed, of a file's content and of variables there is only the length:
/// a password has no form by which it is known.
[[nodiscard]] nlohmann::ordered_json audited_arguments(const EndedCall& call, TextGuard* guard);

/// The line of one call, with its newline.
[[nodiscard]] std::string audit_line(std::int64_t epoch_ms, const std::string& instance,
                                     const EndedCall& call, TextGuard* guard);

}  // namespace terminally
