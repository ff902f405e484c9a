// Secures the standard streams and a few descriptors, then runs the command line.
#include "base/descriptors.hpp"
#include "cli/command_line.hpp"

int main(int argc, char** argv) {
  terminally::fill_standard_streams();
  terminally::hold_spare_descriptors();
  return terminally::run_command_line(argc, argv);
}
