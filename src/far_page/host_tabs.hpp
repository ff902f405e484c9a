#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "base/ids.hpp"
#include "base/timeout.hpp"
#include "far_page/far_channels.hpp"
#include "far_page/far_questions.hpp"
#include "far_page/page_link.hpp"
#include "far_page/split_searches.hpp"
#include "http/site.hpp"
#include "page/page_request.hpp"
#include "secrets/secrets.hpp"

namespace terminally {

/// The tabs of one host for one page: what the page was told of them, which of their logs it watches, and the
/// link, which is made again for as long as the page looks. Held by shared_ptr.
class HostTabs {
 public:
  struct Terms {
    FarView view;
    Socket& page;
    SplitSearches& searches;
    /// What is masked in all that comes from there; null: nothing is.
    std::function<std::shared_ptr<const Secrets>()> hidden;
  };
  explicit HostTabs(Terms terms) : terms_(std::move(terms)) {}

  /// Keeps the link up, and passes on what the host tells, until cancelled.
  [[nodiscard]] static Awaitable<void> run(std::shared_ptr<HostTabs> self);

  [[nodiscard]] const std::string& name() const { return terms_.view.host.name; }
  /// As `hello` and `host` have it.
  [[nodiscard]] nlohmann::json row() const;
  /// Those that are known, behind the others in a list.
  void add_tabs(nlohmann::json& list) const;

  [[nodiscard]] bool watches(std::uint16_t channel) const { return channels_.has(channel); }
  /// Another place has the channel now.
  void forget(std::uint16_t channel);
  void forget_all();

  /// A request of the page that names a tab there, `tab` as that host names it, or a channel. False: the host
  /// answers it. Throws Error.
  [[nodiscard]] bool take(const PageRequest& request, const std::string& tab);
  /// False: the host cannot be asked.
  [[nodiscard]] bool search(const nlohmann::json& request, std::uint64_t number,
                            const std::vector<std::string>& tabs);
  void stop_search(std::uint64_t number);

 private:
  [[nodiscard]] Awaitable<void> listen();
  [[nodiscard]] Awaitable<void> lose(std::string why);
  [[nodiscard]] Awaitable<void> take_frame(PipedFrame piped);
  [[nodiscard]] Awaitable<void> take_message(nlohmann::json message);
  [[nodiscard]] Awaitable<void> take_answer(nlohmann::json message);
  [[nodiscard]] Awaitable<void> take_tabs(nlohmann::json tabs);
  [[nodiscard]] Awaitable<void> take_told(nlohmann::json told);
  [[nodiscard]] bool wants(nlohmann::json& told);
  [[nodiscard]] bool takes_channel(nlohmann::json& told);
  [[nodiscard]] Awaitable<void> tell_round_trip();
  [[nodiscard]] Awaitable<void> tell(nlohmann::json message);
  void watch(std::uint16_t channel, nlohmann::json re);
  void acknowledge(const PageRequest& request);
  void mask(nlohmann::json& message) const;

  Terms terms_;
  std::shared_ptr<PageLink> link_;
  bool up_ = false;            ///< the program there serves the instance
  bool has_instance_ = false;  ///< as its last hello said
  std::string state_ = "connecting";
  std::int64_t since_ms_ = 0;
  std::string error_;
  Milliseconds told_round_trip_{0};
  std::map<WindowId, nlohmann::json> tabs_;
  FarChannels channels_;
  FarQuestions questions_;
};

}  // namespace terminally
