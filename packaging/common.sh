# Shared by packaging/run and packaging/test: packages and the release build. Sourced, not run.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

say() { printf '%s\n' "$*" >&2; }

# What packages.txt names and this machine lacks, one a line.
missing_packages() {
    local package
    while read -r package; do
        if [[ -z "$package" || "$package" == \#* ]]; then continue; fi
        if [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
            printf '%s\n' "$package"
        fi
    done < "$root/packaging/packages.txt"
}

# Installs what is missing; touches neither network nor root when nothing is.
install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "This is not a Debian system; building with what is installed."
        return
    fi
    local missing=()
    mapfile -t missing < <(missing_packages)
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

# Builds the named targets of the release preset, or all of them.
build_release() {
    choose_build_folder
    avoid_unwritable_ccache
    local targets=() target
    for target in "$@"; do targets+=(--target "$target"); done
    (cd "$root" && cmake --preset release -B "$build" >"$build/configure.log" 2>&1) || {
        cat "$build/configure.log" >&2
        exit 1
    }
    cmake --build "$build" --parallel "$(nproc)" "${targets[@]}" >&2
}
