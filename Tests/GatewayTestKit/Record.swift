import Foundation

/// A record as a reader of the daemon's output receives it.
struct Record {
  let text: String
  private let object: [String: Any]

  struct NotJSON: Error { var text: String }

  init(_ line: some Sequence<UInt8>) throws {
    let bytes = Array(line)
    text = String(decoding: bytes, as: UTF8.self)
    guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
      throw NotJSON(text: text)
    }
    self.object = object
  }

  subscript(_ key: String) -> String? { object[key] as? String }
  func number(_ key: String) -> Double? { (object[key] as? NSNumber)?.doubleValue }
  var type: String { self["type"] ?? "" }
  var sequence: Int { Int(number("seq") ?? 0) }
  var keys: [String] { object.keys.filter { !Self.head.contains($0) } }

  /// The event and the reason of an adapter record, for example `lost(portClosed)`.
  var said: String? {
    guard type == "adapter", let event = self["event"] else { return nil }
    return self["reason"].map { "\(event)(\($0))" } ?? event
  }

  /// The keys that every record has, and `device`, which it has if a vehicle has several adapters.
  private static let head: Set<String> = [
    "type", "id", "timestamp", "timeQuality", "gatewayId", "vehicleId", "epoch", "seq", "device",
  ]

  /// Returns the wrong values in a telemetry or vehicle record.
  func untruths(_ truth: Truth) -> [String] {
    switch type {
    case "telemetry": return Self.untruths(object, truth)
    case "vehicle":
      guard let vin = self["vin"] else { return [] }
      return truth.vins.contains(vin) ? [] : ["vin \(vin)"]
    case "dtc":
      let codes = ["dtcCodes", "pending", "permanent"].flatMap { object[$0] as? [String] ?? [] }
      return codes.filter { !truth.codes.contains($0) }.map { "code \($0)" }
    default: return []
    }
  }

  private static func untruths(_ object: [String: Any], _ truth: Truth) -> [String] {
    object.flatMap { key, value -> [String] in
      if head.contains(key) { return [] }
      if key == "ecus", let ecus = value as? [String: [String: Any]] {
        return ecus.flatMap { ecu, values in
          (truth.ecus.contains(ecu) ? [] : ["ecu \(ecu)"]) + untruths(values, truth).map { "\(ecu).\($0)" }
        }
      }
      if key == "vin", let vin = value as? String { return truth.vins.contains(vin) ? [] : ["vin \(vin)"] }
      if key == "dtcCodes", let codes = value as? [String] {
        return codes.filter { !truth.codes.contains($0) }.map { "code \($0)" }
      }
      if key == "mil", let lamp = value as? Bool { return lamp == truth.mil ? [] : ["mil \(lamp)"] }
      guard let number = (value as? NSNumber)?.doubleValue, let allowed = truth.values[key] else {
        return ["\(key) \(value)"]
      }
      return allowed.contains { abs($0 - number) < 0.01 } ? [] : ["\(key) \(number)"]
    }
  }
}

/// The values of a scenario's car. Records must contain no others.
struct Truth: Sendable {
  /// The values by the key of a telemetry record.
  var values: [String: [Double]] = [
    "engineLoad": [40], "coolantTemp": [90], "rpm": [1726], "speed": [50], "intakeAirTemp": [25],
    "throttlePosition": [20], "batteryVoltage": [14.1],
  ]
  var vins: Set<String> = ["1D4GP00R55B123456"]
  var ecus: Set<String> = ["7E8", "7E9"]
  var codes: Set<String> = []
  var mil = false
}
