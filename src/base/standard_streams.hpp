#pragma once

namespace terminally {

/// Opens /dev/null for each of stdin, stdout and stderr that our starter left closed (`>&-`): else the next
/// file or socket that we open would get that number, and what we print. Reading from such a stdin and
/// writing to such a stdout still fails. To be called first in `main`.
void fill_standard_streams();

}  // namespace terminally
