#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "toolkit/tool.hpp"

namespace terminally {

/// The first field of a far tool's result that has another type than the tool's schema says; empty where
/// there is none. Fields that the schema does not name, and fields that are not there, are left alone: the
/// far program may be another version. Pure.
[[nodiscard]] std::string misfit(const Tool& tool, const nlohmann::ordered_json& result);

}  // namespace terminally
