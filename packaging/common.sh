# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by packaging/run and packaging/test: packages and the release build. Sourced, not run.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

say() { printf '%s\n' "$*" >&2; }

# What the named lists of packages name and this machine lacks, one a line.
missing_packages() {
    local list package
    for list in "$@"; do
        while read -r package; do
            if [[ -z "$package" || "$package" == \#* ]]; then continue; fi
            if [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
                printf '%s\n' "$package"
            fi
        done < "$root/packaging/$list"
    done
}

# install_packages LISTS...: installs what is missing of them; touches neither network nor root when nothing is.
install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "This is not a Debian system; building with what is installed."
        return
    fi
    local missing=()
    mapfile -t missing < <(missing_packages "$@")
    if [[ ${#missing[@]} -eq 0 ]]; then return; fi

    local as_root=()
    if [[ $EUID -ne 0 ]]; then
        # Ask for a password only where somebody can type one.
        if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
            as_root=(sudo)
        else
            say "Orrery needs these Debian packages, and installing them needs root:"
            say "    apt-get install ${missing[*]}"
            say "Run that as root, then start this script again."
            exit 1
        fi
    fi
    say "Installing ${#missing[@]} packages: ${missing[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# Sets $build: build/release, or a folder of the user's own where the tree belongs to somebody else.
choose_build_folder() {
    build="$root/build/release"
    if mkdir -p "$build" 2>/dev/null && [[ -w "$build" && ( ! -e "$build/build.ninja" || -w "$build/build.ninja" ) ]]; then
        return
    fi
    build="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/orrery/build/release"
    if ! mkdir -p "$build" 2>/dev/null; then
        build="${TMPDIR:-/tmp}/orrery-$(id -u)/build/release"
        mkdir -p "$build"
    fi
    say "$root/build/release is not writable for this user; building in $build."
}

# ccache ends a build in which it may not write; do without it then.
avoid_unwritable_ccache() {
    local folder="${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/ccache}"
    if ! mkdir -p "$folder" 2>/dev/null || [[ ! -w "$folder" ]]; then export CCACHE_DISABLE=1; fi
}

# CPU seconds that this machine takes for a small C++ file, which tell how fast it compiles.
probe_compiler() {
    local TIMEFORMAT=%U
    { time printf '#include <functional>\n#include <map>\n#include <regex>\n#include <string>\nstd::regex r("a+"); std::map<std::string, int> m;\n' |
        c++ -std=c++20 -O2 -x c++ -c -o /dev/null - ; } 2>&1 | tail -n 1
}

# say_duration PROBES: how long a first build takes here, when it costs so many times the CPU time of the probe.
say_duration() {
    if [[ -e "$build/.ninja_log" ]]; then return; fi
    local minutes
    minutes="$(awk -v probe="$(probe_compiler)" -v probes="$1" -v cores="$(nproc)" 'BEGIN { printf "%d", probe * probes / cores / 60 + 1 }')"
    say "The first build takes about $minutes minutes here ($(nproc) cores); later ones take seconds."
}

# build_release PROBES OPTIONS... -- TARGETS...: builds the named targets of the release preset, or all of them.
build_release() {
    local probes="$1" options=() targets=()
    shift
    while [[ $# -gt 0 && "$1" != -- ]]; do options+=("$1"); shift; done
    shift || true
    while [[ $# -gt 0 ]]; do targets+=(--target "$1"); shift; done
    choose_build_folder
    avoid_unwritable_ccache
    say_duration "$probes"
    (cd "$root" && cmake --preset release -B "$build" "${options[@]}" >"$build/configure.log" 2>&1) || {
        cat "$build/configure.log" >&2
        exit 1
    }
    NINJA_STATUS='[%p, %f of %t, %e s] ' cmake --build "$build" --parallel "$(nproc)" "${targets[@]}" >&2
}

# say_cost WHAT: how long the script has taken to get there, on the clock and in CPU time of all that it started.
say_cost() {
    local cost="$build/cost"
    times >"$cost"
    awk -v what="$1" -v seconds="$SECONDS" 'NR == 2 { split($1 "m" $2, part, /[ms]+/); cpu = part[1] * 60 + part[2] + part[3] * 60 + part[4] }
        END { printf "%s after %.1f minutes, %.1f minutes of CPU time.\n", what, seconds / 60, cpu / 60 }' "$cost" >&2
}
