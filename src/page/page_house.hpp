#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config.hpp"
#include "http/site.hpp"
#include "page/instance_feed.hpp"
#include "page/instance_list.hpp"
#include "toolkit/redaction.hpp"

namespace terminally {

/// What all pages share: the instances of this user on this machine, each looked at once however many pages
/// look, and what is hidden from pages that may only look.
class PageHouse {
 public:
  /// `config` is that of the process. `only`: the one instance that is shown; empty: all are. Throws Error
  /// where the values to mask cannot be read.
  PageHouse(boost::asio::any_io_executor executor, Config config, std::string only);

  /// Throws Error(not_found) where this user has no instance of that name.
  [[nodiscard]] InstanceFeed::Look look_at(const std::string& instance);
  [[nodiscard]] bool has(const std::string& instance) const;
  /// Whether an instance of that name would be shown.
  [[nodiscard]] bool shows(const std::string& instance) const { return only_.empty() || instance == only_; }
  /// As they are now, by name.
  [[nodiscard]] std::vector<InstanceRow> instances();
  /// Whether nothing of any page goes on.
  [[nodiscard]] bool is_idle() const;
  /// What is masked for a visitor; null: nothing is.
  [[nodiscard]] std::shared_ptr<const Secrets> hidden_from(const Visitor& visitor) const;
  /// The same, with what the tabs of this instance have been given since.
  [[nodiscard]] std::shared_ptr<const Secrets> hidden_from(const Visitor& visitor, InstanceFeed& feed);
  /// A number that no other page has had.
  [[nodiscard]] std::uint64_t next_page() { return ++pages_; }
  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] const boost::asio::any_io_executor& executor() const { return executor_; }

 private:
  [[nodiscard]] std::vector<std::string> known() const;

  boost::asio::any_io_executor executor_;
  Config config_;
  std::string only_;
  std::shared_ptr<Redaction> redaction_;
  InstanceList list_;
  std::uint64_t pages_ = 0;
  std::map<std::string, std::shared_ptr<InstanceFeed>> feeds_;
};

/// The rows of the menu.
[[nodiscard]] nlohmann::json instances_json(const std::vector<InstanceRow>& rows);

}  // namespace terminally
