# shellcheck shell=bash disable=SC2034
# Sourced by scripts/run, scripts/test and scripts/package: installs what a bare Debian lacks, and nothing when nothing is missing.

# What it takes to build the program and run it; ccache saves the second build and what comes after.
BUILD_PACKAGES=(g++ ccache cmake ninja-build pkg-config libboost1.81-dev nlohmann-json3-dev libcli11-dev doctest-dev libpcre2-dev libsodium-dev libvterm-dev tmux)

# need_packages PKG…: installs those that are missing, with apt-get, as root or through sudo. Where it cannot, it says what is
# missing and how to install it, and returns 1.
need_packages() {
  local package wanted there native log missing=() sudo=()
  native=$(dpkg --print-architecture 2>/dev/null || :)
  for package in "$@"; do
    wanted=$native  # it may be there for another architecture alone
    [[ $package != *:* ]] || wanted=${package#*:}
    there=" $(dpkg-query -W -f='${Architecture}:${db:Status-Status} ' "$package" 2>/dev/null || :)"
    [[ ${there/ all:/ $wanted:} == *" $wanted:installed "* ]] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    echo "${0##*/}: these Debian packages, or what they are called here, are missing: ${missing[*]}" >&2
    return 1
  fi
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
      echo "${0##*/}: missing packages; install them as root: apt-get install ${missing[*]}" >&2
      return 1
    fi
    sudo=(sudo)
  fi
  echo "${0##*/}: installing ${missing[*]}" >&2
  for package in "${missing[@]}"; do
    [[ $package != *:* ]] || "${sudo[@]}" dpkg --add-architecture "${package#*:}"
  done
  log=$(mktemp)
  if ! "${sudo[@]}" apt-get update -q </dev/null >"$log" 2>&1 ||
     ! "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "${0##*/}: apt-get could not install: ${missing[*]}" >&2
    return 1
  fi
  rm -f "$log"
}
