#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "toolkit/tool.hpp"

namespace terminally {

/// Translates the dialects of clients and models into a tool's own arguments. `arguments` is an object.
///
/// - null for an argument that is not required counts as left out, as strict providers make models write it.
/// - A string that is exactly the JSON of the number, flag, list or object that is meant becomes that value.
/// - Names that clients put into every call (`_meta`, and n8n's) are left out, unless the tool takes them.
///
/// All else stays for the reader, which refuses what is wrong and shows what was given. Pure.
[[nodiscard]] std::shared_ptr<const nlohmann::json> in_our_dialect(
    const Tool& tool, std::shared_ptr<const nlohmann::json> arguments);

}  // namespace terminally
