#include "system/listeners.hpp"

#include <doctest/doctest.h>

using namespace terminally;

using Inodes = std::vector<std::uint64_t>;

TEST_CASE("listeners: sockets that listen on the port, of both tables, and no others") {
  constexpr std::string_view kTable =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 101 1 0 "
      "100\n"
      "   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 102 1 0 "
      "100\n"
      "  10: 00000000:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 103 1 0 "
      "100\n"
      "  11: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A "
      "00000000:00000000 "
      "00:00000000 00000000  1000        0 104 1 0 100\n"
      "  12: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 0 1 0 "
      "100\n";
  CHECK(listening_sockets(kTable, 8080) == Inodes{101, 104});
  CHECK(listening_sockets(kTable, 8081) == Inodes{103});
  CHECK(listening_sockets(kTable, 80).empty());
  CHECK(listening_sockets("", 80).empty());
}

TEST_CASE("listeners: a table that is cut anywhere is no error") {
  const std::string line =
      "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 "
      "100\n";
  for (std::size_t size = 0; size < line.size(); ++size) {
    CHECK(listening_sockets(line.substr(0, size), 8080).size() <= 1);
    CHECK(listening_sockets(line.substr(size), 80).empty());
  }
}
