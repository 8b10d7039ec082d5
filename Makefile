# obdgate. On a fresh Debian 12 with a Swift toolchain, as root or with sudo:
#
#   make run     installs what is missing, builds, and drives a simulated car: JSON lines on stdout, a fleet store beside
#   make test    installs what is missing, builds, runs every test; make test-fairness: a hostile tenant for minutes
#   make deb     the Debian packages obdgate and fleetstore, into .build/packages; make test-packages: what they do
#
#   make system-test  the package in a virtual machine: USB, Bluetooth, GPS, a power cut; make system-test-ble: Bluetooth LE;
#                     make torture-vm: 20 cuts
#   make torture  kills and power cuts by the thousand; make torture-brokers: of brokers and workers
#   make lint | format | docs | fuzz [SECONDS=60] [TARGET=Framing] | bench | clean

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help run test test-fairness test-packages system-test system-test-ble torture-vm bench-vm tests tools release deb docs torture torture-brokers lint format fuzz bench bench-live bench-fences bench-vehicle bench-store benchmarks clean need-jq need-python need-gpsd need-seeds need-headers need-testbed need-peers need-influx need-packaging need-systemd need-image need-vm static

# What is measured and what is shipped: the Swift runtime inside, no symbols, and the parser specialised for the
# handler it drives across the module's border. No path to libraries of its own, no symbols for others, relocations packed:
# the daemon and its command are 29 MB so, and 33 without (lld alone does it; glibc loads it from 2.36 on). No
# table to look up how a frame is unwound: only exceptions of C++ want it, and there are none.
RELEASE := -c release --static-swift-stdlib -Xlinker -s -Xlinker -L$(CURDIR)/.build/static -debug-info-format none \
  --disable-local-rpath -Xswiftc -use-ld=lld -Xlinker --version-script=$(CURDIR)/packaging/programs.map \
  -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-eh-frame-hdr

SECONDS ?= 60
TARGET ?=

help:
	@sed -n 's/^# \{0,1\}//; 2,10p' $(MAKEFILE_LIST)

# Programs print to stdout, everything for people goes to stderr: `make -s run | jq` works. Ctrl-C ends all of it.
run: release
	@exec scripts/run.sh

# docs/Configuration.md from the schemas of both configurations, the signals that one of them names from the program.
docs: tools need-seeds
	@scripts/configuration.py .build/release/obdgate

# The packages of the release build.
deb: need-packaging release
	@packaging/deb.sh

# The C++ library that the Swift runtime stands on goes inside, too: 0.9 MB of memory less. A folder in which the linker
# finds nothing but the archive.
static:
	@mkdir -p .build/static && ln -sf "$$(gcc -print-file-name=libstdc++.a)" .build/static/libstdc++.a

tools: need-headers static
	@swift build $(RELEASE) --product obdgate >&2
	@swift build $(RELEASE) --product obdgated >&2

# All three programs; the fleet store with all that it stands on takes the longest.
release: tools
	@swift build $(RELEASE) --product fleetstore >&2

tests: need-headers
	@swift build --build-tests -debug-info-format none

# The last word of a test target's name before "Tests" says how its tests run. All other targets run side by side.
#
#   …ServerTests    servers in the tests' own process, which has as many threads as there are cores: no test that blocks
#                   a thread runs beside them
#   …LiveTests      programs that talk to each other in real time, each with time limits of its own: nothing else runs
#   …HostileTests   floods and malice that keep every core busy: by themselves
#   …FairnessTests  a hostile tenant beside a victim, for minutes, on an idle machine: make test-fairness
#   …PackageTests   need the release build of everything: make test-packages
kind = ^[A-Za-z]+$(1)Tests\.

test: need-jq need-python need-gpsd need-testbed need-peers need-systemd tests tools
	@FAILURES=$$(mktemp); export FAILURES; failed=0; \
	scripts/test.sh 25 --skip '$(call kind,(Server|Live|Hostile|Fairness|Package))' || failed=1; \
	scripts/test.sh 15 --filter '$(call kind,Server)' || failed=1; \
	scripts/test.sh 20 --filter '$(call kind,Live)' || failed=1; \
	scripts/test.sh 10 --filter '$(call kind,Hostile)' || failed=1; \
	cat $$FAILURES; rm -f $$FAILURES; exit $$failed

