#include "tmux/shell_templates.hpp"

namespace terminally {
namespace {

// Why the wrappers look as they do (each line was bought with a failure, see test/e2e/corpus):
// - `{ …; } 2>/dev/null` hides our steps from `set -x`; `{ …; } && :` keeps a failing step from ending a `set
// -e` shell.
// - `(exit N) && :` sets `$?` to N without ending a `set -e` shell; only where it is needed, because it
// forks.
// - records go to /dev/tty, which `exec >file` does not touch; `>|` because of noclobber.
// - the first lines erase the row on which our typed line was echoed and show the command instead.
// - where even `builtin` or `command` are hidden by a function of the text, terminally-shell prints END: a
// path hides behind nothing.
// - bash and zsh parse the steps with aliases switched off: a reserved word may be an alias. dash expands
// none.
// - START and END also set the pane's path (OSC 7), which tmux knows in the moment of typing:
// command_mark.hpp.
// - emptying @TAKEN@ says that the text runs from here on: it works on a full disk, and comes before START,
// which may have to wait for the terminal. What can still end the wrapper (a readonly PS1) stands above it.
// - @EPILOGUE@ ends the text: it takes `$?` down, and ends sourcing with 0. Else the `.` that sourced the
// text would be one more
//   failing command, for `set -e` and for an ERR trap. It is left out where the text may be unfinished
//   (shells.cpp).

// bash. Functions named like builtins do not matter because of `\builtin`. Under `set -e`, `$?` is handed
// from command to command by us, because nothing may end with anything but 0. History: see DESIGN section 4,
// step 3.
constexpr ShellTemplate kBash = {
    R"sh(\builtin .)sh",
    R"sh(POSIXLY_CORRECT=1; \unset -f builtin; \unset POSIXLY_CORRECT; \builtin : 2>/dev/null || \enable builtin; \builtin enable . builtin enable eval exit history printf read return unset)sh",
    R"sh(@N@_s=$? @N@_k=$BASHOPTS
\builtin eval '\builtin shopt -u expand_aliases || \builtin : #@N@_' 2>/dev/null
{ { @N@_g=${PROMPT_COMMAND+x}y @N@_f=@WRAPPER@ @N@_e=@END@ @N@_x=
case $- in (*[xv]*) @N@_x=';x=1';; esac
case @EXIT_LOST@$- in (1*|*e*) @N@_s=@PREVIOUS@;; esac
\builtin printf -v @N@_o ok || \builtin enable printf
case ${TMUX-} in (@NO_MUX@) \builtin unset -v TMUX;; esac; case ${STY-} in (@NO_MUX@) \builtin unset -v STY;; esac; case ${ZELLIJ-} in (@NO_MUX@) \builtin unset -v ZELLIJ;; esac
case ${TMOUT+${TMOUT@a}}${TMOUT-} in (*r*|'') ;; (*) \builtin unset -v TMOUT || \builtin :;; esac
if [[ ${HISTCONTROL-} != *ignore[sb]* ]]; then \builtin history 1 >| @HISTORY@; IFS= \builtin read -r -d '' @N@_h < @HISTORY@; if [[ $@N@_h == *"$@N@_f"* ]]; then @N@_h=${@N@_h#"${@N@_h%%[0-9]*}"}; \builtin history -d "${@N@_h%%[!0-9]*}"; fi; fi
if [[ ${PROMPT_COMMAND+${PROMPT_COMMAND@a}} != *r* ]]; then PROMPT_COMMAND='\builtin eval "\builtin . \"\$@N@_e\" @N@" 2>/dev/null
'"${PROMPT_COMMAND-}"; fi
case :$@N@_k: in (*:expand_aliases:*) \builtin shopt -s expand_aliases || \builtin :;; esac
\builtin : >| @TAKEN@
\builtin printf '\r\e[A\e[2K%b\e]7;mcp:START:@NONCE@\a\e]133;C;mcp=START:@NONCE@%s\a' @DISPLAY@ "$@N@_x" >| /dev/tty
case $@N@_s in (0) ;; (*) (\builtin exit "$@N@_s");; esac; } && \builtin : @N@_; } 2>/dev/null
\builtin . @TEXT@
{ @N@_w=${@N@_r-$?} @N@_j=$BASHOPTS; \builtin shopt -u expand_aliases || \builtin :; } >/dev/null 2>&1
{ \builtin printf -v @N@_o end
case ${@N@_o-} in (end) \builtin . @END@;; (*) @HELPER@ end @NONCE@ "$@N@_w" @EXIT@;; esac; } >/dev/null 2>&1
)sh",
    "{ @N@_r=$?; } >/dev/null 2>&1\n",
    R"sh(@N@_s=$? @N@_k=${@N@_j-$BASHOPTS}
\builtin shopt -u expand_aliases || \builtin :
{ @N@_x=; case $- in (*v*) @N@_x=';x=1';; esac
if [[ ${1-} == @N@ ]]; then @N@_x+=';by=hook'; else @N@_s=${@N@_w-$@N@_s}; fi
if [[ -n ${@N@_g-} ]]; then
@N@_c=; if [[ -e @CANCELLED@ ]]; then @N@_c=@CANCELLED_LINE@; fi
\builtin printf '\e]133;D;%s;mcp=END:@NONCE@%s\a\e]7;mcp:END:@NONCE@\a%b' "$@N@_s" "$@N@_x" "$@N@_c" >| /dev/tty
\builtin printf %s "$@N@_s" >| @EXIT@
for @N@_m in emacs vi-insert vi-command; do \builtin bind -m "$@N@_m" -x @EDITOR_KEY@; done
if [[ ${PROMPT_COMMAND+${PROMPT_COMMAND@a}} != *r* ]]; then PROMPT_COMMAND=${PROMPT_COMMAND/'\builtin eval "\builtin . \"\$@N@_e\" @N@" 2>/dev/null
'}; if [[ $PROMPT_COMMAND$@N@_g == y ]]; then \builtin unset -v PROMPT_COMMAND; fi; fi; fi
case :$@N@_k: in (*:expand_aliases:*) @N@_k=s;; (*) @N@_k=u;; esac; } && \builtin :
case $- in (*e*) @N@_s=0;; esac
\builtin eval "\builtin shopt -$@N@_k expand_aliases || \builtin :; \builtin unset -v ${!@N@_*}; \builtin return $@N@_s"
)sh",
    ""};

// zsh. The `always` block runs after C-c too. Tracing goes to the old stderr whatever is redirected, so it is
// switched off by an assignment, which is one traced line that END marks (x=1). precmd would be too late: it
// comes after zsh's end-of-line padding. A `;` or newline before every `}`: without it `setopt ignorebraces`
// and `emulate sh` do not see the brace.
// An error (`echo *.nomatch`) ends what is sourced, and `.` says 126 then, where the same at the prompt is 1:
// so is 126 without the epilogue, unless the text may return it.
constexpr ShellTemplate kZsh = {
    R"sh(\builtin \.)sh",
    R"sh(\unfunction builtin; \enable . builtin eval exit printf return setopt unset unsetopt)sh",
    R"sh(@N@_s=$? @N@_a=${options[aliases]} options[aliases]=off
{ @N@_x=$- @N@_t=; \builtin unset @N@_r
case @EXIT_LOST@$- in (1*|*e*) @N@_s=@PREVIOUS@;; esac
case $@N@_x in (*[xv]*) \builtin unsetopt xtrace; @N@_t=';x=1';; esac
\builtin setopt histignorespace
case ${TMUX-} in (@NO_MUX@) \builtin unset TMUX;; esac; case ${STY-} in (@NO_MUX@) \builtin unset STY;; esac; case ${ZELLIJ-} in (@NO_MUX@) \builtin unset ZELLIJ;; esac
case ${(t)TMOUT-}${TMOUT-} in (*readonly*|*[a-z]0|*[a-z]) ;; (*) TMOUT=0;; esac
\builtin printf -v @N@_o ok || \builtin enable printf
\builtin : >| @TAKEN@
\builtin printf '\r\e[A\e[2K%b\e]7;mcp:START:@NONCE@\a\e]133;C;mcp=START:@NONCE@%s\a' @DISPLAY@ "$@N@_t" >| /dev/tty; } 2>/dev/null
{ # @N@_
options[aliases]=$@N@_a
case $@N@_x in (*x*) { options[xtrace]=$(\builtin printf on; \builtin exit $@N@_s); } 2>/dev/null;; (*) case $@N@_s in (0) ;; (-*|2[6-9]?|25[6-9]|[3-9]??|????*) () { \builtin return $1; } $@N@_s && \builtin :;; (*) { (\builtin exit $@N@_s) && \builtin :; } 2>/dev/null;; esac;; esac
\builtin . @TEXT@
} always { # @N@_
@N@_s=${@N@_r-$?} @N@_x=$- options[xtrace]=off @N@_a=${options[aliases]} options[aliases]=off
{ @N@_t= @N@_i=$TRY_BLOCK_INTERRUPT
case @RETURNS_126@$@N@_i${@N@_r-e}$@N@_s${options[errreturn]} in (0e126off) @N@_s=1;; esac
case $@N@_x in (*[xv]*) @N@_t=';x=1';; esac
case $@N@_i in (1) @N@_t="$@N@_t;by=hook";; esac
\builtin printf -v @N@_o end
@N@_c=; if \builtin test -e @CANCELLED@; then @N@_c=@CANCELLED_LINE@; fi
case ${@N@_o-} in
(end) \builtin printf '\e]133;D;%s;mcp=END:@NONCE@%s\a\e]7;mcp:END:@NONCE@\a%b' $@N@_s "$@N@_t" "$@N@_c" >| /dev/tty
\builtin printf %s $@N@_s >| @EXIT@;;
(*) @HELPER@ end @NONCE@ $@N@_s @EXIT@;;
esac # @N@_
__mcp_key() { # @N@_
@EDITOR_KEY@ # @N@_
} # @N@_
\builtin zle -N __mcp_key # @N@_
for @N@_m in emacs viins vicmd; do \builtin bindkey -M $@N@_m '\e[7707~' __mcp_key; done # @N@_
options[aliases]=$@N@_a; @N@_t="\builtin unset @N@_s @N@_x @N@_t @N@_i @N@_r @N@_o @N@_c @N@_a @N@_m"
case $@N@_x in
(*e*x*) @N@_t="$@N@_t; options[xtrace]=on";;
(*e*) ;; # @N@_
(*x*) @N@_t="$@N@_t; options[xtrace]=on; \builtin return $@N@_s";;
(*) @N@_t="$@N@_t; \builtin return $@N@_s";;
esac; } >/dev/null 2>&1 # @N@_
case $@N@_i$@N@_x in (1*x*) options[xtrace]=on;; esac # @N@_
} # @N@_
\builtin \eval "$@N@_t"
)sh",
    "@N@_r=$?\n",
    "",
    ""};

// dash, sh, ash, ksh, mksh. A readonly PS1 ends the wrapper before START; the mending line does without the
// hook. A syntax error or C-c abandons the wrapper as well, so the hook is a command substitution in PS1. It
// cannot take itself out (it runs in a subshell): END does, or the next wrapper; once its file is gone it is
// silent.
constexpr ShellTemplate kPosix = {R"sh(\.)sh",
                                  R"sh(\unset -f command printf; __mcp_no_hook=1)sh",
                                  R"sh({ { @N@_s=$? @N@_x=
\command eval '@N@_o=ok'
case ${@N@_o-} in (ok) \unset @N@_o;; (*) \unset -f command;; esac
case ${__mcp_no_hook-}${PS1-} in ('$({ \. "$__mcp_'*) PS1=${PS1#*'2>/dev/null)'};; esac
@N@_e=@HOOK@
case @EXIT_LOST@$- in (1*|*e*) @N@_s=@PREVIOUS@;; esac
case $- in (*[xv]*) @N@_x=';x=1';; esac
case ${TMUX-} in (@NO_MUX@) \unset TMUX;; esac; case ${STY-} in (@NO_MUX@) \unset STY;; esac; case ${ZELLIJ-} in (@NO_MUX@) \unset ZELLIJ;; esac
case ${__mcp_no_hook-} in ('') PS1='$({ \. "$@N@_e"; } 2>/dev/null)'"${PS1-}";; esac
\command : >| @TAKEN@
\command printf '\r\033[A\033[2K%b\033]7;mcp:START:@NONCE@\a\033]133;C;mcp=START:@NONCE@%s\a' @DISPLAY@ "$@N@_x" >| /dev/tty
case $@N@_s in (0) ;; (2[6-9]?|25[6-9]|[3-9]??|????*) @N@_f() { \return "$1"; }; @N@_f "$@N@_s";; (*) (\exit "$@N@_s");; esac; } && \: ; } 2>/dev/null
\. @TEXT@
{ \. @END@; } >/dev/null 2>&1
)sh",
                                  "{ @N@_r=$?; } >/dev/null 2>&1\n",
                                  R"sh(@N@_s=$?
