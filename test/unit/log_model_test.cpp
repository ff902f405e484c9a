// The log's writer and reader against a log in memory.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "../fuzz/log_tailer_model.hpp"
#include "temp_files.hpp"

using namespace terminally;

TEST_CASE(
    "T9: whatever is appended, dropped, rotated, removed or lost, each byte has its offset or is counted") {
  std::mt19937 random(20261121);
  for (int round = 0; round < 12; ++round) {
    CAPTURE(round);
    const test::TempDir dir(test::in_memory());
    std::string ops(round % 6 == 0 ? 3000 : 300, '\0');
    for (char& op : ops) {
      op = static_cast<char>(random());
    }
    fuzz::LogTailerModel(dir.path()).run(ops);  // aborts where they differ
  }
}
