// Keeps the record of one command: when it is written, tried again, and withdrawn.

#include "tab/record_keeper.hpp"

#include <boost/asio.hpp>
#include <utility>

#include "base/conventions.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/timeout.hpp"
#include "tab/tidying.hpp"

namespace terminally {
namespace {

namespace asio = boost::asio;

/// How often records that could not be written are tried again.
constexpr Milliseconds kRecordRetry{500};

asio::awaitable<void> write_records_later(std::weak_ptr<Tab> waiting) {
  for (;;) {
    co_await sleep_for(kRecordRetry);
    const std::shared_ptr<Tab> tab = waiting.lock();
    if (!tab) {
      co_return;
    }
    if (tab->records.write_kept()) {
      tab->records_wait = false;
      co_return;
    }
  }
}

}  // namespace

RecordKeeper::RecordKeeper(asio::any_io_executor executor, std::shared_ptr<Tab> tab, CommandRecord record,
                           FileLock owner)
    : executor_(std::move(executor)),
      tab_(std::move(tab)),
      record_(std::move(record)),
      owner_(std::move(owner)),
      adopted_(may_be_typed()),
      recorded_(adopted_) {}

void RecordKeeper::draw_nonce(bool nested) {
  record_.nonce = random_hex(16);
  record_.id = command_id_of(record_.nonce);
  record_.owned_apart = nested;
  if (!nested) {
    owner_ = FileLock();
    return;
  }
  try {
    const std::filesystem::path owner = tab_->files.owner_path(record_.id);
    make_private_directory(owner.parent_path());
    owner_ = FileLock::try_lock(owner);
  } catch (const Error&) {  // no file can be made there: commands run all the same
    record_.owned_apart = false;
  }
}

std::string RecordKeeper::save() {
  std::string why_not = tab_->records.append(record_);
  recorded_ = true;
  if (why_not.empty()) {
    return why_not;
  }
  note_once(record_.notes,
            "the record of this command is kept in memory until it can be written: " + why_not);
  if (!std::exchange(tab_->records_wait, true)) {
    asio::co_spawn(executor_, write_records_later(tab_), asio::detached);
  }
  return why_not;
}

/// On record first: whoever finds the lock of a command free looks there.
void RecordKeeper::withdraw() noexcept {
  if (recorded_) {
    try {
      CommandRecord withdrawn = record_;
      withdrawn.withdrawn = true;
      tab_->records.append(withdrawn);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    }
    recorded_ = false;
  }
  if (may_be_typed()) {
    tab_->files.remove(record_.nonce);
  }
  record_.nonce.clear();
  record_.id.clear();
}

void RecordKeeper::save_termination(Reason why, bool force) const {
  if (why == Reason::cancelled_by_client || why == Reason::cancelled_by_person) {
    // Marked only here: when the cancel was asked for, the command may have had no nonce yet.
    tab_->files.mark_cancelled(record_.nonce, force,
                               why == Reason::cancelled_by_person ? tab_->canceller : Canceller::client);
  }
  CommandRecord interrupted = record_;
  interrupted.reason = why;
  static_cast<void>(tab_->records.append(interrupted));  // it is ended all the same
}

void RecordKeeper::tidy_later(bool told) const {
  terminally::tidy_later(executor_, tab_, record_.nonce, told);
}

void RecordKeeper::note_end_of_way() {
  if (record_.shell_gateway) {
    record_.shell_gateway->ends_with_command = true;
  }
}

void RecordKeeper::keep_what_was_told() {
  const auto written = record_.shell_gateway ? tab_->records.find(record_.id) : std::nullopt;
  if (written && written->shell_gateway &&
      written->shell_gateway->process == record_.shell_gateway->process) {
    record_.shell_gateway->told_steady_ms = written->shell_gateway->told_steady_ms;
    record_.shell_gateway->told_people_steady_ms = written->shell_gateway->told_people_steady_ms;
  }
}

}  // namespace terminally