@N@_s=${@N@_r-$@N@_s}
{ case $- in (*v*) @N@_x=';x=1';; (*) @N@_x=;; esac
\command eval '@N@_o=ok'
@N@_c=; if \command [ -e @CANCELLED@ ]; then @N@_c=@CANCELLED_LINE@; fi
case ${@N@_o-} in
(ok) \command printf '\033]133;D;%s;mcp=END:@NONCE@%s\a\033]7;mcp:END:@NONCE@\a%b' "$@N@_s" "$@N@_x" "$@N@_c" >| /dev/tty
\command printf %s "$@N@_s" >| @EXIT@;;
(*) @HELPER@ end @NONCE@ "$@N@_s" @EXIT@;;
esac
case ${PS1-} in ('$({ \. "$__mcp_'*) PS1=${PS1#*'2>/dev/null)'};; esac; } && \:
case $- in (*e*) @N@_s=0;; esac
\eval "\\unset -f @N@_f || \\:; \\unset __mcp_no_hook @N@_x @N@_e @N@_r @N@_o @N@_c @N@_s; \\return $@N@_s"
)sh",
                                  R"sh(@N@_s=$? @N@_c=
if \command [ -e @CANCELLED@ ]; then @N@_c=@CANCELLED_LINE@; fi
\command printf '\033]133;D;%s;mcp=END:@NONCE@;by=hook\a\033]7;mcp:END:@NONCE@\a%b' "$@N@_s" "$@N@_c" >| /dev/tty
\command printf %s "$@N@_s" >| @EXIT@
)sh"};

