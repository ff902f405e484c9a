// Puts together what several places find for one search.
#include "far_page/split_searches.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "page/page_search.hpp"

namespace terminally {

using nlohmann::json;

std::uint64_t SplitSearches::begin(const json& request, const std::vector<std::string>& places) {
  forget(request.at("id"));
  if (searches_.size() >= kMost) {
    throw Error(ErrorCode::busy, "a page searches " + std::to_string(kMost) + " times at once at most");
  }
  Search search;
  search.id = request.at("id");
  search.re = request.value("re", json(nullptr));
  search.left = PageSearch::kMostHits;
  if (const auto limit = request.find("limit"); limit != request.end() && limit->is_number_unsigned()) {
    search.left = std::min<std::uint64_t>(search.left, limit->get<std::uint64_t>());
  }
  for (const std::string& place : places) {
    search.parts[place];
  }
  searches_.emplace(++last_, std::move(search));
  return last_;
}

SplitSearches::Searches::iterator SplitSearches::find(const json& id) {
  return std::ranges::find_if(searches_, [&](const auto& one) { return one.second.id == id; });
}

json SplitSearches::take_here(json hits) {
  const auto found = find(hits.at("id"));
  if (found == searches_.end()) {
    return hits;
  }
  const std::uint64_t number = found->first;
  return take(number, "", hits).value_or(json(nullptr));
}

std::optional<json> SplitSearches::take(std::uint64_t number, const std::string& place, const json& hits) {
  const auto found = searches_.find(number);
  if (found == searches_.end()) {
    return std::nullopt;
  }
  Search& search = found->second;
  const auto part = search.parts.find(place);
  if (part == search.parts.end() || part->second.done) {
    return std::nullopt;
  }
  part->second = {hits.at("searched").get<std::uint64_t>(), hits.at("total").get<std::uint64_t>(),
                  hits.at("done").get<bool>()};
  if (search.error.is_null()) {
    search.error = hits.at("error");
  }
  json taken = hits.at("hits");
  if (taken.size() > search.left) {
    taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(search.left), taken.end());
  }
  search.left -= taken.size();
  return told(found, std::move(taken));
}

std::optional<json> SplitSearches::fail(std::uint64_t number, const std::string& place,
                                        const std::string& why) {
  json last;
  last["hits"] = json::array();
  last["error"] = why;
  last["done"] = true;
  last["searched"] = 0;
  last["total"] = 0;
  if (const auto found = searches_.find(number); found != searches_.end()) {
    const Part so_far = found->second.parts[place];
    last["searched"] = so_far.searched;
    last["total"] = so_far.total;
  }
  return take(number, place, last);
}

std::vector<json> SplitSearches::fail_all(const std::string& place, const std::string& why) {
  std::vector<std::uint64_t> concerned;
  for (const auto& [number, search] : searches_) {
    if (search.parts.contains(place)) {
      concerned.push_back(number);
    }
  }
  std::vector<json> messages;
  for (const std::uint64_t number : concerned) {
    if (auto message = fail(number, place, why)) {
      messages.push_back(std::move(*message));
    }
  }
  return messages;
}

json SplitSearches::told(Searches::iterator search, json hits) {
  json message;
  message["t"] = "hits";
  message["id"] = search->second.id;
  message["hits"] = std::move(hits);
  message["error"] = search->second.error;
  Part all;
  all.done = true;
  for (const auto& [place, part] : search->second.parts) {
    all.searched += part.searched;
    all.total += part.total;
    all.done = all.done && part.done;
  }
  all.done = all.done || search->second.left == 0;
  message["searched"] = all.searched;
  message["total"] = all.total;
  message["done"] = all.done;
  if (all.done) {
    searches_.erase(search);
  }
  return message;
}

std::optional<std::uint64_t> SplitSearches::forget(const json& id) {
  const auto found = find(id);
  if (found == searches_.end()) {
    return std::nullopt;
  }
  const std::uint64_t number = found->first;
  searches_.erase(found);
  return number;
}

void SplitSearches::refuse(const json& re) {
  std::erase_if(searches_, [&](const auto& one) { return !re.is_null() && one.second.re == re; });
}

}  // namespace terminally
