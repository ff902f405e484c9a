#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "instance/instance.hpp"

namespace terminally {

/// What the tab of each client is called that its calls without `window_id` run in. Of several clients of an
/// instance each has one of its own, or what one does with `cd` and `export` there would be the next one's:
/// the first has "main", the others names after themselves, and each finds its own again after a restart. A
/// name is a file in `mains/` that says whose it is, and is locked by the server that uses it.
class OwnMains {
 public:
  /// `instance` outlives it.
  explicit OwnMains(const Instance& instance)
      : instance_(instance), directory_(instance.runtime() / kMains) {}

  /// `client`: its name, perhaps with a version; may be empty. "main" where no file can be made there.
  [[nodiscard]] std::string name_for(std::string_view client);
  /// For records: "codex 1.2", and of the second server of a client that is there "codex 1.2 (2)".
  [[nodiscard]] std::string who(const std::string& client);
  /// The name of the tab, where it has been asked for before.
  [[nodiscard]] std::optional<std::string> known(std::string_view client) const;
  /// The client that has a name; empty: none, or one without a name.
  [[nodiscard]] std::string owner_of(std::string_view name) const;
  /// The clients have gone: their next servers may have these names at once.
  void leave() { own_.clear(); }
  /// For whoever puts the instance away.
  void remove_directory() const noexcept;

  static constexpr const char* kMains = "mains";

 private:
  struct Own {
    std::string name;
    int number = 1;  ///< 2: another server of this client has the first name
    FileLock lock;
  };
  struct Tried {
    FileLock lock;
    bool is_own = false;  ///< the client's, whichever server of it has the lock
  };
  [[nodiscard]] const Own& own_of(std::string_view client);
  [[nodiscard]] Tried take(const std::string& name, const std::string& client) const;

  const Instance& instance_;
  std::filesystem::path directory_;
  std::map<std::string, Own> own_;  ///< by client
};

/// The clients that have a name here now, each once, by name and without version.
[[nodiscard]] std::vector<std::string> clients_at(const Instance& instance);

/// "Claude Code 2.1" → "claude-code": what a tab may be called after a client. "agent": of no name.
[[nodiscard]] std::string tab_name_after(std::string_view client);

}  // namespace terminally