// fish. Its `source` parses the whole text first. No function may be named `builtin`, and all else is reached
// through it. Without full job control a sourced program would share the shell's own group. An `exit` in what
// is sourced ends only that: where the text has one, it is noted, and the shell then replaced by one that
// ends with its code: fish would draw a prompt before it left. What fish_exit would switch off is off. Where
// it sees TMUX at its start, it asks for focus reports after each command: with our TMUX that goes, too.
constexpr ShellTemplate kFish = {R"sh(builtin source)sh",   "",
                                 R"sh(set -l @N@_s $status
if test -n '@EXIT_LOST@'
set @N@_s @PREVIOUS@
end
function @N@_end --on-event fish_postexec
builtin source @END@ hook
end
if builtin test -n '@EXITS@'; and not builtin functions -q exit
set -g @N@_q no
function exit
set -g @N@_q yes
builtin exit $argv
set -l @N@_s $status
set -g @N@_q no
return $@N@_s
end
end
builtin printf '' >@TAKEN@
builtin printf '\r\e[A\e[2K%b\e]7;mcp:START:@NONCE@\a\e]133;C;mcp=START:@NONCE@\a' @DISPLAY@ >/dev/tty
function @N@_status
return $argv[1]
end
for @N@_m in TMUX STY ZELLIJ
if builtin test "$$@N@_m" = @NO_MUX@
set -e $@N@_m
builtin functions -e __fish_enable_focus __fish_disable_focus
end
end
set -e @N@_m
builtin status job-control full
@N@_status $@N@_s
builtin source @TEXT@
builtin source @END@
)sh", "",
                                 R"sh(set -l @N@_s $status
