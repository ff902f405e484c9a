#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/keyed_mutex.hpp"
#include "base/timeout.hpp"
#include "base/worker.hpp"
#include "files/file_place.hpp"
#include "files/file_roots.hpp"
#include "files/file_write.hpp"

namespace terminally {

/// The files of this machine, in the directories of `roots`. Blocking work runs on a thread of its own, a
/// slice at a time, so that a long call holds up no other. A call that a hanging file system does not answer
/// ends after `patience`.
///
/// What arrives first is done first, per file: writes of one follow each other, by whichever path they name
/// it, and a read sees the writes that came before it, unless these take longer than 3 s.
class FileAccess final : public FilePlace {
 public:
  explicit FileAccess(FileRoots roots, Milliseconds patience = Milliseconds(55'000));

  [[nodiscard]] Awaitable<FileList> list(ListFiles request);
  [[nodiscard]] Awaitable<bool> is_directory(std::string path) override;
  [[nodiscard]] Awaitable<FilePart> read(ReadFile request) override;
  [[nodiscard]] Awaitable<WrittenFile> write(WriteFile request) override;

  /// When a call that begins now must end.
  [[nodiscard]] Clock::time_point ends_by() const { return Clock::now() + patience_; }
  /// Runs pure work that takes long, such as a search through a content, on a thread that no file system
  /// holds up. False: it was not done by `by`.
  [[nodiscard]] Awaitable<bool> beside(Clock::time_point by, std::uint64_t bytes, std::function<void()> work);

 private:
  [[nodiscard]] Awaitable<void> do_list(FilePlaceInRoot place, ListFiles request,
                                        std::shared_ptr<FileList> list);
  [[nodiscard]] Awaitable<void> do_read(FilePlaceInRoot place, ReadFile request,
                                        std::shared_ptr<FilePart> part);
  struct Turns {
    KeyedMutex<std::string>::Guard of_name;
    KeyedMutex<std::string>::Guard of_path;
  };
  /// name_by_every_path, or the path where that cannot be told.
  [[nodiscard]] Awaitable<std::string> name_of(FilePlaceInRoot place);
  [[nodiscard]] Awaitable<Turns> turns_by(std::string name, std::string path, Milliseconds patience);
  [[nodiscard]] Awaitable<void> write_in_turn(FilePlaceInRoot place, WriteFile request,
                                              std::shared_ptr<std::optional<WrittenFile>> result);
  [[nodiscard]] Awaitable<void> do_write(std::shared_ptr<FreshFile> fresh, WriteFile request,
                                         std::shared_ptr<WrittenFile> written);
  [[nodiscard]] Awaitable<void> replace(std::shared_ptr<FreshFile> fresh, bool compares,
                                        std::shared_ptr<bool> placed);
  void take_over(const std::string& path, const std::string& name);
  void gather_terms(const std::string& path, WriteFile& request);
  void note_parts(const std::string& path, const WriteFile& request, const std::optional<PartFile>& part);
  template <class Steps>
  [[nodiscard]] Awaitable<void> step_to_end(std::shared_ptr<Steps> work);
  [[nodiscard]] Awaitable<void> lock(std::shared_ptr<FreshFile> fresh, bool must);
  [[nodiscard]] Awaitable<void> give_time(std::string said, Awaitable<void> work);
  [[nodiscard]] Error timed_out(const std::string& said, const std::string& and_so) const;

  /// A part that failed, and was not sent again yet.
  struct MissingPart {
    std::uint64_t failure = 0;  ///< its number among all
    std::size_t hash = 0;       ///< of its content
  };

  /// What was given with the parts so far, and is looked at with the last one.
  struct PartTerms {
    std::optional<unsigned> mode;
    std::string expected_sha256;
    std::string sha256;
  };

  FileRoots roots_;
  Milliseconds patience_;
  Worker worker_;
  Worker contents_;                                   ///< no file system holds it up
  KeyedMutex<std::string> turns_;                     ///< by path, and by name_by_every_path
  std::map<std::string, MissingPart> missing_parts_;  ///< by name_of
  std::map<std::string, PartFile> parts_;   ///< by name_of: those that our client began or asked for
  std::map<std::string, PartTerms> terms_;  ///< by name_of: of these, where something was given
  std::uint64_t failures_ = 0;
};

}  // namespace terminally
