#include "tmux/wire/command_mark.hpp"

#include "tmux/wire/client.hpp"

namespace terminally {

std::string may_have_ended(std::string_view nonce) {
  const std::string name(nonce);
  const std::string another = "#{!=:#{pane_path},mcp:START:" + name + "}";
  const std::string not_taken_over = "#{!=:" + name + " #{pane_path},#{@terminally_path}}";
  return "#{||:#{==:#{pane_path},mcp:END:" + name + "},#{&&:" + another + "," + not_taken_over + "}}";
}

std::string take_path_over(std::string_view target, std::string_view nonce) {
  return "set -pF -t " + quote(target) + " @terminally_path '" + std::string(nonce) + " #{pane_path}'";
}

}  // namespace terminally
