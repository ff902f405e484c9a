# A candidate a line, with its description behind a tab. An exit code that is not 0 says that files may stand here, too.
function __terminally_mcp
  set -l word (commandline -ct)
  set -l flag (string match -r -- '^--[^=]*=' "$word")
  begin
    terminally-mcp complete -- (commandline -opc)[2..] "$word" 2>/dev/null
    or __fish_complete_path (string replace -- "$flag" '' "$word")
  end | string replace -r -- '^' "$flag"
end
complete -c terminally-mcp -f -a '(__terminally_mcp)'
