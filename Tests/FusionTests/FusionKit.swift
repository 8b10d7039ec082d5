import Foundation
import Fusion
import NMEAWire
import OBDWire
import Telemetry
import Testing

/// Stores the written lines.
struct Collector: RecordSink {
  var lines: [String] = []
  var times: [Int64] = []

  mutating func record(_ line: Span<UInt8>) {
    lines.append(unsafe line.withUnsafeBufferPointer { bytes in unsafe String(decoding: bytes, as: UTF8.self) })
  }
  mutating func record(_ line: Span<UInt8>, at time: Int64) {
    record(line)
    times.append(time)
  }
}

/// A session with short names for tests: times are in seconds, and signals are given by their names.
struct Session: ~Copyable {
  var fusion: Fusion
  var sink = Collector()

  init(_ cadence: Cadence = .every(nanoseconds: 1_000_000_000), _ change: (inout FusionOptions) -> Void = { _ in }) {
    var options = FusionOptions(
      gatewayId: "gw-17", epoch: UUIDv7(milliseconds: 1, first: 2, rest: 3), idSeed: 0x1234_5678)
    options.cadence = cadence
    change(&options)
    fusion = Fusion(options)
  }

  static func nanoseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }

  /// Returns the index of the row with a name; the first one if several layouts have a row with this name.
  static func signal(_ name: String) -> SignalID {
    let row = saeSignals.span.indices.first { saeSignals.span[$0].name.description == name }
    return SignalID(rawValue: UInt16(row ?? 0x7FFF))
  }

  mutating func read(
    _ name: String, _ value: Double, from ecu: ECUAddress = .can11(0x7E8), at seconds: Double, service: UInt8? = nil,
    frame: UInt8 = 0
  ) {
    let signal = Self.signal(name)
    let definition = saeSignals.span[Int(signal.rawValue)].definition
    let service = service ?? definition.service
    let origin = Origin(ecu: ecu, line: 0, position: UInt64(seconds * 1e6))
    let reading = Reading(
      origin: origin, signal: signal, service: service, identifier: definition.identifier, frame: frame, value: value)
    fusion.reading(reading, at: Self.nanoseconds(seconds), into: &sink)
  }

  mutating func readLoaded(_ index: UInt16, _ value: Double, at seconds: Double, from ecu: ECUAddress = .can11(0x728)) {
    let reading = Reading(
      origin: Origin(ecu: ecu, line: 0, position: 0), signal: SignalID(rawValue: SignalID.firstLoaded + index),
      service: 0x22, identifier: 0x404C, value: value)
    fusion.reading(reading, at: Self.nanoseconds(seconds), into: &sink)
  }

  mutating func text(
    _ kind: TextReading.Kind, _ text: String, index: UInt8 = 0, from ecu: ECUAddress = .can11(0x7E8), at seconds: Double
  ) {
    bytes(kind, Array(text.utf8), index: index, from: ecu, at: seconds)
  }

  mutating func bytes(
    _ kind: TextReading.Kind, _ bytes: [UInt8], index: UInt8 = 0, from ecu: ECUAddress = .can11(0x7E8),
    at seconds: Double
  ) {
    let reading = TextReading(
      origin: Origin(ecu: ecu, line: 0, position: 0), kind: kind, service: 9, identifier: 2, index: index)
    fusion.text(reading, bytes.span, at: Self.nanoseconds(seconds), into: &sink)
  }

  mutating func codes(
    _ kind: TroubleCodeList.Kind, _ codes: [UInt16], from ecu: ECUAddress = .can11(0x7E8), at seconds: Double,
    service: UInt8? = nil, frame: UInt8 = 0
  ) {
    let usual: UInt8 =
      switch kind {
      case .stored: 0x03
      case .pending: 0x07
      case .permanent: 0x0A
      case .freezeFrame: 0x02
      case .other: 0x19
      }
    let list = TroubleCodeList(
      origin: Origin(ecu: ecu, line: 0, position: 0), kind: kind, service: service ?? usual, subfunction: frame)
    let found = codes.map { TroubleCode(code: $0) }
    fusion.troubleCodes(list, found.span, at: Self.nanoseconds(seconds), into: &sink)
  }

  /// Passes the answer to service 04.
  mutating func cleared(_ ecu: ECUAddress = .can11(0x7E8), at seconds: Double) {
    fusion.codesCleared(origin: Origin(ecu: ecu, line: 0, position: 0), at: Self.nanoseconds(seconds), into: &sink)
  }

  mutating func supports(
    _ bitmap: UInt32, base: UInt16 = 0, service: UInt8 = 1, from ecu: ECUAddress, at seconds: Double
  ) {
    fusion.supported(
      bitmap, service: service, base: base, origin: Origin(ecu: ecu, line: 0, position: 0),
      at: Self.nanoseconds(seconds), into: &sink)
  }

  mutating func fix(_ latitude: Double, _ longitude: Double, at seconds: Double, _ type: FixType = .threeD) {
    var fix = Fix()
    fix.type = type
    fix.latitude = latitude
    fix.longitude = longitude
    fusion.fix(fix, at: Self.nanoseconds(seconds), into: &sink)
  }

  mutating func advance(to seconds: Double) { fusion.advance(to: Self.nanoseconds(seconds), into: &sink) }

  /// Ends the session and returns its records. Each is checked: it must be a JSON object with the common head.
  mutating func finish(at seconds: Double) throws -> [Record] {
    fusion.finish(at: Self.nanoseconds(seconds), into: &sink)
    return try records()
  }

  /// Returns the records so far.
  func records() throws -> [Record] { try sink.lines.map(Record.init) }
}

/// One parsed line.
struct Record {
  let line: String
  let object: [String: Any]

  struct Invalid: Error {}

  init(_ line: String) throws {
    guard line.hasSuffix("\n"), line.utf8.count <= 16_384 else { throw Invalid() }
    guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
      throw Invalid()
    }
    self.line = line
    self.object = object
  }

  var type: String { object["type"] as? String ?? "" }
  var elapsed: Double? { (object["elapsed"] as? NSNumber)?.doubleValue }
  var sequence: Int? { (object["seq"] as? NSNumber)?.intValue }
  func number(_ key: String) -> Double? { (object[key] as? NSNumber)?.doubleValue }
  func text(_ key: String) -> String? { object[key] as? String }
  func texts(_ key: String) -> [String]? { object[key] as? [String] }
  func flag(_ key: String) -> Bool? { object[key] as? Bool }
  func child(_ key: String) -> [String: Any]? { object[key] as? [String: Any] }

  /// The text after the head.
  var body: String {
    guard let sequence, let start = line.range(of: "\"seq\":\(sequence)") else { return "" }
    return String(line[start.upperBound...].drop { $0 == "," }.dropLast(2))
  }
}

extension [Record] {
  func of(_ type: String) -> [Record] { filter { $0.type == type } }
}
