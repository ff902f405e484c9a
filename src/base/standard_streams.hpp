#pragma once

namespace terminally {

/// Fills the places of stdin, stdout and stderr where whoever started us left one closed (`>&-`): the next
/// file or socket that we open would take it, and get what we print. Reading from such a stdin and writing to
/// such a stdout fails, as it did before. First thing in `main`.
void fill_standard_streams();

}  // namespace terminally
