# obdgate. On a fresh Debian 12 with a Swift toolchain, as root or with sudo:
#
#   make run     installs missing packages, builds, and runs five simulated cars and a fleet store with its web app
#   make test    installs missing packages, builds, and runs all tests; make test-fairness: a hostile tenant, for minutes
#   make deb     builds the Debian packages obdgate and fleetstore in .build/packages; make test-packages: tests them
#
#   make system-test  tests the package in a virtual machine: USB, Bluetooth, GPS, a power cut; make system-test-ble: with
#                     Bluetooth LE; make torture-vm: with 20 power cuts
#   make torture  thousands of kills and power cuts; make torture-brokers: kills of brokers and workers
#   make web      writes the web app to .build/web; make test-web: tests it in Chromium; make web-screenshots | bench-web
#   make lint | format | docs | fuzz [SECONDS=60] [TARGET=Framing] | bench | clean

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help run web test test-web web-screenshots bench-web test-fairness test-packages system-test system-test-ble torture-vm bench-vm tests tools release deb docs torture torture-brokers lint format fuzz fuzz-images fuzz-models bench bench-live bench-fences bench-vehicle bench-store bench-receipts bench-fleet benchmarks clean need-jq need-python need-gpsd need-seeds need-headers need-testbed need-peers need-images need-recognizer need-influx need-packaging need-web need-types need-browser need-systemd need-image need-vm static

# Settings of the release build, which is measured and shipped. The Swift runtime is linked statically, symbols are
# stripped, and the parser is specialised for its handlers across modules. Library paths and exported symbols are removed
# and relocations are packed, so that obdgated and obdgate together have 29 MB instead of 33; this needs lld, and glibc
# 2.36 or later. The tables for stack unwinding are removed, because only C++ exceptions need them, and there are none.
RELEASE := -c release --static-swift-stdlib -Xlinker -s -Xlinker -L$(CURDIR)/.build/static -debug-info-format none \
  --disable-local-rpath -Xswiftc -use-ld=lld -Xlinker --version-script=$(CURDIR)/packaging/programs.map \
  -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-eh-frame-hdr

SECONDS ?= 60
TARGET ?=

help:
	@sed -n 's/^# \{0,1\}//; 2,11p' $(MAKEFILE_LIST)

# Programs print results to stdout and messages to stderr, so that `make -s run | jq` works. Ctrl-C ends all programs.
run: release web
	@exec scripts/run.sh

# docs/Configuration.md: generated from the schemas of both configurations, and the list of signals from the program.
docs: tools need-seeds
	@scripts/configuration.py .build/release/obdgate

# The web app, into .build/web, from where fleetstore serves it: names with hashes, compressed copies.
web: need-web
	@/usr/bin/python3 scripts/web.py .tools/web .build/web

# The packages of the release build.
deb: need-packaging need-recognizer release web
	@packaging/deb.sh

# The C++ library of the Swift runtime is linked statically, too, which saves 0.9 MB of memory. For this, a folder is made
# in which the linker finds only the static library.
static:
	@mkdir -p .build/static && ln -sf "$$(gcc -print-file-name=libstdc++.a)" .build/static/libstdc++.a

tools: need-headers static
	@swift build $(RELEASE) --product obdgate >&2
	@swift build $(RELEASE) --product obdgated >&2

# All three programs. The fleet store and its dependencies take the longest.
release: tools
	@swift build $(RELEASE) --product fleetstore >&2

tests: need-headers
	@swift build --build-tests -debug-info-format none

# The last word before "Tests" in the name of a test target determines how its tests run. The tests of all other targets
# run in parallel.
#
#   …ServerTests    servers in the tests' own process, which has one thread for each core: no test that blocks a
#                   thread runs at the same time
#   …LiveTests      programs that communicate in real time with time limits: no other tests run at the same time
#   …HostileTests   floods and attacks that use all cores: no other tests run at the same time
#   …FairnessTests  attacks of one tenant on another, which take minutes and need an idle machine: make test-fairness
#   …PackageTests   tests of the packages, which need the release build of all programs: make test-packages
kind = ^[A-Za-z]+$(1)Tests\.

