# $found: a candidate a line, with its description behind a tab. An exit code that is not 0 says that files may stand here, too.
_terminally_mcp() {
  local line=${COMP_LINE:0:COMP_POINT} before=() found
  local cur=${line##*[[:space:]]}
  read -ra before <<<"${line%"$cur"}"
  found=$("${before[0]}" complete -- "${before[@]:1}" "$cur" 2>/dev/null) && compopt +o default 2>/dev/null
  [[ $cur == --*=* ]] && cur=${cur#*=}
  mapfile -t COMPREPLY < <(compgen -W "$(cut -f 1 <<<"$found")" -- "$cur")
}
complete -o default -F _terminally_mcp terminally-mcp
