#pragma once

#include <functional>
#include <memory>

#include "base/timeout.hpp"
#include "base/worker.hpp"
#include "files/file_place.hpp"
#include "files/file_roots.hpp"

namespace terminally {

class FileScan;
class FreshFile;

/// The files of this machine, in the directories of `roots`. Blocking work runs on a thread of its own, a
/// slice at a time, so that a long call holds up no other. A call that a hanging file system does not answer
/// ends after `patience`.
class FileAccess final : public FilePlace {
 public:
  explicit FileAccess(FileRoots roots, Milliseconds patience = Milliseconds(55'000));

  [[nodiscard]] Awaitable<FileList> list(ListFiles request);
  [[nodiscard]] Awaitable<bool> is_directory(std::string path) override;
  [[nodiscard]] Awaitable<FilePart> read(ReadFile request) override;
  [[nodiscard]] Awaitable<WrittenFile> write(WriteFile request) override;

  /// Runs pure work that takes long, such as a search through a content, on the same thread.
  [[nodiscard]] Awaitable<void> beside(std::uint64_t bytes, std::function<void()> work);

 private:
  [[nodiscard]] Awaitable<void> do_list(FilePlaceInRoot place, ListFiles request,
                                        std::shared_ptr<FileList> list);
  [[nodiscard]] Awaitable<void> do_read(FilePlaceInRoot place, ReadFile request,
                                        std::shared_ptr<FilePart> part);
  [[nodiscard]] Awaitable<void> do_write(std::shared_ptr<FreshFile> fresh, WriteFile request,
                                         std::shared_ptr<WrittenFile> written);
  [[nodiscard]] Awaitable<void> read_to_end(std::shared_ptr<FileScan> scan);
  [[nodiscard]] Awaitable<void> lock(std::shared_ptr<FreshFile> fresh, bool must);
  [[nodiscard]] Awaitable<void> give_time(std::string said, Awaitable<void> work);

  FileRoots roots_;
  Milliseconds patience_;
  Worker worker_;
};

}  // namespace terminally
