# Puts a text where nothing stands.
set -l __mcp_line (builtin commandline)
if builtin test (builtin status current-command)"$__mcp_line" = fish
  builtin commandline -r -- __TEXT__
  builtin printf '\0' >__ANSWER__
end
