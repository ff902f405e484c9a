#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "page/tab_board.hpp"
#include "secrets/text_guard.hpp"

namespace terminally {

/// How many line ends a command's output has; none: it was not counted, as it, or those before it, have too
/// many bytes.
class LineCounts {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20U;
  static constexpr std::uint64_t kMostInAll = std::uint64_t{8} << 20U;

  [[nodiscard]] std::optional<std::uint64_t> of(const PaneLog& log, const CommandRecord& record);

 private:
  std::uint64_t counted_bytes_ = 0;
};

/// What one page was told of the tabs of an instance, and what is newer. doc/page-wire.md, "Messages".
class News {
 public:
  struct Terms {
    std::shared_ptr<const Secrets> hidden;  ///< masked in all texts; null: nothing is
    std::uint32_t keep_days = 0;            ///< how long the log of a closed tab stays
    std::string holder;                     ///< the page, as its holds name it: what is its own is "you"
  };
  explicit News(Terms terms) : terms_(std::move(terms)) {}

  /// `tabs`: all of them.
  [[nodiscard]] nlohmann::json all(const TabBoard& board);
  /// What has changed since: `tab`, `gone` and `rate`; of tabs that are watched `size` and `command`.
  [[nodiscard]] std::vector<nlohmann::json> since(const TabBoard& board);
  /// `size` and `commands` of a tab, whose news are told from now on.
  [[nodiscard]] std::vector<nlohmann::json> watch(const TabBoard& board, WindowId window);
  void unwatch(WindowId window);

 private:
  [[nodiscard]] nlohmann::json tab_json(const SeenTab& tab) const;
  [[nodiscard]] nlohmann::json control_of(const SeenTab& tab) const;
  void add_watched(const SeenTab& tab, std::vector<nlohmann::json>& news) const;
  void masked(nlohmann::json& message) const;

  Terms terms_;
  std::uint64_t told_ = 0;  ///< the board's version
  std::set<WindowId> known_;
  std::map<WindowId, int> watched_;  ///< how often
};

/// `size`.
[[nodiscard]] nlohmann::json size_message(const SeenTab& tab);

/// The last `limit` commands of a tab, oldest first, those before the command `before` where it is not empty;
/// and whether there are more. Fields "commands" and "more".
[[nodiscard]] nlohmann::json commands_of(const SeenTab& tab, std::size_t limit, const std::string& before);

}  // namespace terminally
