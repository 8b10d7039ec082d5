import JSONText

/// The values of a telemetry record from which positions and figures are computed. A value is `nil` if the record does
/// not contain it.
public struct TelemetryValues: Equatable, Sendable {
  /// Latitude, ° of WGS 84, from −90 to 90.
  public var latitude: Double?
  public var longitude: Double?
  /// Course over ground, °.
  public var heading: Double?
  /// Speed of the vehicle, km/h.
  public var speed: Double?
  /// Speed over ground, km/h.
  public var gpsSpeed: Double?
  /// Revolutions of the engine per minute.
  public var rpm: Double?
  /// Rate of fuel consumption, L/h.
  public var fuelRate: Double?
  /// Reading of the odometer, km.
  public var odometer: Double?
  /// Level of the fuel tank, %.
  public var fuelLevel: Double?
  /// Counter of the operating time of the engine, s.
  public var engineRunTime: Double?
  /// Counter of the idle time of the engine, h.
  public var idleHours: Double?
  /// Counter of the fuel used, L.
  public var totalFuelUsed: Double?

  public init() {}

  /// Reads the values of a stored record, which is valid JSON.
  public init(record: [UInt8]) {
    self.init()
    var scanner = MemberScanner(record.span)
    while let (key, value) = scanner.next() { set(key, value, record.span) }
    if scanner.hasEscapedKey { self.init(unusual: record) }
  }

  /// Whether latitude and longitude are known.
  public var hasPosition: Bool { latitude != nil && longitude != nil }

  private mutating func set(_ key: Range<Int>, _ value: Range<Int>, _ bytes: Span<UInt8>) {
    let name = bytes.extracting(key)
    switch (name.count, bytes[key.lowerBound]) {
    case (3, UInt8(ascii: "r")) where name.holds("rpm"): rpm = Self.number(value, bytes)
    case (5, UInt8(ascii: "s")) where name.holds("speed"): speed = Self.number(value, bytes)
    case (7, UInt8(ascii: "h")) where name.holds("heading"): heading = Self.number(value, bytes)
    case (8, UInt8(ascii: "l")) where name.holds("latitude"): latitude = Self.degrees(value, 90, bytes)
    case (8, UInt8(ascii: "g")) where name.holds("gpsSpeed"): gpsSpeed = Self.number(value, bytes)
    case (8, UInt8(ascii: "f")) where name.holds("fuelRate"): fuelRate = Self.number(value, bytes)
    case (8, UInt8(ascii: "o")) where name.holds("odometer"): odometer = Self.number(value, bytes)
    case (9, UInt8(ascii: "f")) where name.holds("fuelLevel"): fuelLevel = Self.number(value, bytes)
    case (9, UInt8(ascii: "i")) where name.holds("idleHours"): idleHours = Self.number(value, bytes)
    case (13, UInt8(ascii: "t")) where name.holds("totalFuelUsed"): totalFuelUsed = Self.number(value, bytes)
    case (18, UInt8(ascii: "t")) where name.holds("totalEngineRunTime"): engineRunTime = Self.number(value, bytes)
    case (9, UInt8(ascii: "l")) where name.holds("longitude"): longitude = Self.degrees(value, 180, bytes)
    default: break
    }
  }

  private static func number(_ range: Range<Int>, _ bytes: Span<UInt8>) -> Double? {
    let first = bytes[range.lowerBound]
    guard first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10 else { return nil }
    return unsafe bytes.extracting(range).withUnsafeBufferPointer {
      unsafe Double(String(decoding: $0, as: UTF8.self))
    }
  }

  private static func degrees(_ range: Range<Int>, _ limit: Double, _ bytes: Span<UInt8>) -> Double? {
    number(range, bytes).flatMap { abs($0) <= limit ? $0 : nil }
  }

  /// Reads a record in which some keys contain escapes.
  private init(unusual record: [UInt8]) {
    self.init()
    guard let document = try? JSONDocument(parsing: record) else { return }
    func number(_ key: String) -> Double? { document.root[key]?.double }
    func degrees(_ key: String, _ limit: Double) -> Double? { number(key).flatMap { abs($0) <= limit ? $0 : nil } }
    (latitude, longitude) = (degrees("latitude", 90), degrees("longitude", 180))
    (heading, speed, gpsSpeed) = (number("heading"), number("speed"), number("gpsSpeed"))
    (rpm, fuelRate, fuelLevel, odometer) = (number("rpm"), number("fuelRate"), number("fuelLevel"), number("odometer"))
    (engineRunTime, idleHours) = (number("totalEngineRunTime"), number("idleHours"))
    totalFuelUsed = number("totalFuelUsed")
  }
}

/// Finds the members of a JSON object, but not the members of nested objects. The text must be valid JSON.
private struct MemberScanner: ~Escapable {
  private let bytes: Span<UInt8>
  private var position = 0
  private(set) var hasEscapedKey = false

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) {
    self.bytes = bytes
    skip { $0 != UInt8(ascii: "{") }
    position += 1
  }

  /// Returns the ranges of the next key, without quotes, and of the key's value; `nil` after the last member.
  mutating func next() -> (key: Range<Int>, value: Range<Int>)? {
    skip { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "}") }
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
    let string = position
    if skipString() { hasEscapedKey = true }
    let key = (string + 1)..<max(position - 1, string + 1)
    skip { $0 <= 0x20 || $0 == UInt8(ascii: ":") }
    let start = position
    skipValue()
    guard position > start, !key.isEmpty else { return position < bytes.count ? next() : nil }
    return (key, start..<position)
  }

  private mutating func skip(_ holds: (UInt8) -> Bool) {
    while position < bytes.count, holds(bytes[position]) { position += 1 }
  }

  /// Skips a string.
  ///
  /// - Returns: whether the string has escapes.
  private mutating func skipString() -> Bool {
    var hasEscapes = false
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        position += 1
      }
    }
    return hasEscapes
  }

  private mutating func skipValue() {
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""): _ = skipString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return }
        depth -= 1
        position += 1
      case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
        if depth == 0 { return }
        position += 1
      default: position += 1
      }
    }
  }
}
