#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "toolkit/tool.hpp"

namespace terminally {

/// The answer, which is masked already, as one text, for a peer of `--answers text` (doc/results.md): the
/// body (what was printed, a file, a table) as it is, the notes as lines, and a last line in brackets with
/// what does not go without saying. The body can hold any line, so that the last line is there whenever the
/// body may look as if it had one of its own. `asked` are the call's arguments.
[[nodiscard]] std::string answer_text(const Tool& tool, const nlohmann::json& asked,
                                      const nlohmann::ordered_json& answer);

}  // namespace terminally