# Each attack lasts FAIRNESS_SECONDS; FAIRNESS_ATTACKS selects some. The release build is tested, because an attack on a
# debug build occupies all processors.
test-fairness: need-jq need-python need-peers tests release
	@FLEETSTORE_PROGRAM=$(CURDIR)/.build/release/fleetstore swift test --skip-build --disable-xctest --no-parallel --filter '$(call kind,Fairness)'

# Packages installed, upgraded and removed, units under a systemd that has booted in a container, `make run`. Root.
test-packages: need-image need-peers tests deb
	@swift test --skip-build --disable-xctest --no-parallel --filter '$(call kind,Package)'

# The package in a virtual machine, with adapters on USB and behind BlueZ, a receiver, and a power cut. Root for its image.
SYSTEM_TEST := FLEETSTORE_PROGRAM=$(CURDIR)/.build/debug/fleetstore /usr/bin/python3 scripts/system-test/run.py

system-test: need-vm tests tools
	@$(SYSTEM_TEST)

# An adapter with Bluetooth LE behind BlueZ in that machine: no part of the drive, whose adapter is of the other kind.
system-test-ble: need-vm tests tools
	@$(SYSTEM_TEST) --ble

torture-vm: need-vm tests tools
	@$(SYSTEM_TEST) --cuts $${CUTS:-20}

# What the daemon costs in that machine, for docs/Performance.md.
bench-vm: need-vm tests tools
	@$(SYSTEM_TEST) --figures $${MINUTES:-5}

# Power cuts and kills by the thousand: records that were committed arrive once. A million bodies that are none. A day's bytes
# of nonsense from each kind of line. An hour or two.
torture: need-peers tests release
	@OBDGATE_FUZZ_BODIES=1000000 FLEETSTORE_PROGRAM=$(CURDIR)/.build/release/fleetstore \
	  swift test --skip-build --disable-xctest --filter BodyFuzzTests
	@FLOOD_MEGABYTES=330 OBDGATED_PROGRAM=$(CURDIR)/.build/release/obdgated \
	  swift test --skip-build --disable-xctest --filter FloodedLinesTests
	@DAEMON_KILLS=2000 FLEET_KILLS=200 SPOOL_KILLS=200 SPOOL_RUNS=40 OBDGATED_PROGRAM=$(CURDIR)/.build/release/obdgated \
	  FLEETSTORE_PROGRAM=$(CURDIR)/.build/release/fleetstore swift test --skip-build --disable-xctest \
	  --filter 'KeptRecordsTests|KillTests|PowerCutTests'

# Three RabbitMQ nodes, three workers, one PostgreSQL; a node and a worker are killed mid-load. Some five minutes.
torture-brokers: need-peers tests release
	@BROKER_VEHICLES=$${BROKER_VEHICLES:-8} FLEETSTORE_PROGRAM=$(CURDIR)/.build/release/fleetstore \
	  swift test --skip-build --disable-xctest --filter BrokerClusterTests

lint:
	@swift format lint --strict --parallel --recursive $(wildcard Sources Tests Fuzz Benchmarks/Benchmarks Benchmarks/Package.swift) Package.swift

format:
	@swift format format --in-place --parallel --recursive $(wildcard Sources Tests Fuzz Benchmarks/Benchmarks Benchmarks/Package.swift) Package.swift

# Each of the four targets, or TARGET alone, for SECONDS.
fuzz: need-seeds
	@scripts/fuzz.sh $(SECONDS) $(TARGET)

# The figures of docs/Performance.md: obdgate and others on the same bytes, in the same run.
bench: need-jq need-python need-gpsd tools
	@scripts/bench.sh

# The live figures: obdgated and python-OBD against the same simulated adapters.
bench-live: need-python tools
	@/usr/bin/python3 scripts/live.py

# What obdgated costs on this machine, MINUTES for each of five configurations: wake-ups, processor, memory, bytes to flash.
bench-vehicle: release
	@scripts/vehicle-cost.py $${MINUTES:-5}

# The figures of fences: 100,000 of them, and GEOS over the same points.
bench-fences: need-python
	@scripts/bench-fences.sh

