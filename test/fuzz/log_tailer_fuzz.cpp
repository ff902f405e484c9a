// The log's writer and reader against a model: every byte that is read is that of its offset, or is said to
// be gone, whatever was appended, dropped, rotated, removed or lost before. See log_tailer_model.hpp.
#include <stdlib.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "log_tailer_model.hpp"
#include "oracle.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string directory = "/tmp/terminally-fuzz-XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) {
    return 0;
  }
  {
    terminally::fuzz::LogTailerModel model(directory);
    model.run(terminally::fuzz::text_of(data, size));
  }
  std::filesystem::remove_all(directory);
  return 0;
}
