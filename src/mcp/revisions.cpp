// Decides by which protocol revision a request is answered.
#include "mcp/revisions.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "json/json_rpc.hpp"

namespace terminally {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::array kNames = {
    std::pair(Revision::v2026_07_28, std::string_view("2026-07-28")),
    std::pair(Revision::v2025_11_25, std::string_view("2025-11-25")),
    std::pair(Revision::v2025_06_18, std::string_view("2025-06-18")),
    std::pair(Revision::v2025_03_26, std::string_view("2025-03-26")),
    std::pair(Revision::v2024_11_05, std::string_view("2024-11-05")),
};

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

std::optional<Revision> parse_revision(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name, &decltype(kNames)::value_type::second);
  return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

ProtocolError unsupported(const std::string& requested) {
  ordered_json data = {{"supported", supported_versions()}, {"requested", requested}};
  return {kUnsupportedProtocolVersion, "Unsupported protocol version: \"" + requested + "\"", data.dump()};
}

}  // namespace

std::string_view to_string(Revision revision) {
  return std::ranges::find(kNames, revision, &decltype(kNames)::value_type::first)->second;
}

const ordered_json& supported_versions() {
  static const ordered_json versions = [] {
    ordered_json names = ordered_json::array();
    for (const auto& [revision, name] : kNames) {
      names.push_back(name);
    }
    return names;
  }();
  return versions;
}

Revision negotiate(std::string_view requested) {
  const auto known = parse_revision(requested);
  return known && !is_modern(*known) ? *known : kNewestLegacy;
}

bool claims_revision(const json& params) {
  const auto meta = params.find("_meta");
  return meta != params.end() && meta->is_object() && meta->contains(kVersionKey);
}

Revision revision_of(std::string_view method, const json& params, Revision negotiated) {
  if (!claims_revision(params)) {
    if (method == "server/discover") {
      throw ProtocolError(kInvalidParams, std::string("Invalid params: _meta must have \"") + kVersionKey +
                                              "\" and \"" + kCapabilitiesKey + "\"");
    }
    return negotiated;
  }
  const auto meta = params.find("_meta");
  const json& version = meta->at(kVersionKey);
  if (!version.is_string()) {
    throw ProtocolError(kInvalidParams,
                        std::string("Invalid params: _meta \"") + kVersionKey + "\" must be a string");
  }
  const auto capabilities = meta->find(kCapabilitiesKey);
  if (capabilities == meta->end() || !capabilities->is_object()) {
    throw ProtocolError(kInvalidParams, std::string("Invalid params: _meta must have the object \"") +
                                            kCapabilitiesKey + "\"");
  }
  const auto known = parse_revision(version.get_ref<const std::string&>());
  if (!known || !is_modern(*known)) {
    throw unsupported(version.get<std::string>());
  }
  return *known;
}

}  // namespace terminally
