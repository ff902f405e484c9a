#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "files/file_place.hpp"
#include "hosts/host.hpp"

namespace terminally {

/// The files of a host, behind its tools read_file and write_file: what `cp` copies from or to there. Nothing
/// that changes something is sent twice: where the link is cut, a copy ends, and the next one goes on with
/// its parts.
class HostFiles final : public FilePlace {
 public:
  explicit HostFiles(std::shared_ptr<Host> host) : host_(std::move(host)) {}

  [[nodiscard]] Awaitable<bool> is_directory(std::string path) override;
  [[nodiscard]] Awaitable<FilePart> read(ReadFile request) override;
  [[nodiscard]] Awaitable<WrittenFile> write(WriteFile request) override;

 private:
  [[nodiscard]] Awaitable<nlohmann::ordered_json> call(std::string tool, bool read_only,
                                                       nlohmann::json arguments);

  std::shared_ptr<Host> host_;
};

}  // namespace terminally
