#!/bin/bash
# Fuzzes the parsers under libFuzzer and AddressSanitizer, two targets at a time.
#
#   scripts/fuzz.sh [SECONDS] [TARGET…]     targets: Framing Decode NMEA Captures Passkeys Models; default: all
#
# Each harness is compiled together with the sources of its target as one module. Findings and the grown corpora remain
# in .build/fuzz/TARGET. The script fails on a crash, a trap, an input that takes 10 s, more than 1 GiB of memory, or if
# the number of executions in the variable MINIMUM (default 0) is not reached in three times the given time.
set -uo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(Framing Decode NMEA Captures Passkeys Models)
minimum=${MINIMUM:-0}
folder=.build/fuzz
# Swift's own crash handler is switched off, because it reads the stack in ways that AddressSanitizer rejects. libFuzzer
# reports traps instead.
export SWIFT_BACKTRACE=enable=no
# Disable features of AddressSanitizer that cost more than its checks: stacks of allocations, filled memory, and keeping
# much of it after it is freed.
export ASAN_OPTIONS=malloc_context_size=0:max_malloc_fill_size=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=64\
:detect_stack_use_after_return=0:allocator_release_to_os_interval_ms=-1

# Prints the sources of a target, without the harness.
sources() {
  local access=Sources/Fleet/FleetAccess
  case $1 in
    Framing | Decode) find Sources/Wire/OBDWire -name '*.swift' | sort ;;
    NMEA) find Sources/Wire/NMEAWire -name '*.swift' | sort ;;
    Captures) find Sources/Wire/Captures -name '*.swift' | sort ;;
    Passkeys)
      printf '%s\n' $access/Passkeys/{AuthenticatorData,CBOR,ClientData,PasskeyError,PasskeyPublicKey,RelyingParty}.swift \
        $access/OpenID/{JSONWebToken,OpenIDError,OpenIDKeys}.swift $access/Text/{Base64URL,ConstantTime}.swift
      ;;
    Models) find Sources/Wire/ModelFiles -name '*.swift' | sort ;;
    *) echo "fuzz: no target $1 (Framing, Decode, NMEA, Captures, Passkeys, Models)" >&2; return 64 ;;
  esac
}

# Prints the modules that the sources of a target import.
imports() {
  case $1 in
    Captures) echo Failures ;;
    Models) echo JSONText ;;
  esac
}

# Prints the modules of the debug build that the sources of a target import, and those that these modules need.
built_modules() {
  case $1 in
    Passkeys)
      echo Crypto CryptoExtras CryptoBoringWrapper CCryptoBoringSSL CCryptoBoringSSLShims CXKCP CXKCPShims SwiftASN1 \
        FleetDomain Telemetry JSONText Failures GeoJSON Geofencing OBDWire
      ;;
  esac
}

# Maximum length of an input, bytes: an answer of a few frames, two sentences, the head of a file. Short inputs run
# fast. Models need more bytes than that before anything is checked in them.
longest() { [ "$1" = Models ] && echo 2048 || echo 160; }

