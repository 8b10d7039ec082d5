#!/bin/bash
# Makes a Debian 12 that boots in a virtual machine, in .build/vm: its disk (journalled ext4), vmlinuz and initrd. It
# has the packages on which obdgate depends, BlueZ with two virtual controllers, and a root shell on a port of the
# machine (guest/); obdgate itself is installed when the machine runs. The first run takes some two minutes and 300 MB.
# If the image exists, the script prints nothing and uses no network. It needs root, because root owns the files.
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=systemd,systemd-sysv,udev,dbus,kmod,busybox-static,bluez,bluez-test-tools,python3-dbus,python3-gi
packages+=,ca-certificates,libcurl4,libmosquitto1,libzstd1,libsqlite3-0,libudev1,libstdc++6,zlib1g
# Kernel modules: those without which the kernel cannot start, and those for the devices that the tests plug in.
early="virtio_pci virtio_blk ext4"
modules="$early virtio_net virtio_console virtio_rng xhci_pci usbserial ftdi_sio hci_vhci rfcomm bnep ecdh_generic cmac ecb
  af_alg algif_hash algif_skcipher aes_generic autofs4"
image=$(realpath -m "${VM_IMAGE:-.build/vm}")
guest=scripts/system-test/guest
stamp=$image/made-$(cat scripts/system-test/image.sh $guest/* | sha256sum | cut -c1-16)
[ ! -e "$stamp" ] || exit 0
echo "image: Debian 12 into $image" >&2
as=()
[ "$(id -u)" -eq 0 ] || as=(sudo)
export PATH=$PATH:/usr/sbin:/sbin
mkdir -p "$image"
work=$(mktemp -d "$image/work.XXXX")
chmod 755 "$work"
trap '"${as[@]}" rm -rf "$work"' EXIT
root=$work/root
in_root() { "${as[@]}" env DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }

# The kernel's package is only unpacked and not installed, because no initrd is needed in the image, and few of the
# kernel's modules.
"${as[@]}" mmdebstrap --quiet --variant=minbase --include="$packages" \
  --dpkgopt=path-exclude='/usr/share/doc/*' --dpkgopt=path-exclude='/usr/share/man/*' \
  --dpkgopt=path-exclude='/usr/share/locale/*' --aptopt='Apt::Install-Recommends "false"' \
  --customize-hook='export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" && cd "$1/boot" && apt-get -qq download \
    $(apt-cache depends linux-image-amd64 | sed -n "s/.*Depends: \(linux-image-[0-9]\)/\1/p" | head -n 1)' \
  bookworm "$root" http://deb.debian.org/debian >&2
"${as[@]}" sh -c "dpkg-deb -x '$root'/boot/linux-image-*.deb '$root/kernel' && rm '$root'/boot/linux-image-*.deb"
"${as[@]}" cp "$root"/kernel/boot/vmlinuz-* "$work/vmlinuz"
version=$(ls "$root/kernel/lib/modules")
in_root depmod -b /kernel "$version"

# Prints the files of modules, preceded by the files of the modules on which they depend.
files_of() {
  for module in "$@"; do in_root modprobe -d /kernel -S "$version" --show-depends "$module"; done |
    awk '$1 == "insmod" && !seen[$2]++ { sub("^/kernel", "", $2); print $2 }'
}

first=$(files_of $early)
"${as[@]}" mkdir -p "$root/lib/modules/$version"
for file in $(files_of $modules) /lib/modules/"$version"/modules.{order,builtin,builtin.modinfo}; do
  "${as[@]}" install -D -m 644 "$root/kernel$file" "$root$file"
done
in_root depmod "$version"

initrd=$work/initrd
mkdir -p "$initrd"/{bin,dev,proc,sys,modules,disk}
cp "$root/bin/busybox" "$initrd/bin/busybox"
cp "$guest/init" "$initrd/init"
number=100
for file in $first; do
  cp "$root/kernel$file" "$initrd/modules/$((number++))-$(basename "$file")"
done
chmod 755 "$initrd/init"
(cd "$initrd" && find . | "$root/bin/busybox" cpio -o -H newc 2>/dev/null) > "$work/initrd.img"
"${as[@]}" rm -rf "$root/kernel"

lib=$root/usr/local/lib/testbed
"${as[@]}" install -d "$lib" "$root/etc/systemd/system/bluetooth.service.d"
"${as[@]}" install -m 644 $guest/*.sh $guest/*.py "$lib"
"${as[@]}" install -m 644 $guest/*.service "$root/etc/systemd/system"
"${as[@]}" install -m 644 $guest/bluetooth.conf "$root/etc/systemd/system/bluetooth.service.d"
in_root systemctl --quiet enable network shell witness controllers adapter
# The imitated adapters use the same bluetoothd as the daemon. Each gets only one ATT channel, because BlueZ does not
# always work with itself over several. They accept another pairing by a peer that has lost its key.
"${as[@]}" sed -i 's/^#Channels *=.*/Channels = 1/; s/^#JustWorksRepairing *=.*/JustWorksRepairing = always/' \
  "$root/etc/bluetooth/main.conf"
for setting in 'Channels = 1' 'JustWorksRepairing = always'; do grep -qx "$setting" "$root/etc/bluetooth/main.conf"; done
# Services for logins and for maintenance are switched off, because each costs seconds in an emulated machine.
in_root systemctl --quiet mask getty.target serial-getty@ttyS0.service systemd-logind.service systemd-user-sessions.service \
  systemd-networkd.socket systemd-network-generator.service systemd-binfmt.service proc-sys-fs-binfmt_misc.automount \
  systemd-pstore.service systemd-rfkill.service systemd-rfkill.socket systemd-modules-load.service kmod-static-nodes.service \
  modprobe@configfs.service modprobe@dm_mod.service modprobe@drm.service modprobe@fuse.service modprobe@loop.service \
  modprobe@efi_pstore.service dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
  sys-kernel-config.mount sys-fs-fuse-connections.mount systemd-remount-fs.service systemd-random-seed.service \
  systemd-hostnamed.service systemd-update-utmp.service systemd-update-utmp-runlevel.service systemd-ask-password-wall.path \
  systemd-ask-password-console.path apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer e2scrub_reap.service \
  fstrim.timer dpkg-db-backup.timer systemd-tmpfiles-clean.timer
"${as[@]}" sh -c "
  echo 3c4d1ad9a46a4be4a4ed1e9f5f2b7c10 > '$root/etc/machine-id'
  echo vehicle > '$root/etc/hostname'
  : > '$root/etc/fstab'
  mkdir -p '$root/etc/systemd/journald.conf.d'
  printf '[Journal]\nStorage=volatile\nRateLimitBurst=0\n' > '$root/etc/systemd/journald.conf.d/testbed.conf'
  rm -rf '$root'/var/cache/apt/* '$root'/var/lib/apt/lists/* '$root'/dev/*"

truncate -s 1500M "$work/image"
"${as[@]}" mke2fs -q -t ext4 -F -L vehicle -d "$root" "$work/image"
"${as[@]}" chown "$(id -u)" "$work/vmlinuz" "$work/image"
# Remove suspended machines, whose disks are overlays of the former image (asleep.py).
rm -rf "$image"/made-* "$image"/asleep-*
mv "$work/image" "$image/disk"
mv "$work/vmlinuz" "$image"
mv "$work/initrd.img" "$image/initrd"
touch "$stamp"
