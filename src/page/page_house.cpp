#include "page/page_house.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace terminally {
namespace {

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

PageHouse::PageHouse(boost::asio::any_io_executor executor, Config config, std::string only)
    : executor_(std::move(executor)),
      config_(std::move(config)),
      only_(std::move(only)),
      redaction_(make_redaction(config_)),
      list_(config_) {}

bool PageHouse::has(const std::string& instance) const {
  return is_in(known(), instance);
}

std::vector<std::string> PageHouse::known() const {
  std::vector<std::string> names = known_instances(config_);
  std::erase_if(names, [&](const std::string& name) { return !shows(name); });
  return names;
}

std::vector<InstanceRow> PageHouse::instances() {
  std::vector<InstanceRow> rows;
  for (const std::string& name : known()) {
    const auto feed = feeds_.find(name);
    const bool seen = feed != feeds_.end() && feed->second->sees();
    try {
      rows.push_back(list_.row_of(name, seen ? &feed->second->board() : nullptr));
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it goes just now, or cannot be read
    }
  }
  return rows;
}

bool PageHouse::is_idle() const {
  return std::ranges::all_of(feeds_, [](const auto& entry) { return entry.second->is_idle(); });
}

InstanceFeed::Look PageHouse::look_at(const std::string& instance) {
  const std::vector<std::string> here = known();
  std::erase_if(feeds_,
                [&](const auto& entry) { return entry.second->is_idle() && !is_in(here, entry.first); });
  if (!is_in(here, instance)) {
    throw Error(ErrorCode::not_found,
                "there is no instance \"" + instance + "\" of this user on this machine");
  }
  std::shared_ptr<InstanceFeed>& feed = feeds_[instance];
  if (!feed) {
    feed = std::make_shared<InstanceFeed>(executor_, config_, instance);
  }
  return InstanceFeed::Look(feed);
}

std::shared_ptr<const Secrets> PageHouse::hidden_from(const Visitor& visitor) const {
  if (visitor.role == Role::exec || !redaction_->secrets->any()) {
    return nullptr;
  }
  return redaction_->secrets;
}

std::shared_ptr<const Secrets> PageHouse::hidden_from(const Visitor& visitor, InstanceFeed& feed) {
  if (visitor.role != Role::exec && !redaction_->variables.empty()) {
    redaction_->learn(feed.manager().tabs().new_variables(redaction_->variables, redaction_->tabs));
  }
  return hidden_from(visitor);
}

nlohmann::json instances_json(const std::vector<InstanceRow>& rows) {
  nlohmann::json array = nlohmann::json::array();
  for (const InstanceRow& instance : rows) {
    nlohmann::json row;
    row["name"] = instance.name;
    row["project"] = instance.project;
    row["kind"] = instance.unnamed ? "unnamed" : "named";
    row["server"] = instance.server;
    row["tabs"] = instance.tabs;
    row["running"] = instance.running;
    row["last_output_at"] = instance.last_output_at_ms == 0 ? nlohmann::json(nullptr)
                                                            : nlohmann::json(instance.last_output_at_ms);
    array.push_back(std::move(row));
  }
  return array;
}

}  // namespace terminally