test: need-jq need-python need-gpsd need-testbed need-peers need-influx need-images need-systemd tests tools web
	@FAILURES=$$(mktemp); export FAILURES; failed=0; \
	scripts/test.sh 25 --skip '$(call kind,(Server|Live|Hostile|Fairness|Package))' || failed=1; \
	scripts/test.sh 20 --filter '$(call kind,Server)' || failed=1; \
	scripts/test.sh 20 --filter '$(call kind,Live)' || failed=1; \
	scripts/test.sh 10 --filter '$(call kind,Hostile)' || failed=1; \
	cat $$FAILURES; rm -f $$FAILURES; exit $$failed

# The web app in a real Chromium; make web-screenshots: pictures of all its pages in .build/screenshots.
# WEB_DATABASE=postgresql: with PostgreSQL instead of SQLite.
test-web: need-python need-browser need-peers tests web
	@.tools/venv/bin/python scripts/web-test/run.py

web-screenshots: need-python need-browser tests web
	@.tools/venv/bin/python scripts/web-test/screenshots.py .build/screenshots

# The values of the web app in docs/Performance.md.
bench-web: need-python need-browser tests web
	@.tools/venv/bin/python scripts/web-test/bench.py

# Each attack lasts FAIRNESS_SECONDS; FAIRNESS_ATTACKS selects some of the attacks. The release build is tested, because
# an attack on a debug build uses all processors.
test-fairness: need-jq need-python need-peers tests release
	@FLEETSTORE_PROGRAM=$(CURDIR)/.build/release/fleetstore swift test --skip-build --disable-xctest --no-parallel --filter '$(call kind,Fairness)'

# Tests the packages: installs, upgrades and removes them, and runs their units under systemd in a container. Also tests
# `make run`. Needs root.
test-packages: need-image need-peers tests deb
	@swift test --skip-build --disable-xctest --no-parallel --filter '$(call kind,Package)'

# Tests the package in a virtual machine, with adapters on USB and Bluetooth, a GPS receiver, and a power cut. Needs root
# to make the machine's image.
SYSTEM_TEST := FLEETSTORE_PROGRAM=$(CURDIR)/.build/debug/fleetstore /usr/bin/python3 scripts/system-test/run.py

system-test: need-vm tests tools
	@$(SYSTEM_TEST)

# Tests a Bluetooth LE adapter in that machine. This is a separate run, because the adapter of `system-test` uses classic
# Bluetooth.
system-test-ble: need-vm tests tools
	@$(SYSTEM_TEST) --ble

torture-vm: need-vm tests tools
	@$(SYSTEM_TEST) --cuts $${CUTS:-20}

# Measures the resources that the daemon uses in that machine, for docs/Performance.md.
bench-vm: need-vm tests tools
	@$(SYSTEM_TEST) --figures $${MINUTES:-5}

# Thousands of power cuts and kills, after which each committed record must arrive exactly once; a million invalid bodies;
# and random bytes from each kind of link, as many as a link transfers in a day. Takes one to two hours.
torture: need-peers tests release
	@OBDGATE_FUZZ_BODIES=1000000 FLEETSTORE_PROGRAM=$(CURDIR)/.build/release/fleetstore \
	  ACCOUNT_FUZZ_BODIES=100000 swift test --skip-build --disable-xctest --filter BodyFuzzTests
	@FLOOD_MEGABYTES=330 OBDGATED_PROGRAM=$(CURDIR)/.build/release/obdgated \
	  swift test --skip-build --disable-xctest --filter FloodedLinesTests
	@DAEMON_KILLS=2000 FLEET_KILLS=200 FILE_KILLS=200 SPOOL_KILLS=200 SPOOL_RUNS=40 OBDGATED_PROGRAM=$(CURDIR)/.build/release/obdgated \
	  FLEETSTORE_PROGRAM=$(CURDIR)/.build/release/fleetstore swift test --skip-build --disable-xctest \
	  --filter 'KeptRecordsTests|KillTests|PowerCutTests'

# Runs three RabbitMQ nodes, three workers and one PostgreSQL; a node and a worker are killed under load. Takes about five
# minutes.
torture-brokers: need-peers tests release
	@BROKER_VEHICLES=$${BROKER_VEHICLES:-8} FLEETSTORE_PROGRAM=$(CURDIR)/.build/release/fleetstore \
	  swift test --skip-build --disable-xctest --filter BrokerClusterTests

