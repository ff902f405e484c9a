#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "files/file_place.hpp"
#include "hosts/host.hpp"

namespace terminally {

/// The files of a host, reached by its tools read_file and write_file: a source or target of `cp`. No change
/// is sent twice: a lost link ends the copy, and the next copy goes on with the parts that arrived.
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
