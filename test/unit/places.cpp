#include "places.hpp"

// As ever: nothing here is made at run time, so it is there before each other object.
const std::string terminally::test::kLogProgram = TERMINALLY_LOG_PATH;
const std::string terminally::test::kShellProgram = TERMINALLY_SHELL_PATH;
const std::string terminally::test::kScripts = TERMINALLY_SCRIPTS;
