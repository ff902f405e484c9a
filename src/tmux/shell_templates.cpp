#include "tmux/shell_templates.hpp"

namespace terminally {
namespace {

// Why the wrappers look as they do (each line was bought with a failure, see test/e2e/corpus):
// - `{ …; } 2>/dev/null` hides our steps from `set -x`; `{ …; } && :` keeps a failing step from ending a `set -e` shell.
// - `(exit N) && :` sets `$?` to N without ending a `set -e` shell.
// - records go to /dev/tty, which `exec >file` does not touch; `>|` because of noclobber.
// - the first lines erase the row on which our typed line was echoed and show the command instead.

// bash. Under `set -e`, `. TEXT` that returns 1 (the text ended in `! true`) would end the shell although nothing failed: a RETURN
// trap, which runs before that check, switches `-e` off for the moment; and `$?` is handed from command to command by us.
// Functions named like builtins do not matter because of `\builtin`. History: see DESIGN section 4, step 3.
constexpr ShellTemplate kBash = {
    R"sh(\builtin .)sh",
    R"sh({ { @N@_s=$? @N@_g=${PROMPT_COMMAND+x}y @N@_f=@WRAPPER@ @N@_e=@END@ @N@_x=
case $- in (*x*) @N@_x=';x=1';; esac
case @EXIT_LOST@$- in (1*|*e*) @N@_s=@PREVIOUS@;; esac
case $- in (*e*) \builtin trap -p RETURN >| @HISTORY@; if [[ ! -s @HISTORY@ ]]; then @N@_t=1; \builtin trap '@N@_r=$?; case $-${BASH_SOURCE[0]-} in (*e*"$@N@_f") @N@_t=2; \builtin set +e;; esac' RETURN; fi;; esac
if [[ ${HISTCONTROL-} != *ignore[sb]* ]]; then \builtin history 1 >| @HISTORY@; IFS= \builtin read -r -d '' @N@_h < @HISTORY@; if [[ $@N@_h == *"$@N@_f"* ]]; then @N@_h=${@N@_h#"${@N@_h%%[0-9]*}"}; \builtin history -d "${@N@_h%%[!0-9]*}"; fi; fi
if [[ ${PROMPT_COMMAND+${PROMPT_COMMAND@a}} != *r* ]]; then PROMPT_COMMAND='{ \builtin . "$@N@_e" @N@; } 2>/dev/null
'"${PROMPT_COMMAND-}"; fi
\builtin printf '\r\e[A\e[2K%s\e]133;C;mcp=START:@NONCE@%s\a' @DISPLAY@ "$@N@_x" >| /dev/tty
(\builtin exit "$@N@_s"); } && \builtin :; } 2>/dev/null
\builtin . @TEXT@
{ \builtin . @END@; } 2>/dev/null
)sh",
    R"sh(@N@_s=$?
{ if [[ ${@N@_t-} == 2 ]]; then @N@_s=$@N@_r; fi
if [[ -n ${@N@_g-} ]]; then
if [[ ${1-} == @N@ ]]; then @N@_x=';by=hook'; else @N@_x=; fi
\builtin printf '\e]133;D;%s;mcp=END:@NONCE@%s\a' "$@N@_s" "$@N@_x" >| /dev/tty
\builtin printf %s "$@N@_s" >| @EXIT@
if [[ ${PROMPT_COMMAND+${PROMPT_COMMAND@a}} != *r* ]]; then PROMPT_COMMAND=${PROMPT_COMMAND/'{ \builtin . "$@N@_e" @N@; } 2>/dev/null
'}; if [[ $PROMPT_COMMAND$@N@_g == y ]]; then \builtin unset -v PROMPT_COMMAND; fi; fi
if [[ -n ${@N@_t-} ]]; then \builtin trap - RETURN; fi; fi; } && \builtin :
case $-${@N@_t-} in (*e*) \builtin unset -v ${!@N@_*}; \builtin return 0;; (*2) \builtin unset -v ${!@N@_*}; \builtin set -e; \builtin return 0;; esac
\builtin eval "\builtin unset -v ${!@N@_*}; \builtin return $@N@_s"
)sh",
    ""};

