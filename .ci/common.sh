#!/usr/bin/env bash
# Shared by app/run and tests/run; sourced by bash with -euo pipefail.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

# package_names build run ...: the names in .ci/packages for these purposes
package_names() {
    local purpose line
    for purpose in "$@"; do
        while read -r line; do
            case $line in "$purpose "*) tr ' ' '\n' <<<"${line#"$purpose "}" ;; esac
        done <"$root/.ci/packages"
    done
}

# Installs those packages that are missing, and says which.
install_packages() {
    local wanted missing=() name as_root=()
    mapfile -t wanted < <(package_names "$@")
    if ! command -v dpkg-query >/dev/null; then
        say "Not a Debian system: packages are not checked. Needed, by Debian's names: ${wanted[*]}"
        return
    fi
    local installed
    installed=" $(dpkg-query -W -f='${db:Status-Status} ${Package} ' "${wanted[@]}" 2>/dev/null || true)"
    for name in "${wanted[@]}"; do
        [[ $installed == *" installed $name "* ]] || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "Installing missing packages: ${missing[*]}"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            say "This needs root and there is no sudo. As root, type:"
            say "  apt-get install ${missing[*]}"
            exit 1
        }
        as_root=(sudo)
    fi
    # On standard error: standard output belongs to what the caller runs next.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q update >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "${missing[@]}" >&2
}

# build_tree FOLDER TARGET CMAKE-ARGUMENTS...: configures when needed and builds; quiet when there is nothing to do.
build_tree() {
    local folder=$1 target=$2 generator=() log=$1/build.log
    shift 2
    if [ ! -f "$folder/CMakeCache.txt" ] || [ ! -f "$folder/.spindrift-arguments" ] ||
        [ "$(cat "$folder/.spindrift-arguments")" != "$*" ]; then
        if [ ! -f "$folder/CMakeCache.txt" ] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
        say "Configuring $folder"
        cmake -S "$root" -B "$folder" "${generator[@]}" "$@" >&2
        printf '%s' "$*" >"$folder/.spindrift-arguments"
    fi
    log=$folder/build.log
    # A build with nothing to do says nothing; one that works shows its progress. pipefail lets a failure through.
    cmake --build "$folder" --target "$target" --parallel "$(nproc)" 2>&1 | tee "$log" |
        { grep --line-buffered -v -e 'no work to do' -e 'Re-checking globbed' || true; } >&2 || {
        say "The build failed; its messages are above and in $log"
        exit 1
    }
}
