import JSONText
import OBDWire
import Telemetry

// A stored trip is one text line: a checksum, then JSON. It is rejected if it is incomplete or the checksum is wrong.
//
//     b1946ac92492d234 {"version":1,"tripId":"0193…","vehicleId":"VAN-001","bootId":"…","time":512000000000,…}
//
// The checksum is 64-bit FNV-1a over the bytes after the space, without the line feed. Times are ns.

/// The reason why a stored trip cannot be read.
public enum TripMemoryError: Error, Equatable, Sendable {
  /// The text is incomplete, or its checksum is wrong.
  case damaged
  /// The checksum is right, but the content is not the JSON that this version of the program writes for a trip.
  case notReadable(JSONError)
}

extension TripMemory {
  private static let version = 1
  private static let sumLength = 16

  /// The stored state as one text line, with a line feed at its end.
  public var text: [UInt8] {
    var line = JSONLineEncoder(capacity: 2_048, growable: true)
    line.begin()
    writeHead(to: &line)
    writeFigures(to: &line)
    line.finish()
    var body: [UInt8] = []
    for index in line.line.indices { body.append(line.line[index]) }
    return Self.digits(Self.sum(of: body.dropLast())) + [UInt8(ascii: " ")] + body
  }

  /// Parses a text line that ``text`` made.
  ///
  /// - Throws: ``TripMemoryError`` if the text line is damaged, or its content is not a trip.
  public init(parsing text: [UInt8]) throws(TripMemoryError) {
    var body = text[...]
    if body.last == UInt8(ascii: "\n") { body.removeLast() }
    guard body.count > Self.sumLength, body[Self.sumLength] == UInt8(ascii: " ") else { throw .damaged }
    let sum = body.prefix(Self.sumLength)
    body.removeFirst(Self.sumLength + 1)
    guard sum.elementsEqual(Self.digits(Self.sum(of: body))) else { throw .damaged }
    do throws(JSONError) {
      let document = try JSONDocument(parsing: Array(body))
      var reader = try JSONObjectReader(document.root)
      _ = try reader.requiredInt("version", in: Self.version...Self.version)
      try self.init(&reader)
    } catch {
      throw .notReadable(error)
    }
  }

  private static func sum(of bytes: ArraySlice<UInt8>) -> UInt64 {
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return sum
  }

  private static func digits(_ sum: UInt64) -> [UInt8] {
    (0..<sumLength).map { place in Hex.digit(UInt8(truncatingIfNeeded: sum >> UInt64(60 - 4 * place)) & 0x0F) }
  }

  // MARK: Writing

  private func writeHead(to line: inout JSONLineEncoder) {
    line.field("version", Self.version)
    line.field("tripId", tripId)
    line.field("vehicleId", vehicleId)
    line.field("vin", vin)
    if !adapter.isEmpty { line.field("adapter", adapter) }
    line.field("bootId", bootId)
    line.field("time", Int(time))
    line.field("date", date.map { Int($0.nanoseconds) })
    line.field("quality", quality.name)
    line.field("isTold", trip.isReported)
    line.field("age", Int(time - trip.start))
    line.field("endAge", Int(time - trip.end))
    line.field("motionAge", Int(time - trip.lastMotion))
    line.field("hintAge", Int(time - trip.lastHint))
  }

  private func writeFigures(to line: inout JSONLineEncoder) {
    Self.write(trip.speed, "speed", to: &line)
    line.field("groundDistance", trip.groundDistance)
    line.field("hasHole", trip.hasHole)
    line.field("startOdometer", trip.startOdometer)
    line.field("endOdometer", trip.endOdometer)
    line.field("maxSpeed", trip.maxSpeed)
    line.field("idle", Int(trip.idle))
    line.field("running", Int(trip.running))
    line.field("fuel", trip.fuel.kind.map { Int($0.rawValue) })
    line.field("isMixed", trip.fuel.isMixed)
    Self.write(trip.fuel.volume, "volume", to: &line)
    Self.write(trip.fuel.mass, "mass", to: &line)
    Self.write(trip.fuel.stroke, "stroke", to: &line)
    Self.write(trip.fuel.airCommanded, "airCommanded", to: &line)
    Self.write(trip.fuel.airMeasured, "airMeasured", to: &line)
    Self.write(trip.fuel.densityCommanded, "densityCommanded", to: &line)
  }

