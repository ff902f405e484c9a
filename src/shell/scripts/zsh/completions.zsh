# $found: a candidate a line, with its description behind a tab. An exit code that is not 0 says that files may stand here, too.
_terminally_mcp() {
  local found code
  found=$(${words[1]} complete -- ${words[2,CURRENT-1]} "$PREFIX" 2>/dev/null)
  code=$?
  [[ $PREFIX == --*=* ]] && compset -P '*='
  local -a items=(${(f)${found//:/\\:}//$'\t'/:})
  _describe word items
  (( code == 0 )) || _files
}
compdef _terminally_mcp terminally-mcp
# From a folder of $fpath this is the body of a function, which is called at the first TAB.
[[ ${funcstack[1]-} != _terminally-mcp ]] || _terminally_mcp
