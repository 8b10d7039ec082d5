#!/bin/bash
# Creates a Debian 12 to boot in a container, in .tools/image: the dependencies of the packages and a few tools for
# inspection. If it exists, the script does nothing. It needs root, because root owns the files.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=systemd,systemd-sysv,udev,dbus,ca-certificates,curl,libcurl4,libmosquitto1,libzstd1,libsqlite3-0,sqlite3,libudev1,libpq5,libsodium23,libstdc++6,zlib1g
image=.tools/image
stamp=$image.$(sha256sum "$0" | cut -c1-16)
[ ! -e "$stamp" ] || exit 0
echo "image: Debian 12 into $image" >&2
as=()
[ "$(id -u)" -eq 0 ] || as=(sudo)
mkdir -p .tools
"${as[@]}" rm -rf "$image" "$image".*
"${as[@]}" mmdebstrap --quiet --variant=minbase --include="$packages" bookworm "$image" http://deb.debian.org/debian >&2
touch "$stamp"
