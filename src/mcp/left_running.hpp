#pragma once

#include <deque>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "record/record.hpp"

namespace terminally {

/// The commands that one client was told to run on, until it hears of their end: from a call in their tab, or
/// by a note in the result of a call elsewhere. Single-threaded.
class LeftRunning {
 public:
  /// The oldest are forgotten. More than any agent keeps in mind.
  static constexpr std::size_t kMost = 50;

  /// What is on record of a command; none: nothing is.
  using Look = std::function<std::optional<CommandRecord>(WindowId tab, const std::string& command_id)>;

  /// To be asked with the answer of each call: which ends in other tabs are news, each once. What the answer
  /// itself says of a command is none, and is remembered where the command runs on.
  [[nodiscard]] std::vector<std::string> news_beside(const nlohmann::json& arguments,
                                                     const nlohmann::ordered_json& answer, const Look& look);

 private:
  struct Command {
    WindowId tab;
    std::string id;
  };

  std::deque<Command> commands_;
};

}  // namespace terminally
