// Takes the files of a command away, behind it.
#include "tab/tidying.hpp"

#include <algorithm>
#include <boost/asio.hpp>
#include <memory>
#include <utility>

#include "base/awaitable.hpp"
#include "base/timeout.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

constexpr Milliseconds kTidyAfter{5};
constexpr Milliseconds kTidyBy{2'000};
constexpr Milliseconds kTidyLook{100};

/// Takes them away when this goes.
class Tidying {
 public:
  Tidying(std::shared_ptr<Tab> tab, std::string nonce, bool told)
      : tab_(std::move(tab)), nonce_(std::move(nonce)), told_(told) {}
  Tidying(const Tidying&) = delete;
  Tidying& operator=(const Tidying&) = delete;
  [[nodiscard]] bool is_due() const { return !told_ || tab_->files.ended_at_ms(nonce_).has_value(); }
  ~Tidying() {
    if (tab_->pwd.nonce == nonce_) {
      tab_->read_pwd();
    }
    tab_->files.remove(nonce_);
  }

 private:
  std::shared_ptr<Tab> tab_;
  std::string nonce_;
  bool told_;
};

Awaitable<void> tidy_when_due(std::shared_ptr<Tidying> tidying) {
  Milliseconds pause = kTidyAfter;
  for (Milliseconds waited{0}; waited < kTidyBy; waited += pause, pause = std::min(2 * pause, kTidyLook)) {
    co_await sleep_for(pause);
    if (tidying->is_due()) {
      co_return;
    }
  }
}

}  // namespace

void tidy_later(const asio::any_io_executor& executor, std::shared_ptr<Tab> tab, std::string nonce,
                bool told) {
  auto tidying = std::make_shared<Tidying>(std::move(tab), std::move(nonce), told);
  asio::co_spawn(executor, tidy_when_due(std::move(tidying)), asio::detached);
}

}  // namespace terminally