set -l @N@_by ''
if builtin test "$argv[1]" = hook
set @N@_by ';by=hook'
end
builtin functions -e @N@_end @N@_status
builtin status job-control interactive
if builtin set -q @N@_q
builtin functions -e exit
set -l @N@_q $@N@_q (set -eg @N@_q)
if builtin test $@N@_q[1] = yes
builtin printf %s "$PWD" >@DIRECTORY@
builtin functions -e __fish_disable_bracketed_paste
builtin emit fish_exit
exec /bin/sh -c "exit $@N@_s"
end
end
set -l @N@_c ''
if builtin test -e @CANCELLED@
set @N@_c @CANCELLED_LINE@
end
builtin printf '\e]133;D;%s;mcp=END:@NONCE@%s\a\e]7;mcp:END:@NONCE@\a%b' $@N@_s $@N@_by $@N@_c >/dev/tty
builtin printf %s $@N@_s >@EXIT@
for @N@_m in (builtin bind -L)
builtin bind -M $@N@_m \e\[7707~ @EDITOR_KEY@
end
set -e @N@_m
return $@N@_s
)sh", ""};

// In-line, for a shell that cannot read our files. Plain POSIX, because the shell behind ssh is not known
// until it runs. No reserved words: they may be aliases. What lies between may deliver the text twice, or
// damaged: the shell remembers the last 200 nonces that it took or refused, and takes none of them again.
constexpr std::string_view kInline = R"sh({ \: "${__mcp_seen=}"
@N@_o='\unset -f command'; \command eval '@N@_o=\:'; \eval "$@N@_o"
\unset @N@_b @N@_o
@N@_r=@RUN@
\command [ "${__mcp_seen#*@N@}" = "$__mcp_seen" ] || @N@_r=\:
} 2>/dev/null
\eval "$@N@_r"
)sh";