# The format of the sources, and the types of the web app.
lint: need-types
	@tsc -p Sources/Fleet/FleetWeb/Site/tsconfig.json && tsc -p Sources/Fleet/FleetWeb/Site/worker.tsconfig.json
	@swift format lint --strict --parallel --recursive $(wildcard Sources Tests Fuzz Benchmarks/Benchmarks Benchmarks/Package.swift) Package.swift

format:
	@swift format format --in-place --parallel --recursive $(wildcard Sources Tests Fuzz Benchmarks/Benchmarks Benchmarks/Package.swift) Package.swift

# Runs each of the six fuzzers, or only TARGET, for SECONDS.
# The fuzzer Passkeys uses modules of the debug build, such as those of swift-crypto.
fuzz: need-seeds need-headers
	@swift build --target FleetAccess -debug-info-format none >&2
	@scripts/fuzz.sh $(SECONDS) $(TARGET)

# Measures the values in docs/Performance.md: obdgate and other programs with the same input in the same run.
bench: need-jq need-python need-gpsd tools
	@scripts/bench.sh

# Measures live operation: obdgated and python-OBD with the same simulated adapters.
bench-live: need-python tools
	@/usr/bin/python3 scripts/live.py

# Measures the resources that obdgated uses on this machine, MINUTES for each of five configurations: wake-ups, processor
# time, memory, bytes written.
bench-vehicle: release
	@scripts/vehicle-cost.py $${MINUTES:-5}

# Measures geofences: 100,000 of them, compared with GEOS for the same points.
bench-fences: need-python
	@scripts/bench-fences.sh

# Measures the fleet store and its storage: stores MILLIONS of records in DATABASE, which must be empty.
bench-store: need-peers need-influx tests release
	@FLEETSTORE_MEASURE=1 FLEETSTORE_PROGRAM=$(CURDIR)/.build/release/fleetstore \
	  CONNECTOR_ASSETS="$${CONNECTOR_ASSETS:-10000}" swift test --skip-build --disable-xctest --no-parallel --filter MeasureTests
	@swift build $(RELEASE) --product FleetBench >&2
	@.build/release/FleetBench parse
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	  .build/release/FleetBench "$${DATABASE:-sqlite:$$folder/bench.db}" "$${MILLIONS:-5}"

# Measures how well photos of receipts are read, with those of ../shared/data.
bench-receipts: need-images
	@/usr/bin/python3 scripts/receipts.py

# Decodes COUNT damaged images, and those made to harm, with the program that decodes uploads, each in a process of its own.
fuzz-images: need-images
	@/usr/bin/python3 -W ignore scripts/image-fuzz.py $${COUNT:-100000} $${SEED:-20261128}

# Converts and draws COUNT damaged 3D models, and those made to harm, with the same program.
fuzz-models: need-images
	@/usr/bin/python3 -W ignore scripts/model-fuzz.py $${COUNT:-20000} $${SEED:-20261128}

# Measures a fleet of VEHICLES vehicles in DATABASE, which must be empty: due dates, lists, positions and reports.
bench-fleet: need-headers static
	@swift build $(RELEASE) --product FleetBench >&2
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	  .build/release/FleetBench fleet "$${DATABASE:-sqlite:$$folder/bench.db}" "$${VEHICLES:-10000}"

# Runs benchmarks of the libraries with ordo-one/benchmark. They are a separate package, so that obdgate does not depend
# on that library.
benchmarks:
	@swift package --package-path Benchmarks --disable-sandbox benchmark

need-jq:
	@scripts/install.sh debian jq:jq git:git

need-python:
	@scripts/install.sh python

# Packages that are needed to build the ports (libudev, and the header of libsystemd, which is loaded at run time to use
# Bluetooth) and the spool (SQLite).
need-headers:
	@scripts/install.sh debian /usr/include/postgresql/libpq-fe.h:libpq-dev /usr/include/zlib.h:zlib1g-dev \
	  /usr/include/zstd.h:libzstd-dev /usr/include/mosquitto.h:libmosquitto-dev \
	  /usr/include/amqp.h:librabbitmq-dev /usr/include/hpdf.h:libhpdf-dev \
	  '/usr/include/*/curl/curl.h:libcurl4-openssl-dev' /usr/include/libudev.h:libudev-dev /usr/include/systemd/sd-bus.h:libsystemd-dev \
	  /usr/include/sqlite3.h:libsqlite3-dev /usr/include/sodium.h:libsodium-dev pkg-config:pkg-config

