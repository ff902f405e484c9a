#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace terminally {

/// What was asked of a host and is not answered yet. The host knows it by a number of ours: so it answers
/// nothing that was not asked, and nothing twice. Pure.
class FarQuestions {
 public:
  static constexpr std::size_t kMost = 256;

  struct Asked {
    nlohmann::json re = nullptr;           ///< the page's; null: it does not wait for the answer
    std::optional<std::uint16_t> channel;  ///< that is to be watched, by its number there
    std::optional<std::uint64_t> search;   ///< of SplitSearches
  };

  /// Throws Error(busy) where too much is asked already.
  [[nodiscard]] std::uint64_t add(Asked asked) {
    if (asked_.size() >= kMost) {
      throw Error(ErrorCode::busy, std::to_string(kMost) + " requests already wait for this host");
    }
    asked_.emplace(++last_, std::move(asked));
    return last_;
  }

  /// What `re` is the answer to; nothing: to nothing.
  [[nodiscard]] std::optional<Asked> take(const nlohmann::json& re) {
    const auto found = re.is_number_unsigned() ? asked_.find(re.get<std::uint64_t>()) : asked_.end();
    if (found == asked_.end()) {
      return std::nullopt;
    }
    Asked asked = std::move(found->second);
    asked_.erase(found);
    return asked;
  }

  /// The link is lost: all that nobody will answer.
  [[nodiscard]] std::vector<Asked> take_all() {
    std::vector<Asked> all;
    for (auto& [number, asked] : std::exchange(asked_, {})) {
      all.push_back(std::move(asked));
    }
    return all;
  }

 private:
  std::map<std::uint64_t, Asked> asked_;
  std::uint64_t last_ = 0;
};

}  // namespace terminally
