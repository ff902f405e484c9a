#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "base/files.hpp"
#include "record/record.hpp"
#include "tab/tab.hpp"

namespace terminally {

/// The record of one command, in memory and among the records of its tab.
class RecordKeeper {
 public:
  /// A record that has a nonce is on disk already: another process typed its command. `owner`: the lock of
  /// one that is owned apart.
  RecordKeeper(boost::asio::any_io_executor executor, std::shared_ptr<Tab> tab, CommandRecord record,
               FileLock owner = FileLock());

  [[nodiscard]] const CommandRecord& operator*() const { return record_; }
  [[nodiscard]] const CommandRecord* operator->() const { return &record_; }
  /// What is set there is among the records of the tab with the next `save`.
  [[nodiscard]] CommandRecord& edit() { return record_; }
  void note(std::string note) { record_.notes.push_back(std::move(note)); }

  /// Whether another process typed the command.
  [[nodiscard]] bool is_adopted() const { return adopted_; }
  [[nodiscard]] bool is_recorded() const { return recorded_; }
  /// Whether the line of the command was typed, or may have been, or may be just now. Not where what was
  /// typed is known to run nothing.
  [[nodiscard]] bool may_be_typed() const { return !record_.nonce.empty(); }

  /// From then on this process owns it: by the tab's lock or, in a nested shell, by one of its own.
  void draw_nonce(bool nested);
  /// The command goes on where its record cannot be written: then a note says so, and the record is tried
  /// again. Returns why not.
  std::string save();
  /// Nothing was typed under the nonce, or nothing was run. What cannot be written now (a full disk) is
  /// settled by the next look at the tab.
  void withdraw() noexcept;
  /// That the command is being ended: the process that comes after this one goes on with that.
  void save_termination(Reason why, bool force) const;

  /// As terminally::tidy_later.
  void tidy_later(bool told) const;

  /// The result of the command tells that the way to its shell is gone.
  void note_end_of_way();
  /// Another process may have told of that before this one saw the end of the command.
  void keep_what_was_told();

 private:
  boost::asio::any_io_executor executor_;
  std::shared_ptr<Tab> tab_;
  CommandRecord record_;
  FileLock owner_;
  bool adopted_;
  bool recorded_;
};

}  // namespace terminally