build() {
  local target=$1 program=$folder/$1/fuzz sources imported modules module options=()
  mapfile -t sources < <(sources "$target")
  sources+=("Fuzz/Fuzz$target.swift" Fuzz/Shared/*.swift)
  [ ! -d "Fuzz/$target" ] || sources+=("Fuzz/$target"/*.swift)
  mapfile -t imported < <(imports "$target")
  read -ra modules < <(built_modules "$target")
  # The program exists, and no source is newer.
  [ -x "$program" ] && [ -z "$(find "${sources[@]}" "${imported[@]/#/Sources/Wire/}" "$0" -newer "$program")" ] && return 0
  mkdir -p "$folder/$target"
  if [ ${#modules[@]} -gt 0 ]; then
    # Only those objects are linked that the sources need.
    rm -f "$folder/$target/libmodules.a"
    for module in "${modules[@]}"; do
      find ".build/debug/$module.build" -name '*.o' -print0 2>/dev/null
    done | xargs -0 ar rcs "$folder/$target/libmodules.a" || return 1
    while IFS= read -r module; do options+=(-Xcc "-fmodule-map-file=$module"); done \
      < <(find .build/checkouts/swift-crypto/Sources -path '*/include/*' -name module.modulemap)
    options+=(-I .build/debug/Modules -L "$folder/$target" -lmodules -lFoundationEssentials -lstdc++)
  fi
  for module in "${imported[@]}"; do
    swiftc -emit-library -static -emit-module -parse-as-library -O -wmo -swift-version 6 -module-name "$module" \
      -enable-experimental-feature Lifetimes "Sources/Wire/$module"/*.swift \
      -emit-module-path "$folder/$target/$module.swiftmodule" -o "$folder/$target/lib$module.a" || return 1
    options+=(-I "$folder/$target" -L "$folder/$target" "-l$module")
  done
  # Use lld, because gold warns of every local symbol of the sanitizer. Coverage by blocks and without operands of
  # comparisons is twice as fast; the seeds contain the constants. The targets have no class and no global variable, so
  # exclusive access is proved at compile time.
  swiftc -sanitize=fuzzer,address -sanitize-coverage=bb,inline-8bit-counters,pc-table -use-ld=lld -parse-as-library \
    -O -wmo -swift-version 6 -enforce-exclusivity=unchecked -module-name "Fuzz$target" \
    -enable-experimental-feature Lifetimes "${sources[@]}" "${options[@]}" -o "$program"
}

# Runs one round, and sets `runs` to the number of executions. Further arguments are passed to libFuzzer.
round() {
  local target=$1 here=$folder/$1 log=$folder/$1/log status
  "$here/fuzz" "${@:2}" -timeout=10 -rss_limit_mb=1024 -max_len="$(longest "$target")" -print_final_stats=1 \
    -entropic=0 -reduce_inputs=0 -reload=0 -artifact_prefix="$here/findings/" "$here/corpus" "$here/seeds" >"$log" 2>&1
  status=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  runs=${runs:-0}
  if [ $status -ne 0 ]; then
    # Show the failure, without the preceding coverage lines.
    grep -nE '#[0-9]+ 0x' "$log" | head -20
    grep -nE 'ERROR|SUMMARY|Fatal error|Test unit written|Base64' "$log"
    echo "fuzz $target: FAILED with status $status after $runs executions; the input is in $here/findings"
    return 1
  fi
}

fuzz() {
  local target=$1 here=$folder/$1 runs total started=$SECONDS
  mkdir -p "$here/corpus" "$here/findings"
  /usr/bin/python3 scripts/fuzz-seeds.py "$target" "$here/seeds" || return 1
  round "$target" -max_total_time="$seconds" || return 1
  total=$runs
  if [ "$total" -lt "$minimum" ]; then
    # On a slow machine, the number of executions may need twice the time.
    round "$target" -max_total_time=$((2 * seconds)) -runs=$((minimum - total)) || return 1
    total=$((total + runs))
  fi
  if [ "$total" -lt "$minimum" ]; then
    echo "fuzz $target: FAILED: $total executions in $((SECONDS - started)) s, fewer than $minimum"
    return 1
  fi
  echo "fuzz $target: $total executions in $((SECONDS - started)) s, $(find "$here/corpus" -type f | wc -l) inputs in the corpus"
}

# Runs a function for each of these targets, two at a time, and sets `succeeded` to those for which it succeeded.
in_pairs() {
  local work=$1 i target
  shift
  succeeded=()
  for ((i = 1; i <= $#; i += 2)); do
    local running=()
    for target in "${@:i:2}"; do
      "$work" "$target" &
      running+=("$target $!")
    done
    for target in "${running[@]}"; do
      if wait "${target#* }"; then succeeded+=("${target% *}"); fi
    done
  done
}

build_reporting() {
  build "$1" || { echo "fuzz $1: FAILED to build"; return 1; }
}

for target in "${targets[@]}"; do sources "$target" >/dev/null || exit 64; done
in_pairs build_reporting "${targets[@]}"
[ ${#succeeded[@]} -eq 0 ] || in_pairs fuzz "${succeeded[@]}"
# A target that failed to build is not in the list of those that ran.
[ ${#succeeded[@]} -eq ${#targets[@]} ]
