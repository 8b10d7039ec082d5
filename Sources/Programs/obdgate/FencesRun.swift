import CommandLineSupport
import Failures
import Geofencing
import JSONText
import NMEAWire
import Telemetry

/// Evaluates the fixes of one file or of stdin against geofences.
struct FencesRun: ~Copyable {
  private var follower: FenceFollower
  private var reader = FixReader()
  private var document = JSONDocument()
  /// Whether the file is JSON; `false` if it is NMEA 0183. This is decided by the first character that is not white
  /// space; `nil` until that character is read.
  private var isJSON: Bool?
  private var lines = 0
  private var badLines = 0

  init(_ set: FenceSet, announcesFirst: Bool) { follower = FenceFollower(set, announcesFirst: announcesFirst) }

  consuming func run(over path: String) throws {
    var input = try LineInput(path: path)
    let name = path == "-" ? "standard input" : path
    loop: while true {
      switch try input.next() {
      case .wait: try follower.flush()
      case .end: break loop
      case .tooLong:
        lines += 1
        refuse("longer than 1 MiB")
      case .line(let range):
        lines += 1
        handle(input.bytes.span.extracting(range))
      }
      if let stop = follower.stop { throw stop }
    }
    reader.finish(into: &follower)
    if let stop = follower.stop { throw stop }
    try follower.flush()
    follower.printIgnored()
    if lines == 0 { throw Failure(.badData, "\(name): empty: expected fixes as JSON lines or NMEA 0183") }
    if isJSON != true, follower.accepted == 0 {
      throw Failure(
        .badData,
        "\(name): neither fixes as JSON lines nor an NMEA 0183 sentence in it: expected lines such as $GPRMC,…*hh")
    }
    if badLines > 0 { throw Failure(.badData, "\(name): \(badLines) of \(lines) lines were no fix") }
  }

  private mutating func handle(_ line: Span<UInt8>) {
    var first = 0
    while first < line.count, line[first] <= 0x20 { first += 1 }
    guard first < line.count else { return }
    let isJSON = self.isJSON ?? (line[first] == UInt8(ascii: "{"))
    self.isJSON = isJSON
    if !isJSON {
      reader.receive(line, into: &follower)
      return
    }
    do throws(JSONError) {
      try document.parse(line)
      try follower.follow(document.root)
    } catch {
      refuse(error.message)
    }
  }

  private mutating func refuse(_ reason: String) {
    badLines += 1
    StandardError.print("obdgate fences: line \(lines): \(reason)")
  }
}

/// Evaluates fixes, from NMEA sentences or JSON, against geofences, and writes the events.
struct FenceFollower: ~Copyable, FixHandler {
  var stop: (any Error)? { writer.stop }
  private(set) var accepted = 0
  private var rejected = 0
  private var timeless = 0
  private let set: FenceSet
  private var rules = FenceRules()
  private var writer: FenceEventWriter
  /// The vehicles, by the `vehicleId` of their fixes. Fixes without `vehicleId` belong to one vehicle with the key
  /// `nil`.
  private var vehicles: [String?: Vehicle] = [:]
  /// The vehicle of the last fix, and its `vehicleId`. They are stored separately, because the next fix usually belongs
  /// to the same vehicle.
  private var present: (id: String?, vehicle: Vehicle)

  /// The geofence evaluation of one vehicle, and the clock for the times of its fixes.
  private final class Vehicle {
    var watch: FenceWatch
    var clock = FixClock()

    init(_ set: FenceSet, _ rules: FenceRules) { watch = FenceWatch(set, rules: rules) }
  }

  init(_ set: FenceSet, announcesFirst: Bool) {
    self.set = set
    rules.announcesFirstFix = announcesFirst
    writer = FenceEventWriter(set)
    let unnamed = Vehicle(set, rules)
    present = (nil, unnamed)
    vehicles[nil] = unnamed
  }

  /// Selects the vehicle to which the next fix belongs.
  private mutating func select(_ id: String?) {
    guard id != present.id else { return }
    let vehicle = vehicles[id] ?? Vehicle(set, rules)
    vehicles[id] = vehicle
    present = (id, vehicle)
    writer.vehicleId = id
  }

  /// Each fix and each record has at least one of these keys.
  private static let usualKeys = ["timestamp", "timeOfDay", "latitude", "fixType", "type"]

  /// Evaluates a fix that is a JSON object, as `obdgate nmea` or a daemon writes it. Objects without a position and
  /// unknown keys are ignored.
  mutating func follow(_ line: JSONValue) throws(JSONError) {
    guard line.kind == .object else { throw line.invalid(expected: "an object") }
    guard Self.usualKeys.contains(where: { line[$0] != nil }) else {
      throw line.invalid(expected: "a fix or a record, with at least a timestamp", found: "an object with other keys")
    }
    let latitude = try line["latitude"]?.requireDouble(in: -90...90)
    let longitude = try line["longitude"]?.requireDouble(in: -180...180)
    let hdop = try line["hdop"]?.requireDouble(in: 0...1_000_000)
    let groundSpeed = try line["gpsSpeed"]?.requireDouble(in: 0...1_000_000)
    let vehicleSpeed = try line["speed"]?.requireDouble(in: 0...1_000_000)
    select(try line["vehicleId"]?.requireString())
    let time = try present.vehicle.clock.time(of: line)
    guard let latitude else {
      if longitude != nil { throw line.error(.missingKey("latitude")) }
      return
    }
    guard let longitude else { throw line.error(.missingKey("longitude")) }
    follow(
      time, latitude: latitude, longitude: longitude, hdop: hdop, vehicleSpeed: vehicleSpeed, groundSpeed: groundSpeed)
  }

  mutating func fix(_ fix: Fix) {
    let time = present.vehicle.clock.time(of: fix)
    guard let latitude = fix.latitude, let longitude = fix.longitude else { return }
    follow(
      time, latitude: latitude, longitude: longitude, hdop: fix.hdop, vehicleSpeed: nil, groundSpeed: fix.speed)
  }

  private mutating func follow(
    _ time: Int64?, latitude: Double, longitude: Double, hdop: Double?, vehicleSpeed: Double?, groundSpeed: Double?
  ) {
    guard let time else {
      timeless += 1
      return
    }
    writer.isDated = present.vehicle.clock.isDated
    present.vehicle.watch.fix(
      FenceFix(
        time: time, latitude: latitude, longitude: longitude, hdop: hdop, vehicleSpeed: vehicleSpeed,
        groundSpeed: groundSpeed), into: &writer)
  }

  mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64) { rejected += 1 }

  mutating func accepted(_ kind: SentenceKind) { accepted += 1 }

  mutating func flush() throws { try writer.output.flush() }

  func printIgnored() {
    if rejected > 0 {
      StandardError.print("obdgate fences: rejected sentences: \(rejected): obdgate nmea shows the reasons")
    }
    if timeless > 0 { StandardError.print("obdgate fences: ignored fixes without a time: \(timeless)") }
  }
}
