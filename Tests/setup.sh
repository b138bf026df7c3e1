# Checks that the machine has what the package needs and installs what is missing; otherwise stops
# with a message. Sets `repository`. Sourced by the scripts in Tests, Examples and .ci.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

stop() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    exit 1
}

# run_as_root COMMAND...: runs a command as root, with sudo if necessary.
run_as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

# install_packages PACKAGE...: installs Debian packages.
install_packages() {
    local log
    command -v apt-get >/dev/null ||
        stop "$* is missing, and apt-get isn't available: please install it manually."
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
        stop "$* is missing, and sudo isn't available: please run 'apt-get install $*' as root."
    echo "Installing $* ..."
    log=$(mktemp)
    if ! run_as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y "$@" >"$log" 2>&1; then
        # The package lists may be missing or out of date.
        if ! { run_as_root apt-get update &&
            run_as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y "$@"; } >"$log" 2>&1
        then
            tail -n 5 "$log" >&2
            rm -f "$log"
            stop "apt-get failed to install $*; the end of its output is above."
        fi
    fi
    rm -f "$log"
}

check_platform() {
    [ "$(uname -s)" = Linux ] || stop "Regnum runs on Linux only; this is $(uname -s)."
}

check_swift() {
    local version
    command -v swift >/dev/null ||
        stop "Swift is missing: please install Swift 6.2 or later (https://www.swift.org/install)."
    version=$(swift --version 2>/dev/null |
        sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | sed -n 1p)
    [ -n "$version" ] || stop "'swift --version' failed: please repair the Swift installation."
    [ "$(printf '6.2\n%s\n' "$version" | sort -V | sed -n 1p)" = 6.2 ] ||
        stop "Swift 6.2 or later is required; this is Swift $version."
}

check_packages() {
    local missing=()
    command -v git >/dev/null || missing+=(git)
    command -v pkg-config >/dev/null || missing+=(pkg-config)
    # Without pkg-config, look for the header.
    if command -v pkg-config >/dev/null; then
        pkg-config --exists libuv || missing+=(libuv1-dev)
    else
        [ -e /usr/include/uv.h ] || missing+=(libuv1-dev)
    fi
    if [ ${#missing[@]} -gt 0 ]; then
        install_packages "${missing[@]}"
        pkg-config --exists libuv || stop "libuv is installed, but pkg-config can't find it."
    fi
}

check_platform
check_swift
check_packages