// zsh. The `always` block runs after C-c too. Tracing goes to the old stderr whatever is redirected, so it is switched off by an
// assignment, which is one traced line that END marks (x=1). precmd would be too late: it comes after zsh's end-of-line padding.
constexpr ShellTemplate kZsh = {
    R"sh(\builtin .)sh",
    R"sh({ @N@_s=$? @N@_x=$- @N@_t=
case @EXIT_LOST@$- in (1*|*e*) @N@_s=@PREVIOUS@;; esac
case $@N@_x in (*x*) \builtin unsetopt xtrace; @N@_t=';x=1';; esac
\builtin setopt histignorespace
\builtin printf '\r\e[A\e[2K%s\e]133;C;mcp=START:@NONCE@%s\a' @DISPLAY@ "$@N@_t" >| /dev/tty; } 2>/dev/null
{
case $@N@_x in (*x*) { options[xtrace]=$(\builtin printf on; \builtin exit $@N@_s) } 2>/dev/null;; (*) { (\builtin exit $@N@_s) && \builtin : } 2>/dev/null;; esac
\builtin . @TEXT@
} always {
@N@_s=$? @N@_x=$- options[xtrace]=off
{ @N@_t= @N@_i=$TRY_BLOCK_INTERRUPT
case $@N@_x in (*e*) options[errexit]=off;; esac
case $@N@_x in (*x*) @N@_t=';x=1';; esac
case $@N@_i in (1) @N@_t="$@N@_t;by=hook";; esac
\builtin printf '\e]133;D;%s;mcp=END:@NONCE@%s\a' $@N@_s "$@N@_t" >| /dev/tty
\builtin printf %s $@N@_s >| @EXIT@; } 2>/dev/null
case $@N@_x in
(*e*x*) \builtin unset @N@_s @N@_x @N@_t @N@_i; options[errexit]=on options[xtrace]=on; \builtin return 0;;
(*e*) \builtin unset @N@_s @N@_x @N@_t @N@_i; options[errexit]=on; \builtin return 0;;
(*x*) \builtin unset @N@_s @N@_x @N@_t @N@_i; options[xtrace]=on;;
(*) \builtin unset @N@_s @N@_x @N@_t @N@_i;;
esac
}
)sh",
    "", ""};

// dash, sh, ash, ksh, mksh. A syntax error or C-c abandons the wrapper as well, so the hook is a command substitution in PS1. It
// cannot take itself out (it runs in a subshell): END does, or the next wrapper; once its file is gone it is silent.
constexpr ShellTemplate kPosix = {
    R"sh(\.)sh",
    R"sh({ { @N@_s=$? @N@_x=
case ${PS1-} in ('$({ \. "$__mcp_'*) PS1=${PS1#*'2>/dev/null)'};; esac
@N@_e=@HOOK@ @N@_q="${PS1-}"
case @EXIT_LOST@$- in (1*|*e*) @N@_s=@PREVIOUS@;; esac
case $- in (*x*) @N@_x=';x=1';; esac
PS1='$({ \. "$@N@_e"; } 2>/dev/null)'"${PS1-}"
\command printf '\r\033[A\033[2K%s\033]133;C;mcp=START:@NONCE@%s\a' @DISPLAY@ "$@N@_x" >| /dev/tty
(\exit "$@N@_s"); } && \: ; } 2>/dev/null
\. @TEXT@
{ \. @END@; } 2>/dev/null
)sh",
    R"sh(@N@_s=$?
{ \command printf '\033]133;D;%s;mcp=END:@NONCE@\a' "$@N@_s" >| /dev/tty
\command printf %s "$@N@_s" >| @EXIT@
case ${PS1-} in ('$({ \. "$__mcp_'*) PS1=${PS1#*'2>/dev/null)'};; esac; } && \:
case $- in (*e*) @N@_s=0;; esac
\eval "\\unset @N@_x @N@_e @N@_q @N@_s; \\return $@N@_s"
)sh",
    R"sh(@N@_s=$?
\command printf '\033]133;D;%s;mcp=END:@NONCE@;by=hook\a' "$@N@_s" >| /dev/tty
\command printf %s "$@N@_s" >| @EXIT@
)sh"};

