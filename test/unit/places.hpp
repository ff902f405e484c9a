// Where what the tests start and read lies. Of all tests these paths alone differ between two checkouts, so
// they are in one small source: every other object is the same in both, and ccache finds it.
#pragma once

#include <string>

namespace terminally::test {

extern const std::string kLogProgram;    ///< this build's terminally-log
extern const std::string kShellProgram;  ///< this build's terminally-shell
extern const std::string kScripts;       ///< src/shell/scripts
extern const std::string kRecordings;    ///< test/recordings

}  // namespace terminally::test
