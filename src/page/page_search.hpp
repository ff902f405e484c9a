#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "log/pane_log.hpp"
#include "page/page_request.hpp"
#include "page/tab_board.hpp"
#include "secrets/secrets.hpp"
#include "text/pattern.hpp"
#include "text/pattern_scan.hpp"

namespace terminally {

/// One search of a page through whole logs, in slices between which others are served. Its hits are told as
/// they are found, each with its command.
class PageSearch {
 public:
  static constexpr std::size_t kMostHits = 5'000;
  static constexpr std::size_t kShownBytes = 400;

  /// Takes the next `hits`. False: nobody wants more.
  using Tell = std::function<Awaitable<bool>(nlohmann::json)>;

  /// `request` is a `search`; its tabs are those of the board. `hidden`: masked in the lines; null: nothing
  /// is. Throws Error(invalid_argument, not_found).
  PageSearch(const PageRequest& request, const TabBoard& board, std::shared_ptr<const Secrets> hidden);

  /// To the end of the logs as they are now, or to the limit.
  [[nodiscard]] static Awaitable<void> run(std::shared_ptr<PageSearch> self, Tell tell);

 private:
  struct Place {
    WindowId tab;
    PaneLog log;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    // NOLINTNEXTLINE(readability-redundant-member-init): g++ wants it named
    std::vector<CommandRecord> commands = {};
  };
  [[nodiscard]] Awaitable<bool> search(Place& place, const Tell& tell);
  /// `command`: whose output has it; null: none.
  [[nodiscard]] nlohmann::json hit(WindowId tab, const LineMatch& found, const CommandRecord* command) const;
  [[nodiscard]] nlohmann::json news(bool done);

  nlohmann::json id_;
  Pattern pattern_;
  std::size_t limit_;
  std::shared_ptr<const Secrets> hidden_;
  std::vector<Place> places_;
  nlohmann::json found_ = nlohmann::json::array();  ///< not told yet
  std::size_t hits_ = 0;
  std::uint64_t searched_ = 0;
  std::uint64_t total_ = 0;
  Clock::time_point told_;
};

/// How many UTF-16 units a text has, as scripts in a browser count.
[[nodiscard]] std::size_t utf16_units(std::string_view text);

}  // namespace terminally