// fish. Its `source` parses the whole text first, and `exit` in it ends the text, not the shell. No function may be named `builtin` or `source` is reached through it.
constexpr ShellTemplate kFish = {
    R"sh(builtin source)sh",
    R"sh(set -l @N@_s $status
if test -n '@EXIT_LOST@'
set @N@_s @PREVIOUS@
end
function @N@_end --on-event fish_postexec
builtin source @END@ hook
end
builtin printf '\r\e[A\e[2K%s\e]133;C;mcp=START:@NONCE@\a' @DISPLAY@ >/dev/tty
function @N@_status
return $argv[1]
end
@N@_status $@N@_s
builtin source @TEXT@
builtin source @END@
)sh",
    R"sh(set -l @N@_s $status
set -l @N@_by ''
if builtin test "$argv[1]" = hook
set @N@_by ';by=hook'
end
builtin functions -e @N@_end @N@_status
builtin printf '\e]133;D;%s;mcp=END:@NONCE@%s\a' $@N@_s $@N@_by >/dev/tty
builtin printf %s $@N@_s >@EXIT@
return $@N@_s
)sh",
    ""};

// In-line, for a shell that cannot read our files. Plain POSIX, because the shell behind ssh is not known until it runs.
constexpr std::string_view kInline = R"sh({ @N@_c=@COMMAND@ @N@_e=@END_CODE@
\unset @N@_b
if \command [ -n "${BASH_VERSION-}" ]; then case ${HISTCONTROL-} in (*ignore[sb]*) ;; (*) \history -d -1;; esac; PROMPT_COMMAND='{ \eval "$@N@_e"; } 2>/dev/null
'"${PROMPT_COMMAND-}"; elif \command [ -z "${ZSH_VERSION-}" ]; then PS1='$({ \eval "$@N@_e"; } 2>/dev/null)'"${PS1-}"; fi
\command printf '\r\033[A\033[2K%s\033]133;C;mcp=START:@NONCE@\a' @DISPLAY@ >| /dev/tty
} 2>/dev/null
if [ -n "${ZSH_VERSION-}" ]; then \eval '(\exit $@N@_s); { \eval "$@N@_c" } always { \eval "$@N@_e" }'; else (\exit "$@N@_s"); \eval "$@N@_c"; { \eval "$@N@_e"; } 2>/dev/null; fi
)sh";

constexpr std::string_view kInlineEnd = R"sh(@N@_s=$?
\command printf '\033]133;D;%s;mcp=END:@NONCE@\a' "$@N@_s" >| /dev/tty
if \command [ -n "${BASH_VERSION-}" ]; then PROMPT_COMMAND=${PROMPT_COMMAND#*'2>/dev/null
'}; elif \command [ -z "${ZSH_VERSION-}" ]; then PS1=${PS1#*'2>/dev/null)'}; fi
@N@_e=; (\exit "$@N@_s")
)sh";

}  // namespace

const ShellTemplate& shell_template(ShellKind kind) {
  switch (kind) {
    case ShellKind::bash:
      return kBash;
    case ShellKind::zsh:
      return kZsh;
    case ShellKind::fish:
      return kFish;
    case ShellKind::posix:
      break;
  }
  return kPosix;
}

std::string_view inline_template() { return kInline; }
std::string_view inline_end_template() { return kInlineEnd; }

}  // namespace terminally