constexpr std::string_view kInlineRun = R"sh({ __mcp_seen=@N@:$__mcp_seen
\command [ "${#__mcp_seen}" -lt 3000 ] || __mcp_seen=${__mcp_seen%:__mcp_*}:
@N@_c=@COMMAND@ @N@_e=@END_CODE@
\command [ -z "${BASH_VERSION-}" ] || \command [ "${HISTCONTROL-}" != "${HISTCONTROL+${HISTCONTROL#*ignore[sb]}}" ] || \history -d -1
\command [ -z "${BASH_VERSION-}" ] || PROMPT_COMMAND='{ \eval "$@N@_e"; } 2>/dev/null
'"${PROMPT_COMMAND-}"
\command [ -n "${BASH_VERSION-}${ZSH_VERSION-}" ] || PS1='$({ \eval "$@N@_e"; } 2>/dev/null)'"${PS1-}"
@N@_r='(\exit "$@N@_s"); \eval "$@N@_c"; { \eval "$@N@_e"; } 2>/dev/null'
\command [ -z "${ZSH_VERSION-}" ] || @N@_r='(\exit $@N@_s); { \eval "$@N@_c" } always { \eval "$@N@_e" }'
\command printf '\r\033[A\033[2K%b\033]7;mcp:START:@NONCE@\a\033]133;C;mcp=START:@NONCE@\a' @DISPLAY@ >| /dev/tty
} 2>/dev/null
\eval "$@N@_r"
)sh";

// The typed text around the payload. What arrived damaged is not run, nor its second copy: that is said.
constexpr std::string_view kInlineTyped =
    R"sh( @N@_s=$? @N@_b=@PAYLOAD@; @N@_b=$(\unset -f command printf base64 cksum 2>/dev/null || \:; @N@_k=$(\printf %s "$@N@_b" | \cksum 2>/dev/null); \[ "${@N@_k:-${#@N@_b}}" = '@SUM@ @SIZE@' -o "${@N@_k:-${#@N@_b}}" = @SIZE@ ] && \printf %s "$@N@_b" | \base64 -d || \printf %s '\: "${__mcp_seen=}"; \command [ "${__mcp_seen#*@N@}" != "$__mcp_seen" ] || { __mcp_seen=@N@:$__mcp_seen; \command printf "\033]133;D;0;mcp=END:@NONCE@;by=refused\a" >| /dev/tty; }'); \eval "$@N@_b")sh";

constexpr std::string_view kInlineEnd = R"sh(@N@_s=$?
\command printf '\033]133;D;%s;mcp=END:@NONCE@\a\033]7;mcp:END:@NONCE@\a' "$@N@_s" >| /dev/tty
\command [ -z "${BASH_VERSION-}" ] || PROMPT_COMMAND=${PROMPT_COMMAND#*'2>/dev/null
'}
\command [ -n "${BASH_VERSION-}${ZSH_VERSION-}" ] || PS1=${PS1#*'2>/dev/null)'}
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

std::string_view inline_template() {
  return kInline;
}
std::string_view inline_run_template() {
  return kInlineRun;
}
std::string_view inline_typed_template() {
  return kInlineTyped;
}
std::string_view inline_end_template() {
  return kInlineEnd;
}

}  // namespace terminally