# The figures of the fleet store, and of its storage alone: MILLIONS of records into DATABASE, which must be empty.
bench-store: need-peers need-influx tests release
	@FLEETSTORE_MEASURE=1 FLEETSTORE_PROGRAM=$(CURDIR)/.build/release/fleetstore \
	  swift test --skip-build --disable-xctest --no-parallel --filter MeasureTests
	@swift build $(RELEASE) --product FleetBench >&2
	@.build/release/FleetBench parse
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	  .build/release/FleetBench "$${DATABASE:-sqlite:$$folder/bench.db}" "$${MILLIONS:-5}"

# ordo-one/benchmark over the libraries: a package of its own, so that obdgate itself does not depend on it.
benchmarks:
	@swift package --package-path Benchmarks --disable-sandbox benchmark

need-jq:
	@scripts/install.sh debian jq:jq git:git

need-python:
	@scripts/install.sh python

# What the ports are built with: libudev, and the header of libsystemd, which is opened when Bluetooth is searched. And
# what the spool is built with: SQLite.
need-headers:
	@scripts/install.sh debian /usr/include/postgresql/libpq-fe.h:libpq-dev /usr/include/zlib.h:zlib1g-dev \
	  /usr/include/zstd.h:libzstd-dev /usr/include/mosquitto.h:libmosquitto-dev \
	  /usr/include/amqp.h:librabbitmq-dev \
	  '/usr/include/*/curl/curl.h:libcurl4-openssl-dev' /usr/include/libudev.h:libudev-dev /usr/include/systemd/sd-bus.h:libsystemd-dev \
	  /usr/include/sqlite3.h:libsqlite3-dev /usr/include/sodium.h:libsodium-dev pkg-config:pkg-config

# What sinks open when they are configured, and what they are tested against.
need-peers:
	@scripts/install.sh debian oathtool:oathtool '/usr/lib/*/libcurl.so.4:libcurl4' '/usr/lib/*/libmosquitto.so.1:libmosquitto1' \
	  '/usr/lib/*/librabbitmq.so.4:librabbitmq4' /usr/lib/rabbitmq/bin/rabbitmq-server:rabbitmq-server epmd:erlang-base \
	  '/usr/lib/*/libzstd.so.1:libzstd1' '/usr/lib/*/libz.so.1:zlib1g' /usr/sbin/mosquitto:mosquitto \
	  mosquitto_sub:mosquitto-clients zstd:zstd openssl:openssl curl:curl sqlite3:sqlite3 ps:procps setpriv:util-linux \
	  '/usr/lib/postgresql/*/bin/postgres:postgresql' pg_dump:postgresql-client

# What the fleet store is measured beside.
need-influx:
	@scripts/install.sh debian influxd:influxdb

# What the ports are tested with: devices that udev believes in, and a BlueZ on a bus of its own.
need-testbed:
	@scripts/install.sh debian umockdev-wrapper:umockdev \
	  '/usr/lib/*/girepository-1.0/UMockdev-1.0.typelib:gir1.2-umockdev-1.0' \
	  /usr/lib/python3/dist-packages/gi:python3-gi \
	  /usr/lib/python3/dist-packages/dbusmock:python3-dbusmock /usr/lib/python3/dist-packages/dbus:python3-dbus \
	  dbus-daemon:dbus-daemon

# What packages are made and looked at with, and the machine that they are installed on.
need-packaging:
	@scripts/install.sh debian dpkg-shlibdeps:dpkg-dev xz:xz-utils /usr/bin/python3:python3

need-systemd:
	@scripts/install.sh debian systemd-analyze:systemd udevadm:udev

need-image: need-packaging
	@scripts/install.sh debian systemd-analyze:systemd systemd-nspawn:systemd-container mmdebstrap:mmdebstrap \
	  lintian:lintian man:man-db zsh:zsh nsenter:util-linux
	@scripts/image.sh

# The machine of its own, and what it is started with.
need-vm: need-packaging
	@scripts/install.sh debian qemu-system-x86_64:qemu-system-x86 qemu-img:qemu-utils mmdebstrap:mmdebstrap \
	  /usr/sbin/mke2fs:e2fsprogs
	@scripts/system-test/image.sh

need-seeds:
	@scripts/install.sh debian /usr/bin/python3:python3

need-gpsd:
	@scripts/install.sh debian gpsdecode:gpsd-clients gpsfake:gpsd-tools /usr/sbin/gpsd:gpsd

clean:
	@rm -rf .build .tools Benchmarks/.build Benchmarks/Fences/.build
