#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace terminally {

/// Searches of a page whose tabs are in several places: each place searches its own, and the page is told one
/// search. A place is a host's name; "" is this machine. Pure.
class SplitSearches {
 public:
  static constexpr std::size_t kMost = 64;

  /// `request`: the page's `search`. Returns the number by which hosts know it. Throws Error(busy).
  [[nodiscard]] std::uint64_t begin(const nlohmann::json& request, const std::vector<std::string>& places);

  /// `hits` of this machine, by the page's own id; one that is not split passes as it is.
  [[nodiscard]] nlohmann::json take_here(nlohmann::json hits);
  /// `hits` of a host; nothing where that does not search, or has told its end.
  [[nodiscard]] std::optional<nlohmann::json> take(std::uint64_t number, const std::string& place,
                                                   const nlohmann::json& hits);
  /// A host does not go on with this one, or with any.
  [[nodiscard]] std::optional<nlohmann::json> fail(std::uint64_t number, const std::string& place,
                                                   const std::string& why);
  [[nodiscard]] std::vector<nlohmann::json> fail_all(const std::string& place, const std::string& why);

  /// The page wants no more of it, or this machine has refused it. The number, where it was split.
  std::optional<std::uint64_t> forget(const nlohmann::json& id);
  void refuse(const nlohmann::json& re);

 private:
  struct Part {
    std::uint64_t searched = 0;
    std::uint64_t total = 0;
    bool done = false;
  };
  struct Search {
    nlohmann::json id;
    nlohmann::json re;
    std::uint64_t left = 0;  ///< hits that the page still takes
    std::map<std::string, Part> parts;
    nlohmann::json error = nullptr;
  };
  using Searches = std::map<std::uint64_t, Search>;

  [[nodiscard]] Searches::iterator find(const nlohmann::json& id);
  [[nodiscard]] nlohmann::json told(Searches::iterator search, nlohmann::json hits);

  Searches searches_;
  std::uint64_t last_ = 0;
};

}  // namespace terminally
