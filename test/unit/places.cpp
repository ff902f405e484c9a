#include "places.hpp"

const std::string terminally::test::kLogProgram = TERMINALLY_LOG_PATH;
const std::string terminally::test::kShellProgram = TERMINALLY_SHELL_PATH;
const std::string terminally::test::kScripts = TERMINALLY_SCRIPTS;
const std::string terminally::test::kRecordings = TERMINALLY_RECORDINGS;
