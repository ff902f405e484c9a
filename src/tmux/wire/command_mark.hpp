#pragma once

#include <string>
#include <string_view>

namespace terminally {

/// Whether a command has ended, as tmux itself knows it in the moment in which it types: what is passed on to
/// a command must not be run by the prompt that comes after it, and tmux may be slow. START and END of a
/// command set the pane's path (OSC 7), which nothing else of ours uses:
///
///     mcp:START:<nonce>   it runs
///     mcp:END:<nonce>     it has ended
///
/// What runs in it may set the path as well (a shell behind ssh). So that is taken over where it was seen to
/// go on (take_path_over).
///
///     @terminally_path    of a pane: the nonce of a command, and a path that was set while it ran

/// A tmux condition of the pane: true once the command has ended, or its path is one that was not taken over.
[[nodiscard]] std::string may_have_ended(std::string_view nonce);

/// A tmux command: the path that the pane has now is not its command's end. Who runs it looks afterwards
/// whether the command goes on.
[[nodiscard]] std::string take_path_over(std::string_view target, std::string_view nonce);

}  // namespace terminally