# Libraries that sinks load when configured, and programs to test them.
need-peers:
	@scripts/install.sh debian oathtool:oathtool pdftotext:poppler-utils \
	  '/usr/lib/*/libhpdf-2.3.0.so:libhpdf-2.3.0' /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:fonts-dejavu-core \
	  '/usr/lib/*/libcurl.so.4:libcurl4' '/usr/lib/*/libmosquitto.so.1:libmosquitto1' \
	  '/usr/lib/*/librabbitmq.so.4:librabbitmq4' /usr/lib/rabbitmq/bin/rabbitmq-server:rabbitmq-server epmd:erlang-base \
	  '/usr/lib/*/libzstd.so.1:libzstd1' '/usr/lib/*/libz.so.1:zlib1g' /usr/sbin/mosquitto:mosquitto \
	  /usr/sbin/nginx:nginx \
	  mosquitto_sub:mosquitto-clients zstd:zstd openssl:openssl curl:curl sqlite3:sqlite3 ps:procps setpriv:util-linux \
	  '/usr/lib/postgresql/*/bin/postgres:postgresql' pg_dump:postgresql-client

# The sandbox, the libraries that decode photos and read receipts, and a program that makes photos for tests.
need-images: need-recognizer
	@scripts/install.sh models
	@scripts/install.sh debian bwrap:bubblewrap /usr/lib/python3/dist-packages/PIL:python3-pil \
	  /usr/lib/python3/dist-packages/numpy:python3-numpy \
	  '/usr/lib/*/libheif.so.1:libheif1' tesseract:tesseract-ocr heif-enc:libheif-examples \
	  '/usr/share/tesseract-ocr/*/tessdata/eng.traineddata:tesseract-ocr-eng' \
	  '/usr/share/tesseract-ocr/*/tessdata/deu.traineddata:tesseract-ocr-deu' \
	  '/usr/lib/python3/dist-packages/zbar*.so:python3-zbar' \
	  /usr/lib/python3/dist-packages/pylibdmtx:python3-pylibdmtx zint:zint

# The networks that read receipts.
need-recognizer:
	@scripts/install.sh recognizer

# Programs that receive records, as peers and for comparisons with the fleet store.
need-influx:
	@scripts/install.sh debian influxd:influxdb prometheus:prometheus

# Programs to test the ports: virtual devices for udev, and an imitation of BlueZ on a separate D-Bus.
need-testbed:
	@scripts/install.sh debian umockdev-wrapper:umockdev \
	  '/usr/lib/*/girepository-1.0/UMockdev-1.0.typelib:gir1.2-umockdev-1.0' \
	  /usr/lib/python3/dist-packages/gi:python3-gi \
	  /usr/lib/python3/dist-packages/dbusmock:python3-dbusmock /usr/lib/python3/dist-packages/dbus:python3-dbus \
	  dbus-daemon:dbus-daemon

# Tools to build and check packages, and the machine to install them on.
need-packaging:
	@scripts/install.sh debian dpkg-shlibdeps:dpkg-dev xz:xz-utils /usr/bin/python3:python3

# The libraries of the web app, and the program that compresses its files.
need-web:
	@scripts/install.sh debian brotli:brotli
	@scripts/install.sh web

# The compiler that checks the types of the web app.
need-types:
	@scripts/install.sh debian tsc:node-typescript

# A browser and its driver.
need-browser: need-types
	@scripts/install.sh debian chromium:chromium chromedriver:chromium-driver \
	  /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:fonts-dejavu-core

need-systemd:
	@scripts/install.sh debian systemd-analyze:systemd udevadm:udev

need-image: need-packaging
	@scripts/install.sh debian systemd-analyze:systemd systemd-nspawn:systemd-container mmdebstrap:mmdebstrap \
	  lintian:lintian man:man-db zsh:zsh nsenter:util-linux
	@scripts/image.sh

# The image of the virtual machine, and the tools to start it.
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
