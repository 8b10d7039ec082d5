#!/bin/bash
# Real Bluetooth for a machine that has none: calls an adapter over the kernel's own RFCOMM, service discovery included,
# in a virtual machine with two virtual controllers.
#
#   scripts/testbed/bluetooth-vm.sh [FOLDER=.tools/bluetooth-vm]
#
# Builds Debian's smallest system and a kernel into FOLDER once (some minutes, 450 MB), then takes half a minute or two.
# Not a part of `make test`. As root; installs qemu-system-x86, mmdebstrap, cpio and kmod where they are missing.
# Exit status: 0 where the calls came out as they must.
set -euo pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$project/.tools/bluetooth-vm}
export PATH=$PATH:/usr/sbin:/sbin
"$project/scripts/install.sh" debian qemu-system-x86_64:qemu-system-x86 mmdebstrap:mmdebstrap cpio:cpio depmod:kmod
mkdir -p "$folder"

# A release build, for its runtime must be inside.
swift build --package-path "$project" -c release --product PortsProbe --static-swift-stdlib -Xlinker -s >&2
probe=$(swift build --package-path "$project" -c release --product PortsProbe --static-swift-stdlib --show-bin-path)/PortsProbe

cd "$folder"
if [ ! -s root.tar ]; then
  mmdebstrap --variant=minbase --mode=root --dpkgopt=force-unsafe-io --aptopt='Apt::Install-Recommends "false"' \
    --include=dbus,bluez,bluez-test-tools,python3-dbus,python3-gi,kmod,libudev1,libstdc++6 bookworm new.tar >&2
  mv new.tar root.tar
fi
if ! ls kernel/boot/vmlinuz-* >/dev/null 2>&1; then
  name=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: linux-image-//p' | head -1)
  apt-get download -q "linux-image-$name" >&2
  dpkg -x linux-image-*.deb kernel
fi
version=$(ls kernel/lib/modules)

rm -rf image
mkdir image
tar -C image -xf root.tar --exclude='./boot/*' --exclude='./dev/*' --exclude='./var/cache/apt/*' \
  --exclude='./var/lib/apt/lists/*' --exclude='./usr/share/doc/*' --exclude='./usr/share/locale/*'
mkdir -p "image/lib/modules/$version"
cp kernel/lib/modules/"$version"/modules.{order,builtin,builtin.modinfo} "image/lib/modules/$version"
depmod -b "$PWD/kernel" "$version"
for module in hci_vhci rfcomm bnep ecdh_generic cmac ecb af_alg algif_hash algif_skcipher aes_generic; do
  for file in $(modprobe -d "$PWD/kernel" -S "$version" --show-depends "$module" | awk '/^insmod/ { print $2 }'); do
    place=image/lib/modules/$version/${file#*"lib/modules/$version/"}
    mkdir -p "$(dirname "$place")"
    cp "$file" "$place"
  done
done
depmod -b "$PWD/image" "$version"
cp "$project/scripts/testbed/bluetooth-init.sh" image/init
cp "$project/scripts/testbed/rfcomm.py" "$probe" image/
chmod +x image/init
(cd image && find . | cpio -o -H newc 2>/dev/null) >initrd.img

# Without KVM: inside another machine it may be there and not work, and then qemu stops instead of going on without.
timeout 300 qemu-system-x86_64 -accel tcg,thread=multi -cpu max -m 2048 -smp 2 -nodefaults -no-user-config \
  -no-reboot -display none -serial stdio -kernel kernel/boot/vmlinuz-* -initrd initrd.img \
  -append "console=ttyS0 quiet loglevel=3 panic=1 rdinit=/init" </dev/null | tr -d '\r' | tee log

failed=0
for line in '^error rfcomm:00:AA:01:01:00:01/9: refused' '^answer ELM327 v1.5$' '^prompt$' \
  '^error rfcomm:00:AA:01:01:00:01: gone'; do
  grep -qE "$line" log || { echo "bluetooth-vm: no line with $line" >&2; failed=1; }
done
exit $failed
