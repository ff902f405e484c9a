#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/awaitable.hpp"
#include "far_page/far_lines.hpp"
#include "http/site.hpp"
#include "secrets/secrets.hpp"

namespace terminally {

/// Where a tab of a host is asked for, "/api/log/build1:@3".
struct FarPlaceAsked {
  std::string what;  ///< "log"
  std::string host;
  std::string tab;  ///< as the host names it
};

/// Nothing for a path that names no host. Pure.
[[nodiscard]] std::optional<FarPlaceAsked> far_place_in(const std::string& path);

/// What a host answered, as a page gets it: checked, with ids as they are called here, and what is hidden
/// (null: nothing is) masked once more. Throws Error for what is no such answer. Pure.
[[nodiscard]] Response response_of_host(const FarPlaceAsked& place, PipedAnswer answer,
                                        const std::shared_ptr<const Secrets>& hidden);

/// Asks the host for a path below /api/ of a tab.
using AskHost = std::function<Awaitable<PipedAnswer>(PipedRequest)>;

/// A log as a file, in parts of which one is asked for at a time. Throws Error where the first does not come.
[[nodiscard]] Awaitable<Response> download_from_host(FarPlaceAsked place,
                                                     std::map<std::string, std::string> query, AskHost ask,
                                                     std::shared_ptr<const Secrets> hidden);

}  // namespace terminally
