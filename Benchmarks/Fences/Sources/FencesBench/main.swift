import CGEOS
import GeoJSON
import Geofencing
import Glibc

// FencesBench FOLDER [GEOS]: loads what fences.py wrote there and drives through it; then the same points with GEOS' library.

@_silgen_name("malloc_trim") func trim(_ pad: Int) -> Int32

struct Events: FenceHandler {
  var count = 0
  mutating func fenceEvent(_ event: FenceEvent) { count += 1 }
}

/// Seconds of processor time.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func contents(of path: String) -> [UInt8] {
  let file = open(path, O_RDONLY)
  precondition(file >= 0, "cannot open \(path)")
  defer { close(file) }
  var about = stat()
  fstat(file, &about)
  let count = Int(about.st_size)
  return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
    while filled < count {
      let more = read(file, buffer.baseAddress! + filled, count - filled)
      precondition(more > 0, "cannot read \(path)")
      filled += more
    }
  }
}

/// MB (10⁶ bytes) resident.
func resident() -> Double {
  let file = fopen("/proc/self/statm", "r")!
  defer { fclose(file) }
  var size = 0
  var pages = 0
  withUnsafeMutablePointer(to: &size) { size in
    withUnsafeMutablePointer(to: &pages) { pages in
      _ = withVaList([size, pages]) { vfscanf(file, "%ld %ld", $0) }
    }
  }
  return Double(pages * sysconf(Int32(_SC_PAGESIZE))) / 1e6
}

func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

func load(_ path: String) throws -> FenceSet {
  let text = contents(of: path)
  return try FenceSet(geoJSON: text, file: path)
}

/// A fix each second at 20 m/s, in zigzags over the square degrees that fences.py fills.
func zigzag(_ count: Int) -> [GeoPosition] {
  var position = GeoPosition(latitude: 48, longitude: 10)
  var north = 1.26e-4
  return (0..<count).map { _ in
    position.latitude += north
    position.longitude += 1.75e-4
    if position.latitude > 49 || position.latitude < 47 { north = -north }
    if position.longitude > 13 { position.longitude = 10 }
    return position
  }
}

let folder = CommandLine.arguments[1]
let empty = resident()
let begin = now()
let set = try load(folder + "/fences.geojson")
let loaded = now() - begin
let untrimmed = resident()
_ = trim(0)
print("fences \(set.fences.count), corners \(set.vertexCount)")
print("load \(text(loaded)) s of processor time")
print("resident \(text(empty)) MB before, \(text(untrimmed)) once loaded, \(text(resident())) after malloc_trim")

let drive = zigzag(1_000_000)
var finder = FenceFinder(set)
var watch = FenceWatch(set)
// The best of three alternating rounds each, so that other work of the machine does not affect the result.
var best = (watch: Double.infinity, finder: Double.infinity, geos: Double.infinity)
var events = 0
var found = (polygons: 0, all: 0)
let hasGEOS = CommandLine.arguments.count > 2
if hasGEOS {
  let start = now()
  guard cgeos_load(CommandLine.arguments[2], folder + "/fences.bin") == set.fences.count else { fatalError("GEOS") }
  print("GEOS: loaded in \(text(now() - start)) s, parsing not in it")
}
var geos = (polygons: 0, all: 0)
let points = drive.flatMap { [$0.longitude, $0.latitude] }
for round in 0..<3 {
  var sink = Events()
  var start = now()
  for (second, position) in drive.enumerated() {
    let time = Int64(round * drive.count + second) * 1_000_000_000
    watch.fix(
      FenceFix(time: time, latitude: position.latitude, longitude: position.longitude, hdop: 1, vehicleSpeed: 72),
      into: &sink)
  }
  best.watch = min(best.watch, now() - start)
  events = sink.count

  found = (0, 0)
  start = now()
  for position in drive {
    finder.forEachFence(containing: position) { fence in
      found.all += 1
      // fences.py makes a polygon of each third.
      if fence % 3 == 0 { found.polygons += 1 }
    }
  }
  best.finder = min(best.finder, now() - start)

  if hasGEOS {
    start = now()
    geos.polygons = cgeos_count(points, drive.count, &geos.all)
    best.geos = min(best.geos, now() - start)
  }
}
func perPoint(_ seconds: Double) -> String { text(seconds / Double(drive.count) * 1e6) + " µs" }
print("FenceWatch \(perPoint(best.watch)) a fix, \(events) events")
print("FenceFinder \(perPoint(best.finder)) a point, in \(found.polygons) polygons, \(found.all) fences")
if hasGEOS {
  print("GEOS \(perPoint(best.geos)) a point, in \(geos.polygons) polygons, \(geos.all) fences")
  print("GEOS : FenceWatch \(text(best.geos / best.watch)), GEOS : FenceFinder \(text(best.geos / best.finder))")
}
