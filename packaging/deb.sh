#!/bin/bash
# Builds the Debian packages obdgate and fleetstore from the release programs.
#
#   packaging/deb.sh [OUT=.build/packages] [PACKAGE…]      default: both packages
#
# PROGRAMS: the folder of the release build. CHECKOUTS: the folder of the Swift packages that it links, for their licences.
# WEB: the folder of the web app (make web). RECOGNIZER: the folder of the networks that read receipts (make need-recognizer).
# PACKED: compression options of dpkg-deb. VERSION: for tests, instead of the version in packaging/changelog.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-.build/packages}
packages=("${@:2}")
[ ${#packages[@]} -gt 0 ] || packages=(obdgate fleetstore)
programs=${PROGRAMS:-.build/release}
checkouts=${CHECKOUTS:-.build/checkouts}
web=${WEB:-.build/web}
recognizer=${RECOGNIZER:-.tools/recognizer}
version=${VERSION:-$(sed -nE '1s/.*\(([^)]*)\).*/\1/p' packaging/changelog)}
architecture=$(dpkg --print-architecture)
# All files in a package have the date of the changelog, so that the same sources give the same package.
SOURCE_DATE_EPOCH=$(date -d "$(sed -nE 's/^ -- .*>  (.*)/\1/p' packaging/changelog | head -1)" +%s)
export SOURCE_DATE_EPOCH
# The toolchain's licence is beside its compiler.
compiler=$(readlink -f "$(command -v swiftc)")
runtime=$(dirname "$compiler")/../share/swift/LICENSE.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

put() { install -D -m "$1" "$2" "$3"; }
packed() { mkdir -p "$(dirname "$1")" && gzip -9n > "$1" && chmod 644 "$1"; }

# NAME PROGRAM…: adds the files that every package has.
common() {
  local name=$1 root=$work/$1 doc program
  shift
  doc=$root/usr/share/doc/$name
  for program in "$@"; do
    put 755 "$programs/$program" "$root/usr/bin/$program"
  done
  mkdir -p "$doc"
  python3 packaging/copyright.py "$programs" "$checkouts" "$runtime" "$@" > "$doc/copyright"
  chmod 644 "$doc/copyright"
  packed "$doc/changelog.gz" < packaging/changelog
}

# NAME PROGRAM: adds the manual page and the completions that a program generates.
described() {
  local root=$work/$1 program=$2
  "$programs/$program" --experimental-dump-help | python3 packaging/man.py 1 "$version" |
    packed "$root/usr/share/man/man1/$program.1.gz"
  mkdir -p "$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions"
  "$programs/$program" --generate-completion-script bash | sed '1{/^#!/d}' > "$root/usr/share/bash-completion/completions/$program"
  "$programs/$program" --generate-completion-script zsh > "$root/usr/share/zsh/vendor-completions/_$program"
}

# NAME: adds all pages of the documentation, because they have links to each other.
pages() {
  local page
  for page in docs/*.md; do put 644 "$page" "$work/$1/usr/share/doc/$1/${page##*/}"; done
}

# NAME UNIT STATE PROGRAM…: adds the scripts and the control file, and makes the archive.
finish() {
  local name=$1 unit=$2 state=$3 root=$work/$1 depends script
  mkdir -p "$root/DEBIAN" "$work/debian"
  echo "Source: $name" > "$work/debian/control"
  depends=$(cd "$work" && dpkg-shlibdeps -O "${@:4}" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
  for script in postinst prerm postrm; do
    {
      printf '#!/bin/sh\nset -e\n'
      [ ! -e "packaging/$name/$script" ] || cat "packaging/$name/$script"
      sed "s/@UNIT@/$unit/g; s/@STATE@/$state/g" "packaging/unit.$script"
    } > "$root/DEBIAN/$script"
    chmod 755 "$root/DEBIAN/$script"
  done
  (cd "$root" && find etc -type f -printf '/%p\n' | sort) > "$root/DEBIAN/conffiles"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$root/DEBIAN/md5sums"
  chmod 644 "$root/DEBIAN/conffiles" "$root/DEBIAN/md5sums"
  find "$root" -type d -exec chmod 755 {} +
  find "$root/usr/share" -type f -exec chmod 644 {} +
  sed "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@DEPENDS@/$depends/
       s/@SIZE@/$(du -sk --apparent-size --exclude=DEBIAN "$root" | cut -f1)/" \
    "packaging/$name/control" > "$root/DEBIAN/control"
  dpkg-deb --root-owner-group ${PACKED:--Zxz -z6} --build "$root" "$out/${name}_${version}_$architecture.deb" >&2
}

package_obdgate() {
  common obdgate obdgate obdgated
  described obdgate obdgate
  local root=$work/obdgate
  "$programs/obdgated" --help | python3 packaging/man.py --usage obdgated 8 "$version" |
    packed "$root/usr/share/man/man8/obdgated.8.gz"
  put 644 packaging/obdgate/obdgated.bash "$root/usr/share/bash-completion/completions/obdgated"
  put 644 packaging/obdgate/obdgated.zsh "$root/usr/share/zsh/vendor-completions/_obdgated"
  put 644 systemd/obdgated.service "$root/usr/lib/systemd/system/obdgated.service"
  put 644 systemd/obdgate.sysusers.conf "$root/usr/lib/sysusers.d/obdgate.conf"
  put 644 systemd/70-obdgate.rules "$root/usr/lib/udev/rules.d/70-obdgate.rules"
  put 644 packaging/obdgate/obdgated.json "$root/etc/obdgate/obdgated.json"
  pages obdgate
  put 644 Sources/Vehicle/Simulator/README.md "$root/usr/share/doc/obdgate/Simulator.md"
  put 644 config.schema.json "$root/usr/share/obdgate/config.schema.json"
  put 644 config.example.json "$root/usr/share/doc/obdgate/examples/config.example.json"
  finish obdgate obdgated.service obdgate obdgate/usr/bin/obdgate obdgate/usr/bin/obdgated
}

package_fleetstore() {
  common fleetstore fleetstore
  described fleetstore fleetstore
  local root=$work/fleetstore
  put 644 systemd/fleetstore.service "$root/usr/lib/systemd/system/fleetstore.service"
  put 644 packaging/fleetstore/fleetstore.json "$root/etc/fleetstore/fleetstore.json"
  pages fleetstore
  put 644 fleetstore.schema.json "$root/usr/share/fleetstore/fleetstore.schema.json"
  put 644 docs/WebApp.md "$root/usr/share/doc/fleetstore/WebApp.md"
  cp -r "$web" "$root/usr/share/fleetstore/web"
  for file in Sources/Fleet/FleetFiles/Helper/*.{py,txt}; do put 644 "$file" "$root/usr/share/fleetstore/helper/${file##*/}"; done
  # The library is for one kind of processor and one version of Python. With another one, the server reads receipts without it.
  (cd "$recognizer" && find onnxruntime ./*.onnx -type f ! -name '*.pyc') | while read -r file; do
    put 644 "$recognizer/$file" "$root/usr/lib/fleetstore/recognizer/$file"
  done
  strip --strip-unneeded "$root"/usr/lib/fleetstore/recognizer/onnxruntime/capi/*.so
  mv "$root"/usr/lib/fleetstore/recognizer/onnxruntime/ThirdPartyNotices.txt "$root/usr/share/doc/fleetstore/onnxruntime.notices"
  gzip -9n "$root/usr/share/doc/fleetstore/onnxruntime.notices"
  rm "$root/usr/lib/fleetstore/recognizer/onnxruntime/LICENSE"
  put 644 packaging/fleetstore/lintian-overrides "$root/usr/share/lintian/overrides/fleetstore"
  ln -s ../../lib/fleetstore/recognizer "$root/usr/share/fleetstore/recognizer"
  cat packaging/licences/web packaging/licences/recognizer >> "$root/usr/share/doc/fleetstore/copyright"
  finish fleetstore fleetstore.service fleetstore fleetstore/usr/bin/fleetstore
}

mkdir -p "$out"
for package in "${packages[@]}"; do "package_$package"; done
