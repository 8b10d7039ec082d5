#!/bin/bash
# A disk with the image's Debian and a package that dpkg has installed, journalled ext4. The service is enabled, but
# not started with the machine: an adapter that is plugged in starts it.
#
#   scripts/system-test/disk.sh PACKAGE.deb      prints the disk's path
#
# Made anew for another package or image alone. Root, for its files are root's.
set -euo pipefail
package=$(realpath "$1")
cd "$(dirname "$0")/../.."
image=$(realpath -m "${VM_IMAGE:-.build/vm}")
disk=$image/disk-$(cat scripts/system-test/disk.sh "$package" "$image"/made-* <(ls "$image"/made-*) | sha256sum | cut -c1-16)
if [ ! -e "$disk" ]; then
  as=()
  [ "$(id -u)" -eq 0 ] || as=(sudo)
  export PATH=$PATH:/usr/sbin:/sbin
  work=$(mktemp -d "$image/work.XXXX")
  chmod 755 "$work"
  trap '"${as[@]}" rm -rf "$work"' EXIT
  "${as[@]}" cp -a "$image/root" "$work/root"
  "${as[@]}" cp "$package" "$work/root/var/tmp/obdgate.deb"
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive chroot "$work/root" \
    sh -ec 'dpkg --install /var/tmp/obdgate.deb; rm /var/tmp/obdgate.deb
      rm /etc/systemd/system/multi-user.target.wants/obdgated.service' >&2
  truncate -s 1500M "$work/disk"
  "${as[@]}" mke2fs -q -t ext4 -F -L vehicle -d "$work/root" "$work/disk"
  "${as[@]}" chown "$(id -u)" "$work/disk"
  rm -f "$image"/disk-*
  mv "$work/disk" "$disk"
fi
echo "$disk"