  private static func write(_ integral: RateIntegral, _ name: StaticString, to line: inout JSONLineEncoder) {
    line.field(name, [integral.total, integral.seconds])
  }

  // MARK: Reading

  private init(_ reader: inout JSONObjectReader) throws(JSONError) {
    let id = try reader.required("tripId")
    guard let tripId = UUIDv7(try id.requireString().utf8.span) else {
      throw id.invalid(expected: "a UUID of version 7")
    }
    let name = try reader.requiredString("quality", oneOf: TimeQuality.allCases.map(\.name.description))
    let quality = TimeQuality.allCases.first { $0.name.description == name } ?? .unset
    let time = try Self.nanoseconds(&reader, "time")
    let date = reader.object["date"] == nil ? nil : Timestamp(nanoseconds: try Self.nanoseconds(&reader, "date"))
    var trip = Trip(start: time - (try Self.nanoseconds(&reader, "age")))
    trip.end = time - (try Self.nanoseconds(&reader, "endAge"))
    trip.lastMotion = time - (try Self.nanoseconds(&reader, "motionAge"))
    trip.lastHint = time - (try Self.nanoseconds(&reader, "hintAge"))
    trip.idleCounted = time
    trip.isReported = try reader.requiredBool("isTold")
    try Self.readFigures(&reader, &trip)
    self.init(
      trip, tripId: tripId, vehicleId: try reader.requiredString("vehicleId"), vin: try reader.optionalString("vin"),
      bootId: try reader.requiredString("bootId"), time: time, date: date, quality: quality)
    adapter = try reader.optionalString("adapter") ?? ""
  }

  private static func readFigures(_ reader: inout JSONObjectReader, _ trip: inout Trip) throws(JSONError) {
    trip.speed = try integral(&reader, "speed")
    trip.groundDistance = try reader.requiredDouble("groundDistance", in: positive)
    trip.hasHole = try reader.requiredBool("hasHole")
    trip.startOdometer = try reader.optionalDouble("startOdometer", in: positive)
    trip.endOdometer = try reader.optionalDouble("endOdometer", in: positive)
    trip.maxSpeed = try reader.requiredDouble("maxSpeed", in: positive)
    trip.idle = try nanoseconds(&reader, "idle")
    trip.running = try nanoseconds(&reader, "running")
    let kind = try reader.optionalInt("fuel", in: 0...255)
    trip.fuel.volume = try integral(&reader, "volume")
    trip.fuel.mass = try integral(&reader, "mass")
    trip.fuel.stroke = try integral(&reader, "stroke")
    trip.fuel.airCommanded = try integral(&reader, "airCommanded")
    trip.fuel.airMeasured = try integral(&reader, "airMeasured")
    trip.fuel.densityCommanded = try integral(&reader, "densityCommanded")
    trip.fuel.restore(
      kind.flatMap { FuelKind(rawValue: UInt8($0)) }, isMixed: try reader.requiredBool("isMixed"))
  }

  private static let positive = 0.0...1e12

  /// Reads a number of nanoseconds, at most 4 × 10^18 (as a date, the year 2096). Sums of two such numbers fit in 64
  /// bits.
  private static func nanoseconds(_ reader: inout JSONObjectReader, _ key: String) throws(JSONError) -> Int64 {
    Int64(try reader.requiredInt(key, in: 0...4_000_000_000_000_000_000))
  }

  private static func integral(_ reader: inout JSONObjectReader, _ key: String) throws(JSONError) -> RateIntegral {
    let value = try reader.required(key)
    guard let total = value[0], let seconds = value[1], value[2] == nil else {
      throw value.invalid(expected: "a total and its seconds")
    }
    return RateIntegral(total: try total.requireDouble(in: positive), seconds: try seconds.requireDouble(in: positive))
  }
}
